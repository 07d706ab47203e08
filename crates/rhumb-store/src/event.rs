//! What a watcher sees.

use crate::entry::{Entry, Key};
use crate::revision::Revision;

/// A change of one key. The events of one transaction have one revision, and come in the order of its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When it happened.
    pub revision: Revision,
    /// What happened.
    pub kind: EventKind,
    /// What the key held before, if it was there. Absent too if that was compacted away meanwhile.
    pub previous: Option<Entry>,
}

/// What happened to a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// It was written; this is what it holds now.
    Put(Entry),
    /// It was removed.
    Delete(Key),
}

impl Event {
    /// The key that changed.
    pub fn key(&self) -> &Key {
        match &self.kind {
            EventKind::Put(entry) => &entry.key,
            EventKind::Delete(key) => key,
        }
    }
}
