//! What keeps events: one commit for a whole batch.

use std::time::Duration;

use super::disk::Disk;
use crate::error::StoreError;
use crate::event::Event;
use crate::history::{History, Position};
use crate::revision::Revision;
use crate::transaction::LeaseId;

/// Everything that one commit keeps.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// New events with their places, in order.
    pub(super) events: Vec<(Event, u32)>,
    /// The newest revision after them.
    pub(super) newest: Revision,
    /// The oldest readable revision.
    pub(super) oldest: Revision,
    /// Versions that are no longer needed.
    pub(super) dropped: Vec<Position>,
    /// Leases that were granted.
    pub(super) granted: Vec<(LeaseId, Duration)>,
    /// Leases that ended.
    pub(super) ended: Vec<LeaseId>,
    /// The last lease that was ever granted.
    pub(super) last_lease: u64,
}

/// What is read back at the start.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) history: History,
    pub(super) last_lease: u64,
    /// What was forgotten but not dropped from the disk yet.
    pub(super) droppable: Vec<Position>,
}

/// The revision of a store in which nothing was ever written. As in etcd it is 1, because an API server gives 0 a
/// meaning of its own.
pub(super) const FIRST: Revision = Revision(1);

impl Kept {
    /// Nothing yet.
    pub(super) fn nothing() -> Self {
        Kept { history: History::between(Revision::ZERO, FIRST), ..Kept::default() }
    }
}

/// A place that keeps batches. One that fails once is not used again.
pub(super) enum Journal {
    /// Keeps nothing.
    Nowhere,
    /// Keeps batches on a disk.
    Disk(Disk),
}

impl Journal {
    /// Whether keeping a batch takes a sync of a disk.
    pub(super) fn syncs(&self) -> bool {
        matches!(self, Journal::Disk(_))
    }

    /// Keeps a batch: all of it, or none. When it returns, the batch survives a loss of power.
    pub(super) fn keep(&mut self, batch: &Batch) -> Result<(), StoreError> {
        match self {
            Journal::Nowhere => Ok(()),
            Journal::Disk(disk) => disk.keep(batch),
        }
    }

    /// Ends in order.
    pub(super) fn close(self, newest: Revision) -> Result<(), StoreError> {
        match self {
            Journal::Nowhere => Ok(()),
            Journal::Disk(disk) => disk.close(newest),
        }
    }
}
