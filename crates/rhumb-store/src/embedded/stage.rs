//! Transactions that are decided but not kept yet.
//!
//! A batch of transactions is decided one after the other, each on what the ones before it will leave behind, and then
//! kept with a single sync of the disk. Until then nobody sees any of it.

use std::collections::HashMap;

use crate::entry::{Entry, Key};
use crate::event::{Event, EventKind};
use crate::history::History;
use crate::revision::Revision;
use crate::transaction::{Change, Committed, Outcome, Transaction};

/// The transactions of a batch.
pub(super) struct Stage<'a> {
    history: &'a History,
    newest: Revision,
    /// What the batch leaves behind: the entries of the keys it changed.
    after: HashMap<Key, Option<Entry>>,
    /// The events of the batch, in order.
    pub(super) events: Vec<(Event, u32)>,
}

impl<'a> Stage<'a> {
    /// An empty batch on top of what is kept.
    pub(super) fn on(history: &'a History) -> Self {
        Stage { history, newest: history.newest(), after: HashMap::new(), events: Vec::new() }
    }

    /// The revision that the batch ends with.
    pub(super) fn newest(&self) -> Revision {
        self.newest
    }

    /// What a key holds after the batch so far.
    pub(super) fn current(&self, key: &Key) -> Option<&Entry> {
        match self.after.get(key) {
            Some(entry) => entry.as_ref(),
            None => self.history.current(key),
        }
    }

    /// Decides a transaction.
    pub(super) fn decide(&mut self, transaction: Transaction) -> Outcome {
        let modified = |key| self.current(key).map(|entry| entry.modified);
        if !transaction.conditions.iter().all(|wanted| wanted.expected.holds(modified(&wanted.key))) {
            let found = transaction.conditions.iter().map(|wanted| self.current(&wanted.key).cloned());
            return Outcome::Refused { revision: self.newest, found: found.collect() };
        }
        let revision = self.newest.next();
        let before = self.events.len();
        let mut entries = Vec::with_capacity(transaction.changes.len());
        for change in transaction.changes {
            entries.push(self.change(revision, change, before));
        }
        if self.events.len() > before {
            self.newest = revision;
        }
        Outcome::Committed(Committed { revision: self.newest, entries })
    }

    fn change(&mut self, revision: Revision, change: Change, first: usize) -> Option<Entry> {
        let previous = self.current(change.key()).cloned();
        let (kind, left, after) = match change {
            Change::Put { key, value, lease } => {
                let (created, version) = previous
                    .as_ref()
                    .map_or((revision, 1), |previous| (previous.created, previous.version.saturating_add(1)));
                let entry = Entry { key, value, created, modified: revision, version, lease };
                (EventKind::Put(entry.clone()), Some(entry.clone()), Some(entry))
            }
            // Removing what is not there is no change.
            Change::Delete { key } => {
                previous.as_ref()?;
                (EventKind::Delete(key), previous.clone(), None)
            }
        };
        let event = Event { revision, kind, previous };
        self.after.insert(event.key().clone(), after);
        let place = u32::try_from(self.events.len() - first).unwrap_or(u32::MAX);
        self.events.push((event, place));
        left
    }
}
