//! Watches: each reads the one log of its cache at its own pace, and sees of it what it selected.
//!
//! A watcher that is slow costs nobody anything. When what it has not read yet is dropped from the log, it
//! ends. One that nothing concerns is not woken, and what is dropped meanwhile is no loss for it: its bell
//! knows that.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::cache::bells::{Bell, Interest, Unread};
use crate::cache::cached::{Cached, Decode};
use crate::cache::error::CacheError;
use crate::cache::list::{Items, ListOptions};
use crate::cache::log::Change;
use crate::cache::snapshot::Selection;
use crate::cache::state::{Shared, State};
use crate::revision::Revision;

/// How many changes a watcher takes from the log at once.
const HANDFUL: usize = 32;
/// How many bytes of changes a watcher takes at once, unless the first one has more: what it has taken stays in memory
/// for as long as its client doesn't read, whatever the log lets go.
const HANDFUL_BYTES: usize = 32 << 10;

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
    /// Gives the objects that were there, then the log.
    Initial { items: Items<T>, revision: Revision, end: InitialEnd },
    /// Waits for a revision.
    Ahead(Revision),
    /// Reads of the log what its bell says.
    Live,
    /// Nothing: it has ended with this.
    Ended(CacheError),
}

/// A watch.
pub struct Watcher<D: Decode> {
    shared: Arc<Shared<D>>,
    bell: Arc<Bell>,
    /// What the bell hangs under, and its number there.
    interest: Interest,
    number: u64,
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
    /// A watch that begins with the newest state.
    pub(super) fn new(shared: Arc<Shared<D>>, options: WatchOptions<D::Object>) -> Result<Self, CacheError> {
        let WatchOptions { from, selection, bookmarks } = options;
        // No state is published while the bell is being hung up.
        let mut bells = shared.bells.lock();
        let (state, tick) = {
            let published = shared.published.borrow();
            (published.state.clone().ok_or(CacheError::NotReady)?, published.tick)
        };
        let to = state.log.end();
        let mut unread = Unread { from: to, to };
        let mut interest = Interest::of(&selection, &shared.prefix);
        let stage = match from {
            WatchFrom::Now => Stage::Live,
            WatchFrom::After(revision) if revision > state.revision => {
                interest = Interest::Progress;
                Stage::Ahead(revision)
            }
            WatchFrom::After(revision) => {
                unread.from = position(&state, revision)?;
                Stage::Live
            }
            WatchFrom::Initial(end) => {
                let list = ListOptions { selection: selection.clone(), ..ListOptions::default() };
                let items = state.snapshot.list(state.revision, &list)?.items;
                Stage::Initial { items, revision: state.revision, end }
            }
        };
        let seen = if let WatchFrom::After(revision) = from { revision } else { state.revision };
        let bell = Arc::new(Bell::new(unread, bookmarks == Bookmarks::Wanted, &shared.turnout));
        let number = bells.hang(&interest, &bell);
        drop(bells);
        let taken = VecDeque::new();
        Ok(Watcher { shared, bell, interest, number, selection, bookmarks, stage, taken, seen, tick })
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
            if self.taken.is_empty() {
                self.bell.rung().await;
            }
        }
    }

    /// How far the watch is, if it has given everything up to now: for a bookmark out of turn, for example before
    /// it is ended.
    pub fn bookmark(&self) -> Option<Bookmark> {
        let Stage::Live = self.stage else { return None };
        let state = self.shared.state()?;
        let up_to_date = self.taken.is_empty() && self.bell.unread().is_empty();
        up_to_date.then_some(Bookmark { revision: state.revision, ends_initial: false })
    }

    /// What can be given without looking at the log.
    fn ready(&mut self) -> Option<WatchEvent<D::Object>> {
        if let Stage::Initial { items, revision, end } = &mut self.stage {
            if let Some(object) = items.next() {
                return Some(WatchEvent::Added(object));
            }
            let bookmark = Bookmark { revision: *revision, ends_initial: true };
            let marked = *end == InitialEnd::Marked;
            self.stage = Stage::Live;
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
        if let Stage::Ended(error) = &self.stage {
            return Err(error.clone());
        }
        let (state, tick, closed) = {
            let published = self.shared.published.borrow();
            let Some(state) = published.state.clone() else { return Ok(None) };
            (state, published.tick, published.closed)
        };
        if let Stage::Ahead(revision) = self.stage {
            if revision > state.revision {
                return if closed { Err(CacheError::Closed) } else { Ok(None) };
            }
            self.arrive(revision).map_err(|error| self.end(error))?;
        }
        // The state was taken before, so that what is not noted at the bell now is not in the state either.
        let unread = self.bell.unread();
        let mut end = state.log.end();
        if !unread.is_empty() && unread.from < end {
            let Some(changes) = state.log.read(unread.from, HANDFUL) else {
                return Err(self.end(expired(&state, self.seen)));
            };
            let mut bytes = 0;
            self.taken.extend(changes.take_while(|change| {
                let is_first = bytes == 0;
                bytes += change.size().max(1);
                is_first || bytes <= HANDFUL_BYTES
            }));
            self.seen = self.taken.back().map_or(self.seen, |change| change.revision);
            end = unread.from.saturating_add(u64::try_from(self.taken.len()).unwrap_or(u64::MAX));
        }
        self.bell.read_to(end);
        if !self.taken.is_empty() {
            return Ok(None);
        }
        self.seen = self.seen.max(state.revision);
        if closed {
            return Err(CacheError::Closed);
        }
        if self.tick == tick {
            return Ok(None);
        }
        self.tick = tick;
        let bookmark = Bookmark { revision: state.revision, ends_initial: false };
        Ok((self.bookmarks == Bookmarks::Wanted).then_some(WatchEvent::Bookmark(bookmark)))
    }

    /// The revision that was waited for has come: from now on the bell hangs where the selection wants it.
    fn arrive(&mut self, revision: Revision) -> Result<(), CacheError> {
        let interest = Interest::of(&self.selection, &self.shared.prefix);
        let mut bells = self.shared.bells.lock();
        let state = self.shared.state().ok_or(CacheError::NotReady)?;
        let unread = Unread { from: position(&state, revision)?, to: state.log.end() };
        bells.take_down(&self.interest, self.number);
        self.bell.back();
        self.bell = Arc::new(Bell::new(unread, self.bell.bookmarks, &self.shared.turnout));
        self.number = bells.hang(&interest, &self.bell);
        (self.interest, self.stage) = (interest, Stage::Live);
        Ok(())
    }

    /// Ends with an error.
    fn end(&mut self, error: CacheError) -> CacheError {
        self.stage = Stage::Ended(error.clone());
        error
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

impl<D: Decode> Drop for Watcher<D> {
    fn drop(&mut self) {
        self.shared.bells.lock().take_down(&self.interest, self.number);
        self.bell.back();
    }
}

/// The number of the first change after a revision.
fn position<T>(state: &State<T>, after: Revision) -> Result<u64, CacheError> {
    state.log.position(after).ok_or_else(|| expired(state, after))
}

fn expired<T>(state: &State<T>, requested: Revision) -> CacheError {
    CacheError::Expired { requested, oldest: state.log.floor(), newest: state.revision }
}
