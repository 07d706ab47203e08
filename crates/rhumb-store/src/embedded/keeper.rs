//! What keeps batches, if anything does.

use super::batch::Batch;
use super::disk::Disk;
use crate::error::StoreError;
use crate::revision::Revision;

/// A place that keeps batches. One that fails once is not used again.
pub(super) enum Keeper {
    /// Keeps nothing.
    Nowhere,
    /// Keeps batches on a disk.
    Disk(Box<Disk>),
}

impl Keeper {
    /// Whether keeping a batch takes a sync of a disk.
    pub(super) fn syncs(&self) -> bool {
        matches!(self, Keeper::Disk(_))
    }

    /// Keeps a batch: all of it, or none. When it returns, the batch survives a loss of power.
    pub(super) fn keep(&mut self, batch: &Batch) -> Result<(), StoreError> {
        match self {
            Keeper::Nowhere => Ok(()),
            Keeper::Disk(disk) => disk.keep(batch),
        }
    }

    /// Ends, in order if keeping has not failed before.
    pub(super) fn close(self, newest: Revision, orderly: bool) -> Result<(), StoreError> {
        match self {
            Keeper::Nowhere => Ok(()),
            Keeper::Disk(disk) => disk.close(newest, orderly),
        }
    }
}
