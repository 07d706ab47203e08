//! A watch on the past in memory.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use parking_lot::RwLock;
use tokio::sync::watch;

use crate::entry::Key;
use crate::error::StoreError;
use crate::history::History;
use crate::revision::Revision;
use crate::store::{WatchSource, Watched};

/// How many events are looked at under one lock.
const MOST: usize = 1000;

/// A place in the past, and a bell that rings when there is more of it.
pub(super) struct Watcher {
    pub(super) history: Arc<RwLock<History>>,
    pub(super) published: watch::Receiver<Revision>,
    pub(super) prefix: Key,
    pub(super) from: Revision,
}

impl Watcher {
    /// What is there already; `None` if it is all seen.
    fn read(&mut self) -> Result<Option<Watched>, StoreError> {
        loop {
            let past = self.history.read();
            let newest = past.newest();
            if self.from > newest {
                return Ok(None);
            }
            let mut last = None;
            let mut events = Vec::new();
            for event in past.events(self.from, MOST)? {
                last = Some(event.revision);
                if event.key().starts_with(&self.prefix) {
                    events.push(event.event());
                }
            }
            drop(past);
            if let Some(event) = events.last() {
                // What follows and is not of the prefix is looked at again, so that progress behind it is told.
                self.from = event.revision.next();
                return Ok(Some(Watched::Events(events)));
            }
            self.from = last.unwrap_or(newest).next();
            if self.from > newest {
                return Ok(Some(Watched::Progress(newest)));
            }
        }
    }
}

impl WatchSource for Watcher {
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Result<Watched, StoreError>> + Send + '_>> {
        Box::pin(async move {
            loop {
                // The bell is looked at before the past is, so that one that rings in between is heard.
                self.published.borrow_and_update();
                if let Some(watched) = self.read()? {
                    return Ok(watched);
                }
                self.published.changed().await.map_err(|_| StoreError::Closed)?;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Embedded, Options, Store, Transaction};

    #[tokio::test]
    async fn progress_is_told_behind_the_last_event_of_the_prefix() {
        let store = Embedded::in_memory(Options::default()).expect("a store in memory");
        let from = store.revision().await.expect("a revision").next();
        let mut watch = store.watch(Key::from_static(b"a/"), from).await.expect("a watch");
        for key in [b"a/1", b"b/1"] {
            let created = Transaction::create(Key::from_static(key), "v".into());
            store.commit(created).await.expect("a commit");
        }
        let newest = store.revision().await.expect("a revision");
        assert!(matches!(watch.next().await, Some(Ok(Watched::Events(events))) if events.len() == 1));
        assert_eq!(watch.next().await, Some(Ok(Watched::Progress(newest))));
    }
}
