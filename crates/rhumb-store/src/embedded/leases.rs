//! Leases, when they end, and what lives by them.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU64;
use std::time::Duration;

use crate::entry::Key;
use crate::event::{Event, EventKind};
use crate::history::History;
use crate::transaction::LeaseId;

struct Lease {
    ends: Duration,
    keys: BTreeSet<Key>,
}

/// All leases of a store.
#[derive(Default)]
pub(super) struct Leases {
    leases: HashMap<LeaseId, Lease>,
    ends: BTreeSet<(Duration, LeaseId)>,
}

impl Leases {
    /// The leases that were kept, with their full time from now on: how long the store was away is not known.
    pub(super) fn restart(history: &History, now: Duration) -> Self {
        let mut leases = Leases::default();
        for (lease, time) in history.leases() {
            leases.grant(*lease, now.saturating_add(*time));
        }
        for entry in history.leased() {
            if let Some(lease) = entry.lease.and_then(|lease| leases.leases.get_mut(&lease)) {
                lease.keys.insert(entry.key.clone());
            }
        }
        leases
    }

    /// Whether there is a lease.
    pub(super) fn has(&self, lease: LeaseId) -> bool {
        self.leases.contains_key(&lease)
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.leases.is_empty()
    }

    /// Adds a lease.
    pub(super) fn grant(&mut self, lease: LeaseId, ends: Duration) {
        self.ends.insert((ends, lease));
        self.leases.insert(lease, Lease { ends, keys: BTreeSet::new() });
    }

    /// Takes a lease away.
    pub(super) fn end(&mut self, lease: LeaseId) {
        if let Some(ended) = self.leases.remove(&lease) {
            self.ends.remove(&(ended.ends, lease));
        }
    }

    /// The leases whose time is over.
    pub(super) fn due(&self, now: Duration) -> Vec<LeaseId> {
        self.ends.iter().take_while(|(ends, _)| *ends <= now).map(|(_, lease)| *lease).collect()
    }

    /// The keys that live by a lease.
    pub(super) fn keys(&self, lease: LeaseId) -> impl Iterator<Item = &Key> {
        self.leases.get(&lease).into_iter().flat_map(|lease| &lease.keys)
    }

    /// Follows an event: a key lives by the lease it was last written with.
    pub(super) fn follow(&mut self, event: &Event) {
        if let Some(lease) = event.previous.as_ref().and_then(|previous| previous.lease)
            && let Some(lease) = self.leases.get_mut(&lease)
        {
            lease.keys.remove(event.key());
        }
        if let EventKind::Put(entry) = &event.kind
            && let Some(lease) = entry.lease.and_then(|lease| self.leases.get_mut(&lease))
        {
            lease.keys.insert(entry.key.clone());
        }
    }
}

/// The lease after the last one.
pub(super) fn after(last: u64) -> LeaseId {
    LeaseId(NonZeroU64::MIN.saturating_add(last))
}
