//! The keys in memory, with what they held since the last compaction.
//!
//! Every key has its versions in order, the newest last; a key that was removed has a version without an entry. Beside
//! it stands the log: every event since the compaction, which watches read from. Both share the entries: an entry is
//! ninety bytes beside its key and value, and would be there three times while the past is kept.
//!
//! Compaction only moves a mark. What lies before it is dropped in small steps ([`History::trim`]), driven by the log:
//! each event tells which key has something to drop.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use smallvec::SmallVec;

use crate::entry::{Entry, Key};
use crate::error::StoreError;
use crate::event::{Event, EventKind};
use crate::revision::Revision;
use crate::store::{Page, Range};
use crate::transaction::LeaseId;

#[cfg(test)]
mod tests;

/// About what an event takes beside what the key held before: its place in the log and one among the versions.
const EVENT_BYTES: usize = size_of::<Happened>() + size_of::<Version>();

/// Where an event stands: in which transaction, and at which place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) revision: Revision,
    pub(crate) place: u32,
}

/// What a key held from a revision on; no entry if it was removed then.
#[derive(Debug)]
struct Version {
    since: Position,
    entry: Option<Arc<Entry>>,
}

/// An event as the log has it.
#[derive(Debug)]
pub(crate) struct Happened {
    pub(crate) revision: Revision,
    /// What the key holds since then, or the key if it was removed. Removals are few.
    now: Result<Arc<Entry>, Box<Key>>,
    previous: Option<Arc<Entry>>,
}

impl Happened {
    /// The key that changed.
    pub(crate) fn key(&self) -> &Key {
        match &self.now {
            Ok(entry) => &entry.key,
            Err(key) => key,
        }
    }

    /// The event as watchers get it.
    pub(crate) fn event(&self) -> Event {
        let kind = match &self.now {
            Ok(entry) => EventKind::Put(entry.as_ref().clone()),
            Err(key) => EventKind::Delete(key.as_ref().clone()),
        };
        Event { revision: self.revision, kind, previous: self.previous.as_deref().cloned() }
    }
}

/// The versions of a key, the newest last. Nearly all keys have one.
type Versions = SmallVec<[Version; 1]>;

/// All keys, their past and the log.
#[derive(Debug, Default)]
pub(crate) struct History {
    keys: BTreeMap<Key, Versions>,
    log: VecDeque<Happened>,
    newest: Revision,
    oldest: Revision,
    live: usize,
    /// How many bytes became a part of the past since this was made, whether they are still there or not.
    outdated: u64,
    leases: BTreeMap<LeaseId, Duration>,
}

impl History {
    /// An empty past that begins between two revisions.
    pub(crate) fn between(oldest: Revision, newest: Revision) -> Self {
        History { oldest, newest, ..History::default() }
    }

    /// The newest revision.
    pub(crate) fn newest(&self) -> Revision {
        self.newest
    }

    /// Everything before this revision is forgotten.
    pub(crate) fn oldest(&self) -> Revision {
        self.oldest
    }

    /// About how many bytes of memory became a part of the past so far, whether they are still there or not. What has
    /// come since some moment is what stays when everything before that moment is forgotten.
    pub(crate) fn outdated(&self) -> u64 {
        self.outdated
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// The revision to read at, or why that can't be.
    fn readable(&self, at: Option<Revision>) -> Result<Revision, StoreError> {
        match at {
            None => Ok(self.newest),
            Some(at) if at < self.oldest => Err(StoreError::Compacted { oldest: self.oldest }),
            Some(at) if at > self.newest => Err(StoreError::Future { newest: self.newest }),
            Some(at) => Ok(at),
        }
    }

    /// What a key holds now.
    pub(crate) fn current(&self, key: &Key) -> Option<&Entry> {
        self.keys.get(key).and_then(|versions| versions.last()).and_then(|version| version.entry.as_deref())
    }

    /// What a key held at a revision.
    pub(crate) fn get(&self, key: &Key, at: Option<Revision>) -> Result<Option<Entry>, StoreError> {
        let at = self.readable(at)?;
        Ok(self.keys.get(key).and_then(|versions| seen(versions, at)).cloned())
    }

    /// The keys with a prefix that don't come before `start`, with all their versions.
    fn versions<'a>(&'a self, prefix: &'a Key, start: &Key) -> impl Iterator<Item = (&'a Key, &'a Versions)> {
        let from = start.max(prefix);
        let keys = self.keys.range::<[u8], _>((Bound::Included(from.as_ref()), Bound::Unbounded));
        keys.take_while(move |(key, _)| key.starts_with(prefix))
    }

    /// A part of a range. At most `most` keys are looked at, so that the lock is not held for long; where to go on
    /// then comes with the page.
    pub(crate) fn range(&self, range: &Range, most: usize) -> Result<(Page, Option<Key>), StoreError> {
        let revision = self.readable(range.at)?;
        let mut entries = Vec::new();
        for (looked, (key, versions)) in self.versions(&range.prefix, &range.start).enumerate() {
            let full = range.limit > 0 && entries.len() >= range.limit;
            if looked >= most && !full {
                return Ok((Page { revision, entries, more: true }, Some(key.clone())));
            }
            if let Some(entry) = seen(versions, revision) {
                if full {
                    return Ok((Page { revision, entries, more: true }, None));
                }
                entries.push(entry.clone());
            }
        }
        Ok((Page { revision, entries, more: false }, None))
    }

    /// How many keys have a prefix; looks at most at so many, and says where to go on.
    pub(crate) fn count(&self, range: &Range, most: usize) -> Result<(usize, Option<Key>), StoreError> {
        let revision = self.readable(range.at)?;
        let mut count = 0;
        for (looked, (key, versions)) in self.versions(&range.prefix, &range.start).enumerate() {
            if looked >= most {
                return Ok((count, Some(key.clone())));
            }
            count += usize::from(seen(versions, revision).is_some());
        }
        Ok((count, None))
    }

    /// The events from a revision on, at most so many, but never a part of a transaction only.
    pub(crate) fn events(
        &self,
        from: Revision,
        most: usize,
    ) -> Result<impl Iterator<Item = &Happened>, StoreError> {
        if from < self.oldest {
            return Err(StoreError::Compacted { oldest: self.oldest });
        }
        let start = self.log.partition_point(|event| event.revision < from);
        let last = start.saturating_add(most.max(1)) - 1;
        let end = match self.log.get(last) {
            Some(last) => self.log.partition_point(|event| event.revision <= last.revision),
            None => self.log.len(),
        };
        Ok(self.log.range(start..end))
    }

    /// Takes an event into the past; the newest one so far. The place is the one it has in its transaction.
    pub(crate) fn record(&mut self, since: Position, kind: EventKind) {
        let (now, key) = match kind {
            EventKind::Put(entry) => {
                let key = entry.key.clone();
                (Ok(Arc::new(entry)), key)
            }
            EventKind::Delete(key) => (Err(Box::new(key.clone())), key),
        };
        let entry = now.as_ref().ok().cloned();
        let versions = self.keys.entry(key).or_default();
        let previous = versions.last().and_then(|version| version.entry.clone());
        match (&previous, &entry) {
            (None, Some(_)) => self.live += 1,
            (Some(_), None) => self.live = self.live.saturating_sub(1),
            _ => {}
        }
        versions.push(Version { since, entry });
        let before = previous.as_ref().map_or(0, |entry| size_of::<Entry>() + entry.value.len());
        self.outdated += (EVENT_BYTES + before) as u64;
        self.newest = self.newest.max(since.revision);
        self.log.push_back(Happened { revision: since.revision, now, previous });
    }

    /// Takes in what is read back from the disk, in the order of positions. From before the oldest revision only
    /// what is seen at that one is of use; the positions of the rest come back, to be dropped from the disk.
    pub(crate) fn load(&mut self, since: Position, kind: EventKind) -> SmallVec<[Position; 1]> {
        if since.revision >= self.oldest {
            self.record(since, kind);
            return SmallVec::new();
        }
        self.newest = self.newest.max(since.revision);
        let superseded = |versions: Option<Versions>| -> SmallVec<[Position; 1]> {
            versions.into_iter().flatten().map(|version| version.since).collect()
        };
        match kind {
            EventKind::Put(entry) => {
                let mut versions = Versions::new();
                let key = entry.key.clone();
                versions.push(Version { since, entry: Some(Arc::new(entry)) });
                let before = self.keys.insert(key, versions);
                self.live += usize::from(before.is_none());
                superseded(before)
            }
            EventKind::Delete(key) => {
                let before = self.keys.remove(&key);
                self.live -= usize::from(before.is_some());
                let mut dropped = superseded(before);
                dropped.push(since);
                dropped
            }
        }
    }

    /// Whether compaction may go up to a revision, given how far it will have gone before.
    pub(crate) fn may_compact(
        before: Revision,
        oldest: Revision,
        newest: Revision,
    ) -> Result<(), StoreError> {
        if before > newest {
            return Err(StoreError::Future { newest });
        }
        if before < oldest {
            return Err(StoreError::Compacted { oldest });
        }
        Ok(())
    }

    /// Forgets everything before a revision, from now on. The memory comes back with [`History::trim`].
    pub(crate) fn compact(&mut self, before: Revision) {
        self.oldest = self.oldest.max(before.min(self.newest));
    }

    /// Drops a part of what is forgotten: at most so many events and the versions that they superseded. Gives where
    /// those stood; whether something is left to do tells [`History::is_trimmed`].
    pub(crate) fn trim(&mut self, most: usize) -> Vec<Position> {
        let count = self.log.partition_point(|event| event.revision < self.oldest).min(most);
        let events: Vec<Happened> = self.log.drain(..count).collect();
        let mut dropped = Vec::new();
        for event in &events {
            let Some(versions) = self.keys.get_mut(event.key()) else { continue };
            // What was seen at the oldest readable revision stays. A removal from before it is as good as nothing; one
            // at that very revision stays, because a watch may still begin there.
            let seen = versions.partition_point(|version| version.since.revision <= self.oldest);
            let gone = versions
                .get(seen.wrapping_sub(1))
                .is_some_and(|version| version.entry.is_none() && version.since.revision < self.oldest);
            let drop = if gone { seen } else { seen.saturating_sub(1) };
            dropped.extend(versions.drain(..drop).map(|version| version.since));
            if versions.is_empty() {
                self.keys.remove(event.key());
            }
        }
        dropped
    }

    /// Whether nothing is left that is forgotten.
    pub(crate) fn is_trimmed(&self) -> bool {
        self.log.front().is_none_or(|event| event.revision >= self.oldest)
    }

    /// The leases there are, each with its full time.
    pub(crate) fn leases(&self) -> &BTreeMap<LeaseId, Duration> {
        &self.leases
    }

    /// The same, to be changed.
    pub(crate) fn leases_mut(&mut self) -> &mut BTreeMap<LeaseId, Duration> {
        &mut self.leases
    }

    /// All keys that live by a lease.
    pub(crate) fn leased(&self) -> impl Iterator<Item = &Entry> {
        let newest = self.keys.values().filter_map(|versions| versions.last());
        newest.filter_map(|version| version.entry.as_deref()).filter(|entry| entry.lease.is_some())
    }
}

/// What was there at a revision.
fn seen(versions: &Versions, at: Revision) -> Option<&Entry> {
    let after = versions.partition_point(|version| version.since.revision <= at);
    versions.get(after.checked_sub(1)?)?.entry.as_deref()
}
