//! The recent changes, which all watchers of a cache read. A watcher holds a number, its place here, and nothing else.

use std::sync::{Arc, OnceLock};

use crate::cache::cached::{Cached, Decode};
use crate::cache::rope::Rope;
use crate::revision::Revision;

/// One object that came, changed or went.
pub(super) struct Change<T> {
    pub(super) revision: Revision,
    pub(super) previous: Option<Arc<Cached<T>>>,
    pub(super) current: Option<Arc<Cached<T>>>,
    /// The previous state as seen by those for whom the object goes; made for the first of them.
    departed: OnceLock<Arc<Cached<T>>>,
}

impl<T> Change<T> {
    pub(super) fn new(
        revision: Revision,
        previous: Option<Arc<Cached<T>>>,
        current: Option<Arc<Cached<T>>>,
    ) -> Self {
        Change { revision, previous, current, departed: OnceLock::new() }
    }

    /// The previous state at the revision of this change.
    pub(super) fn departed(&self, decode: &impl Decode<Object = T>) -> Option<Arc<Cached<T>>> {
        let previous = self.previous.as_ref()?;
        Some(Arc::clone(self.departed.get_or_init(|| Arc::new(previous.departed(self.revision, decode)))))
    }

    /// About how many bytes live by this change only.
    pub(super) fn size(&self) -> usize {
        let size = |object: &Option<Arc<Cached<T>>>| {
            object.as_ref().map_or(0, |object| object.key().len() + object.value().len())
        };
        size(&self.previous) + size(&self.current)
    }
}

/// How much of the past is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) changes: usize,
    pub(super) bytes: usize,
    /// How many bytes are kept of what is no longer recent.
    pub(super) settled_bytes: usize,
}

/// The changes in order.
pub(super) struct Log<T> {
    changes: Rope<Arc<Change<T>>>,
    bytes: usize,
    /// The number of the first change; they are counted from the beginning of the cache.
    first: u64,
    /// All changes after this revision are here.
    floor: Revision,
    /// Between these revisions, both excluded, something is missing: only the differences are here.
    gaps: Vec<(Revision, Revision)>,
}

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Log { changes: self.changes.clone(), gaps: self.gaps.clone(), ..*self }
    }
}

impl<T> Log<T> {
    /// An empty log that begins after a revision, with a change of this number.
    pub(super) fn after(floor: Revision, first: u64) -> Self {
        Log { changes: Rope::default(), bytes: 0, first, floor, gaps: Vec::new() }
    }

    /// The revision after which all changes are here.
    pub(super) fn floor(&self) -> Revision {
        self.floor
    }

    /// The number that the next change will have.
    pub(super) fn end(&self) -> u64 {
        self.first.saturating_add(u64::try_from(self.changes.len()).unwrap_or(u64::MAX))
    }

    /// Appends a change, and drops the oldest ones that are too many.
    pub(super) fn push(&mut self, change: Arc<Change<T>>, bounds: Bounds) {
        self.bytes = self.bytes.saturating_add(change.size());
        self.changes.push(change);
        while self.changes.len() > 1 && (self.changes.len() > bounds.changes || self.bytes > bounds.bytes) {
            self.drop_first();
        }
        self.gaps.retain(|(_, until)| *until > self.floor);
    }

    /// Drops changes up to a revision as long as there is much of them. Answers with how many bytes they had.
    pub(super) fn settle(&mut self, until: Revision, bounds: Bounds) -> usize {
        let before = self.bytes;
        while self.bytes > bounds.settled_bytes
            && self.changes.get(0).is_some_and(|change| change.revision <= until)
        {
            self.drop_first();
        }
        self.gaps.retain(|(_, until)| *until > self.floor);
        before.saturating_sub(self.bytes)
    }

    fn drop_first(&mut self) {
        let Some(dropped) = self.changes.remove(0) else { return };
        self.bytes = self.bytes.saturating_sub(dropped.size());
        self.first = self.first.saturating_add(1);
        self.floor = self.floor.max(dropped.revision);
    }

    /// Notes that between two revisions only the differences are known.
    pub(super) fn skip(&mut self, from: Revision, until: Revision) {
        if until > from.next() {
            self.gaps.push((from, until));
        }
    }

    /// The number of the first change after a revision; `None` if some of them are not here.
    pub(super) fn position(&self, after: Revision) -> Option<u64> {
        if after < self.floor || self.gaps.iter().any(|(from, until)| *from < after && after < *until) {
            return None;
        }
        let place = self.changes.place(|change| change.revision <= after);
        Some(self.first.saturating_add(u64::try_from(place).ok()?))
    }

    /// At most so many changes from a number on; `None` if that one is no longer here.
    pub(super) fn read(
        &self,
        from: u64,
        most: usize,
    ) -> Option<impl Iterator<Item = Arc<Change<T>>> + use<T>> {
        let place = usize::try_from(from.checked_sub(self.first)?).ok()?;
        Some(self.changes.walk(place, place.saturating_add(most)))
    }
}
