//! The keys in memory, with what they held since the last compaction.
//!
//! Every key has its versions in order, the newest last; a key that was removed has a version without an entry. Beside
//! it stands the log: every event since the compaction, which watches read from. Both share the bytes.
//!
//! Compaction only moves a mark. What lies before it is dropped in small steps ([`History::trim`]), driven by the log:
//! each event tells which key has something to drop.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;

use smallvec::SmallVec;

use crate::entry::{Entry, Key};
use crate::error::StoreError;
use crate::event::{Event, EventKind};
use crate::revision::Revision;
use crate::store::{Page, Range};

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
    entry: Option<Entry>,
}

/// The versions of a key, the newest last. Nearly all keys have one.
type Versions = SmallVec<[Version; 1]>;

/// All keys, their past and the log.
#[derive(Debug, Default)]
pub(crate) struct History {
    keys: BTreeMap<Key, Versions>,
    log: VecDeque<Event>,
    newest: Revision,
    oldest: Revision,
    live: usize,
}

impl History {
    /// The newest revision.
    pub(crate) fn newest(&self) -> Revision {
        self.newest
    }

    /// Everything before this revision is forgotten.
    pub(crate) fn oldest(&self) -> Revision {
        self.oldest
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
        self.keys.get(key).and_then(|versions| versions.last()).and_then(|version| version.entry.as_ref())
    }

    /// What a key held at a revision.
    pub(crate) fn get(&self, key: &Key, at: Option<Revision>) -> Result<Option<Entry>, StoreError> {
        let at = self.readable(at)?;
        Ok(self.keys.get(key).and_then(|versions| seen(versions, at)).cloned())
    }

    /// A part of a range. At most `most` keys are looked at, so that the lock is not held for long: the page then
    /// says that there is more, and where to go on.
    pub(crate) fn range(&self, range: &Range, most: usize) -> Result<(Page, Option<Key>), StoreError> {
        let revision = self.readable(range.at)?;
        let from = if range.start.is_empty() { &range.prefix } else { &range.start };
        let keys = self.keys.range::<[u8], _>((Bound::Included(from.as_ref()), Bound::Unbounded));
        let mut entries = Vec::new();
        for (looked, (key, versions)) in keys.enumerate() {
            if !key.starts_with(&range.prefix) {
                break;
            }
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

    /// How many keys have a prefix now.
    pub(crate) fn count(&self, prefix: &Key) -> usize {
        let keys = self.keys.range::<[u8], _>((Bound::Included(prefix.as_ref()), Bound::Unbounded));
        keys.take_while(|(key, _)| key.starts_with(prefix))
            .filter(|(_, versions)| versions.last().is_some_and(|version| version.entry.is_some()))
            .count()
    }

    /// The events from a revision on, at most so many, but never a part of a transaction only.
    pub(crate) fn events(&self, from: Revision, most: usize) -> Result<&[Event], StoreError> {
        if from < self.oldest {
            return Err(StoreError::Compacted { oldest: self.oldest });
        }
        let (front, back) = self.log.as_slices();
        // The two halves are in order, so the wanted ones begin in one of them and are handed out from there.
        let start = front.partition_point(|event| event.revision < from);
        let part = match front.get(start..) {
            Some(part) if !part.is_empty() => part,
            _ => back.get(back.partition_point(|event| event.revision < from)..).unwrap_or_default(),
        };
        let Some(last) = part.get(..most).and_then(|taken| taken.last()) else { return Ok(part) };
        let whole = part.partition_point(|event| event.revision <= last.revision);
        Ok(part.get(..whole).unwrap_or(part))
    }

    /// Takes an event into the past; the newest one so far. The place is the one it has in its transaction.
    pub(crate) fn record(&mut self, event: Event, place: u32) {
        let (entry, key) = match &event.kind {
            EventKind::Put(entry) => (Some(entry.clone()), entry.key.clone()),
            EventKind::Delete(key) => (None, key.clone()),
        };
        match (&event.previous, &entry) {
            (None, Some(_)) => self.live += 1,
            (Some(_), None) => self.live = self.live.saturating_sub(1),
            _ => {}
        }
        self.keys
            .entry(key)
            .or_default()
            .push(Version { since: Position { revision: event.revision, place }, entry });
        self.newest = self.newest.max(event.revision);
        self.log.push_back(event);
    }

    /// Forgets everything before a revision, from now on. The memory comes back with [`History::trim`].
    pub(crate) fn compact(&mut self, before: Revision) -> Result<(), StoreError> {
        if before > self.newest {
            return Err(StoreError::Future { newest: self.newest });
        }
        if before < self.oldest {
            return Err(StoreError::Compacted { oldest: self.oldest });
        }
        self.oldest = before;
        Ok(())
    }

    /// A version from before the oldest revision, which no event is left of. Such versions come first.
    pub(crate) fn restore(&mut self, entry: Entry, place: u32) {
        self.newest = self.newest.max(entry.modified);
        self.live += 1;
        let since = Position { revision: entry.modified, place };
        self.keys.entry(entry.key.clone()).or_default().push(Version { since, entry: Some(entry) });
    }

    /// Sets the marks that the past had when it was kept.
    pub(crate) fn set_marks(&mut self, oldest: Revision, newest: Revision) {
        self.oldest = oldest;
        self.newest = self.newest.max(newest);
    }

    /// Drops a part of what is forgotten: at most so many events and the versions that they superseded. Gives where
    /// those stood; whether something is left to do tells [`History::is_trimmed`].
    pub(crate) fn trim(&mut self, most: usize) -> Vec<Position> {
        let count = self.log.partition_point(|event| event.revision < self.oldest).min(most);
        let events: Vec<Event> = self.log.drain(..count).collect();
        let mut dropped = Vec::new();
        for event in &events {
            let Some(versions) = self.keys.get_mut(event.key()) else { continue };
            // What was seen at the oldest readable revision stays; a removal seen then is as good as nothing.
            let seen = versions.partition_point(|version| version.since.revision <= self.oldest);
            let gone = versions.get(seen.wrapping_sub(1)).is_some_and(|version| version.entry.is_none());
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
}

/// What was there at a revision.
fn seen(versions: &Versions, at: Revision) -> Option<&Entry> {
    let after = versions.partition_point(|version| version.since.revision <= at);
    versions.get(after.checked_sub(1)?)?.entry.as_ref()
}
