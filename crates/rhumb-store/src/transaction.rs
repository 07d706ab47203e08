//! Several changes that happen together or not at all.

use std::num::NonZeroU64;

use bytes::Bytes;

use crate::entry::{Entry, Key};
use crate::revision::Revision;

/// A lease: keys that live by it vanish when it expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId(pub NonZeroU64);

/// What must hold of a key for a transaction to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The key is not there.
    Absent,
    /// The key was last changed at this revision.
    At(Revision),
}

impl Expected {
    /// Whether a key that was last changed then, or is not there, is as expected.
    pub fn holds(self, modified: Option<Revision>) -> bool {
        match self {
            Expected::Absent => modified.is_none(),
            Expected::At(revision) => modified == Some(revision),
        }
    }
}

/// A condition on one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The key.
    pub key: Key,
    /// What must hold.
    pub expected: Expected,
}

/// A change of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Writes the key.
    Put {
        /// The key.
        key: Key,
        /// Its new value.
        value: Bytes,
        /// The lease it is to live by from now on.
        lease: Option<LeaseId>,
    },
    /// Removes the key; nothing happens if it is not there.
    Delete {
        /// The key.
        key: Key,
    },
}

impl Change {
    /// The key that changes.
    pub fn key(&self) -> &Key {
        match self {
            Change::Put { key, .. } | Change::Delete { key } => key,
        }
    }
}

/// Conditions, and the changes that happen if all of them hold. No key is changed twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// What must hold.
    pub conditions: Vec<Condition>,
    /// What changes then.
    pub changes: Vec<Change>,
}

impl Transaction {
    /// Writes a key that must not be there yet.
    pub fn create(key: Key, value: Bytes) -> Self {
        Transaction::default().expect(key.clone(), Expected::Absent).put(key, value, None)
    }

    /// Writes a key that was last changed at a revision.
    pub fn update(key: Key, value: Bytes, last: Revision) -> Self {
        Transaction::default().expect(key.clone(), Expected::At(last)).put(key, value, None)
    }

    /// Removes a key that was last changed at a revision.
    pub fn delete(key: Key, last: Revision) -> Self {
        let mut transaction = Transaction::default().expect(key.clone(), Expected::At(last));
        transaction.changes.push(Change::Delete { key });
        transaction
    }

    /// Adds a condition.
    #[must_use]
    pub fn expect(mut self, key: Key, expected: Expected) -> Self {
        self.conditions.push(Condition { key, expected });
        self
    }

    /// Adds a write.
    #[must_use]
    pub fn put(mut self, key: Key, value: Bytes, lease: Option<LeaseId>) -> Self {
        self.changes.push(Change::Put { key, value, lease });
        self
    }

    /// How many bytes of keys and values it has.
    pub fn size(&self) -> usize {
        let conditions: usize = self.conditions.iter().map(|condition| condition.key.len()).sum();
        let change = |change: &Change| match change {
            Change::Put { key, value, .. } => key.len() + value.len(),
            Change::Delete { key } => key.len(),
        };
        conditions + self.changes.iter().map(change).sum::<usize>()
    }
}

/// What became of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It happened.
    Committed(Committed),
    /// A condition didn't hold, and nothing changed. The entries of all keys with a condition, as they are, in the
    /// order of the conditions.
    Refused {
        /// The revision at which it was looked.
        revision: Revision,
        /// What the keys hold.
        found: Vec<Option<Entry>>,
    },
}

/// A transaction that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// Its revision. One that changed nothing has the current one.
    pub revision: Revision,
    /// What each change left behind, in their order: the entry written, or the one removed.
    pub entries: Vec<Option<Entry>>,
}
