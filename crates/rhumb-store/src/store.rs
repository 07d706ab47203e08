//! The trait that every engine implements.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::entry::{Entry, Key};
use crate::error::StoreError;
use crate::event::Event;
use crate::revision::Revision;
use crate::transaction::{LeaseId, Outcome, Transaction};

/// What a store will answer. Boxed, because stores are chosen at start and called through the trait.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Which keys to read, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// What the keys begin with.
    pub prefix: Key,
    /// Where to begin within the prefix: the first key not yet read. Empty for the beginning.
    pub start: Key,
    /// How many entries at most; 0 for all.
    pub limit: usize,
    /// As of which revision; the newest if absent.
    pub at: Option<Revision>,
}

impl Range {
    /// All keys with a prefix, as they are now.
    pub fn all(prefix: Key) -> Self {
        Range { prefix, ..Range::default() }
    }
}

/// A part of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The revision that the entries are of. Further pages are read at it.
    pub revision: Revision,
    /// The entries in the order of their keys.
    pub entries: Vec<Entry>,
    /// Whether there are more behind the last entry.
    pub more: bool,
}

/// A store of keys and values with revisions. All answers are linearizable: a read that begins after a write was
/// answered sees it.
pub trait Store: Send + Sync + 'static {
    /// What a key holds, and the newest revision at the time of reading. With a revision, what it held then.
    fn get(&self, key: Key, at: Option<Revision>) -> Answer<'_, (Option<Entry>, Revision)>;

    /// A part of the keys with a prefix.
    fn range(&self, range: Range) -> Answer<'_, Page>;

    /// How many keys have a prefix.
    fn count(&self, prefix: Key) -> Answer<'_, usize>;

    /// The newest revision.
    fn revision(&self) -> Answer<'_, Revision>;

    /// Changes keys if conditions hold. When it is answered, it is kept.
    fn commit(&self, transaction: Transaction) -> Answer<'_, Outcome>;

    /// The changes of keys with a prefix, from a revision on, that one included.
    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch>;

    /// Forgets what was before a revision. Reads and watches from before it are refused from now on.
    fn compact(&self, before: Revision) -> Answer<'_, ()>;

    /// The oldest revision that can still be read, where the past is at hand. `None` if it lies elsewhere, so that
    /// nobody should go through it without need.
    fn recalls(&self) -> Option<Revision> {
        None
    }

    /// A lease that expires after a time.
    fn grant(&self, time_to_live: Duration) -> Answer<'_, LeaseId>;

    /// Ends a lease now; the keys that live by it vanish.
    fn revoke(&self, lease: LeaseId) -> Answer<'_, ()>;
}

/// What a watch gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Changes, in the order in which they happened. A transaction is never split.
    Events(Vec<Event>),
    /// Nothing more has happened up to this revision.
    Progress(Revision),
}

/// Where a watch gets its events from.
pub trait WatchSource: Send {
    /// What comes next. After an error nothing more comes. Who gives up waiting loses nothing.
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Result<Watched, StoreError>> + Send + '_>>;

    /// Says that somebody waits to hear how far the watch is.
    fn hurry(&mut self) {}
}

/// A watch. It holds a place in the store's past and no events, so that it costs nothing to be slow; one that falls
/// behind what the store remembers ends with [`StoreError::Compacted`].
pub struct Watch {
    source: Box<dyn WatchSource>,
    ended: bool,
}

impl Watch {
    /// A watch from a source.
    pub fn new(source: impl WatchSource + 'static) -> Self {
        Watch { source: Box::new(source), ended: false }
    }

    /// Waits for what comes next. `None` after the end.
    ///
    /// # Errors
    /// If the watch can't go on; it has ended then.
    pub async fn next(&mut self) -> Option<Result<Watched, StoreError>> {
        if self.ended {
            return None;
        }
        let next = self.source.next().await;
        self.ended = next.is_err();
        Some(next)
    }

    /// Says that somebody waits to hear how far the watch is: progress is told as soon as it can be.
    pub fn hurry(&mut self) {
        self.source.hurry();
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("ended", &self.ended).finish_non_exhaustive()
    }
}
