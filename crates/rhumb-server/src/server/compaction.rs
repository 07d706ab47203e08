//! Forgetting what was, in an etcd: it keeps everything that ever happened until somebody tells it not to, and when it
//! is full it takes no more writes.
//!
//! Every server on an etcd does this, a kube-apiserver too, and one of them is enough. They agree by a key that all
//! know: each turn, who changes it as it was seen the last time forgets what was before that time. The others see that
//! it was changed and are content. So the past is kept for one interval at least and two at most.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rhumb_store::{Expected, Key, Outcome, Revision, Store, StoreError, Transaction};

use crate::base::shutdown::Shutdown;

/// The key that servers agree by, the same as that of kube-apiserver.
const KEY: &[u8] = b"compact_rev_key";

/// One server's part in it.
pub(super) struct Compaction {
    store: Arc<dyn Store>,
    /// The revision of the key when it was last looked at; none if it was not there.
    seen: Option<Revision>,
    /// The newest revision at that time.
    before: Revision,
}

impl Compaction {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Compaction { store, seen: None, before: Revision::ZERO }
    }

    /// Takes a turn in every interval until the server ends.
    pub(super) async fn run(mut self, interval: Duration, shutdown: Shutdown) {
        loop {
            tokio::select! {
                () = shutdown.requested() => return,
                () = tokio::time::sleep(interval) => {}
            }
            if let Err(error) = self.turn().await {
                tracing::warn!(%error, "what was long ago could not be forgotten; it is tried again");
            }
        }
    }

    async fn turn(&mut self) -> Result<(), StoreError> {
        let key = Key::from_static(KEY);
        let expected = self.seen.map_or(Expected::Absent, Expected::At);
        let value = Bytes::from(self.before.0.to_string());
        let transaction = Transaction::default().expect(key.clone(), expected).put(key, value, None);
        match self.store.commit(transaction).await? {
            Outcome::Committed(committed) => {
                let before = std::mem::replace(&mut self.before, committed.revision);
                self.seen = Some(committed.revision);
                if before > Revision::ZERO {
                    self.store.compact(before).await?;
                    tracing::debug!(revision = before.0, "what was before is forgotten");
                }
            }
            Outcome::Refused { revision, found } => {
                self.seen = found.into_iter().flatten().next().map(|entry| entry.modified);
                self.before = revision;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rhumb_store::{Embedded, Options};

    async fn put(store: &dyn Store) -> Revision {
        let put = Transaction::default().put(Key::from_static(b"/a"), Bytes::new(), None);
        store.commit(put).await.unwrap();
        store.revision().await.unwrap()
    }

    #[tokio::test]
    async fn one_of_several_servers_forgets_what_was_before_the_last_turn() {
        let embedded = Arc::new(Embedded::in_memory(Options { window: None, ..Options::default() }).unwrap());
        let store: Arc<dyn Store> = Arc::clone(&embedded) as _;
        let mut servers = [Compaction::new(Arc::clone(&store)), Compaction::new(Arc::clone(&store))];
        put(&*store).await;
        let begin = embedded.oldest();
        for server in &mut servers {
            server.turn().await.unwrap();
        }
        assert_eq!(embedded.oldest(), begin, "nothing was seen before the first turn");
        for _ in 0..5 {
            let between = put(&*store).await;
            for server in &mut servers {
                let oldest = embedded.oldest();
                server.turn().await.unwrap();
                assert!(embedded.oldest() >= oldest && embedded.oldest() < between);
            }
        }
        let oldest = embedded.oldest();
        assert!(oldest > begin);
        // One that was away for long, as a new one is, forgets nothing that others want to keep.
        put(&*store).await;
        Compaction::new(Arc::clone(&store)).turn().await.unwrap();
        assert_eq!(embedded.oldest(), oldest);
        // The first one goes on alone.
        let last = put(&*store).await;
        let [mut first, _] = servers;
        for _ in 0..3 {
            first.turn().await.unwrap();
        }
        assert!(embedded.oldest() > last);
    }
}
