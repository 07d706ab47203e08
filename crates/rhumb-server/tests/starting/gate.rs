//! A store that doesn't answer some of what it is asked until it is let go.

use std::sync::Arc;
use std::time::Duration;

use rhumb_store::{
    Answer, Embedded, Entry, Key, LeaseId, Outcome, Page, Range, Revision, Store, StoreError, Transaction,
    Watch,
};
use tokio::sync::watch;

/// What is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    Nothing,
    /// Writes of keys that begin so.
    Writes(&'static str),
    /// Writes of keys that begin so, though they happen.
    Written(&'static str),
    /// Reads and watches of keys that begin so.
    Reads(&'static str),
    /// At which revision the store is.
    Revision,
    /// The same, to which the answer is an error.
    RevisionWithError,
}

/// The store.
pub(crate) struct Gate {
    pub(crate) store: Embedded,
    held: watch::Sender<Held>,
    /// How many questions were not answered at once.
    waited: watch::Sender<usize>,
}

impl Gate {
    /// One that has nothing yet.
    pub(crate) fn new(held: Held) -> Arc<Self> {
        let store = Embedded::in_memory(rhumb_store::Options::default()).unwrap();
        Arc::new(Gate { store, held: watch::Sender::new(held), waited: watch::Sender::new(0) })
    }

    pub(crate) fn hold(&self, held: Held) {
        self.waited.send_replace(0);
        self.held.send_replace(held);
    }

    /// Done when somebody waits for an answer.
    pub(crate) async fn has_held(&self) {
        self.waited.subscribe().wait_for(|waited| *waited > 0).await.unwrap();
    }

    async fn unless(&self, is_held: impl Fn(Held) -> bool) {
        let mut held = self.held.subscribe();
        if is_held(*held.borrow_and_update()) {
            self.waited.send_modify(|waited| *waited += 1);
            held.wait_for(|held| !is_held(*held)).await.unwrap();
        }
    }

    async fn read(&self, key: &Key) {
        self.unless(|held| matches!(held, Held::Reads(prefix) if key.starts_with(prefix.as_bytes()))).await;
    }
}

impl Store for Gate {
    fn get(&self, key: Key, at: Option<Revision>) -> Answer<'_, (Option<Entry>, Revision)> {
        Box::pin(async move {
            self.read(&key).await;
            self.store.get(key, at).await
        })
    }

    fn range(&self, range: Range) -> Answer<'_, Page> {
        Box::pin(async move {
            self.read(&range.prefix).await;
            self.store.range(range).await
        })
    }

    fn count(&self, prefix: Key) -> Answer<'_, usize> {
        self.store.count(prefix)
    }

    fn revision(&self) -> Answer<'_, Revision> {
        Box::pin(async move {
            self.unless(|held| held == Held::Revision).await;
            if *self.held.borrow() == Held::RevisionWithError {
                return Err(StoreError::Failed("the disk is gone".to_owned()));
            }
            self.store.revision().await
        })
    }

    fn commit(&self, transaction: Transaction) -> Answer<'_, Outcome> {
        Box::pin(async move {
            let begin = |prefix: &str| {
                let mut keys = transaction.changes.iter().map(|change| change.key());
                keys.any(|key| key.starts_with(prefix.as_bytes()))
            };
            self.unless(|held| matches!(held, Held::Writes(prefix) if begin(prefix))).await;
            let outcome = self.store.commit(transaction.clone()).await;
            self.unless(|held| matches!(held, Held::Written(prefix) if begin(prefix))).await;
            outcome
        })
    }

    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch> {
        Box::pin(async move {
            self.read(&prefix).await;
            self.store.watch(prefix, from).await
        })
    }

    fn compact(&self, before: Revision) -> Answer<'_, ()> {
        self.store.compact(before)
    }

    fn grant(&self, time_to_live: Duration) -> Answer<'_, LeaseId> {
        self.store.grant(time_to_live)
    }

    fn revoke(&self, lease: LeaseId) -> Answer<'_, ()> {
        self.store.revoke(lease)
    }
}
