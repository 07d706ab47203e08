//! Watches: each reads the one log of its cache at its own pace, and sees of it what it selected.
//!
//! A watcher that is slow costs nobody anything. When what it has not read yet is dropped from the log, it ends.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::watch;

use crate::cache::cached::{Cached, Decode};
use crate::cache::error::CacheError;
use crate::cache::list::{Items, ListOptions};
use crate::cache::log::Change;
use crate::cache::snapshot::Selection;
use crate::cache::state::{Published, Shared, State};
use crate::revision::Revision;

/// How many changes a watcher takes from the log at once.
const HANDFUL: usize = 32;

/// Whether the end of the initial events is marked by a bookmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialEnd {
    /// It is.
    Marked,
    /// It is not.
    Unmarked,
}

/// Whether a watcher wants bookmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bookmarks {
    /// It does, at every [`Cache::tick`](super::Cache::tick).
    Wanted,
    /// It doesn't.
    #[default]
    Unwanted,
}

/// Where a watch begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WatchFrom {
    /// With what happens from now on.
    #[default]
    Now,
    /// With what happened after this revision. If that is still to come, nothing is seen until then.
    After(Revision),
    /// With every object that is there, as if it had just been added.
    Initial(InitialEnd),
}

/// What to watch.
pub struct WatchOptions<T> {
    /// From when.
    pub from: WatchFrom,
    /// Which objects.
    pub selection: Selection<T>,
    /// Whether it is told from time to time how far it is.
    pub bookmarks: Bookmarks,
}

impl<T> Default for WatchOptions<T> {
    fn default() -> Self {
        WatchOptions {
            from: WatchFrom::default(),
            selection: Selection::default(),
            bookmarks: Bookmarks::default(),
        }
    }
}

impl<T> std::fmt::Debug for WatchOptions<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WatchOptions")
            .field("from", &self.from)
            .field("selection", &self.selection)
            .field("bookmarks", &self.bookmarks)
            .finish()
    }
}

/// What a watcher sees.
#[derive(Debug)]
pub enum WatchEvent<T> {
    /// An object came, or began to be one of those selected.
    Added(Arc<Cached<T>>),
    /// An object changed.
    Modified(Arc<Cached<T>>),
    /// An object went, or ceased to be one of those selected. This is the last state in which it was one, at the
    /// revision at which it went.
    Deleted(Arc<Cached<T>>),
    /// Everything up to a revision has been seen.
    Bookmark(Bookmark),
}

impl<T> Clone for WatchEvent<T> {
    fn clone(&self) -> Self {
        match self {
            WatchEvent::Added(object) => WatchEvent::Added(Arc::clone(object)),
            WatchEvent::Modified(object) => WatchEvent::Modified(Arc::clone(object)),
            WatchEvent::Deleted(object) => WatchEvent::Deleted(Arc::clone(object)),
            WatchEvent::Bookmark(bookmark) => WatchEvent::Bookmark(*bookmark),
        }
    }
}

impl<T> WatchEvent<T> {
    /// The object, if it is about one.
    pub fn object(&self) -> Option<&Arc<Cached<T>>> {
        match self {
            WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object) => {
                Some(object)
            }
            WatchEvent::Bookmark(_) => None,
        }
    }
}

/// How far a watcher is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// Everything up to here has been seen.
    pub revision: Revision,
    /// Whether it is the one that ends the initial events.
    pub ends_initial: bool,
}

/// What a watcher does next.
enum Stage<T> {
    /// Gives the objects that were there, then the log from a number on.
    Initial { items: Items<T>, revision: Revision, end: InitialEnd, then: u64 },
    /// Waits for a revision.
    Ahead(Revision),
    /// Reads the log from a number on.
    Live(u64),
    /// Nothing: it has ended with this.
    Ended(CacheError),
}

/// A watch.
pub struct Watcher<D: Decode> {
    shared: Arc<Shared<D>>,
    published: watch::Receiver<Published<D::Object>>,
    selection: Selection<D::Object>,
    bookmarks: Bookmarks,
    stage: Stage<D::Object>,
    taken: VecDeque<Arc<Change<D::Object>>>,
    /// The revision of what was taken last.
    seen: Revision,
    tick: u64,
}

impl<D: Decode> std::fmt::Debug for Watcher<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watcher").field("selection", &self.selection).finish_non_exhaustive()
    }
}

impl<D: Decode> Watcher<D> {
    /// A watch that begins with a state.
    pub(super) fn new(
        shared: Arc<Shared<D>>,
        state: &State<D::Object>,
        options: WatchOptions<D::Object>,
    ) -> Result<Self, CacheError> {
        let WatchOptions { from, selection, bookmarks } = options;
        let stage = match from {
            WatchFrom::Now => Stage::Live(state.log.end()),
            WatchFrom::After(revision) if revision > state.revision => Stage::Ahead(revision),
            WatchFrom::After(revision) => Stage::Live(position(state, revision)?),
            WatchFrom::Initial(end) => {
                let list = ListOptions { selection: selection.clone(), ..ListOptions::default() };
                let items = state.snapshot.list(state.revision, &list)?.items;
                Stage::Initial { items, revision: state.revision, end, then: state.log.end() }
            }
        };
        let seen = if let WatchFrom::After(revision) = from { revision } else { state.revision };
        let published = shared.published.subscribe();
        let tick = published.borrow().tick;
        let taken = VecDeque::new();
        Ok(Watcher { shared, published, selection, bookmarks, stage, taken, seen, tick })
    }

    /// What comes next. Giving up waiting loses nothing.
    ///
    /// # Errors
    /// If the watch fell behind what is kept, or the cache is closed. The same error comes from then on.
    pub async fn next(&mut self) -> Result<WatchEvent<D::Object>, CacheError> {
        loop {
            if let Some(event) = self.ready() {
                return Ok(event);
            }
            if let Some(event) = self.refill()? {
                return Ok(event);
            }
            if self.taken.is_empty() && self.published.changed().await.is_err() {
                self.stage = Stage::Ended(CacheError::Closed);
            }
        }
    }

    /// How far the watch is, if it has given everything up to now: for a bookmark out of turn, for example before
    /// it is ended.
    pub fn bookmark(&self) -> Option<Bookmark> {
        let Stage::Live(from) = self.stage else { return None };
        let state = self.shared.state()?;
        let up_to_date = self.taken.is_empty() && from == state.log.end();
        up_to_date.then_some(Bookmark { revision: state.revision, ends_initial: false })
    }

    /// What can be given without looking at the log.
    fn ready(&mut self) -> Option<WatchEvent<D::Object>> {
        if let Stage::Initial { items, revision, end, then } = &mut self.stage {
            if let Some(object) = items.next() {
                return Some(WatchEvent::Added(object));
            }
            let bookmark = Bookmark { revision: *revision, ends_initial: true };
            let marked = *end == InitialEnd::Marked;
            self.stage = Stage::Live(*then);
            if marked {
                return Some(WatchEvent::Bookmark(bookmark));
            }
        }
        while let Some(change) = self.taken.pop_front() {
            if let Some(event) = self.see(&change) {
                return Some(event);
            }
        }
        None
    }

    /// Takes changes from the log. If there are none, it may be time for a bookmark.
    fn refill(&mut self) -> Result<Option<WatchEvent<D::Object>>, CacheError> {
        let published = self.published.borrow_and_update();
        let Some(state) = &published.state else { return Ok(None) };
        let from = match &self.stage {
            Stage::Ended(error) => return Err(error.clone()),
            Stage::Ahead(revision) if *revision > state.revision => {
                return if published.closed { Err(CacheError::Closed) } else { Ok(None) };
            }
            Stage::Ahead(revision) => position(state, *revision),
            Stage::Live(from) => Ok(*from),
            Stage::Initial { .. } => return Ok(None),
        };
        let read = from.and_then(|from| {
            let changes = state.log.read(from, HANDFUL).ok_or_else(|| expired(state, self.seen))?;
            Ok((from, changes))
        });
        match read {
            Ok((from, changes)) => {
                self.taken.extend(changes);
                self.seen = self.taken.back().map_or(self.seen, |change| change.revision);
                let count = u64::try_from(self.taken.len()).unwrap_or(u64::MAX);
                self.stage = Stage::Live(from.saturating_add(count));
            }
            Err(error) => {
                self.stage = Stage::Ended(error.clone());
                return Err(error);
            }
        }
        if !self.taken.is_empty() {
            return Ok(None);
        }
        if published.closed {
            return Err(CacheError::Closed);
        }
        if self.tick == published.tick {
            return Ok(None);
        }
        self.tick = published.tick;
        let bookmark = Bookmark { revision: state.revision, ends_initial: false };
        Ok((self.bookmarks == Bookmarks::Wanted).then_some(WatchEvent::Bookmark(bookmark)))
    }

    /// A change as this watcher sees it.
    fn see(&self, change: &Change<D::Object>) -> Option<WatchEvent<D::Object>> {
        let matches = |object: &&Arc<Cached<D::Object>>| self.selection.matches(object);
        let before = change.previous.as_ref().filter(matches);
        match (before, change.current.as_ref().filter(matches)) {
            (None, Some(object)) => Some(WatchEvent::Added(Arc::clone(object))),
            (Some(_), Some(object)) => Some(WatchEvent::Modified(Arc::clone(object))),
            (Some(_), None) => change.departed(&self.shared.decode).map(WatchEvent::Deleted),
            (None, None) => None,
        }
    }
}

/// The number of the first change after a revision.
fn position<T>(state: &State<T>, after: Revision) -> Result<u64, CacheError> {
    state.log.position(after).ok_or_else(|| expired(state, after))
}

fn expired<T>(state: &State<T>, requested: Revision) -> CacheError {
    CacheError::Expired { requested, oldest: state.log.floor(), newest: state.revision }
}
