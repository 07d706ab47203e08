//! What keeps events on the disk.

use std::time::Duration;

use crate::entry::Entry;
use crate::error::StoreError;
use crate::event::Event;
use crate::history::{History, Position};
use crate::revision::Revision;
use crate::transaction::LeaseId;

/// Everything that one commit keeps.
#[derive(Debug, Default)]
pub(super) struct Batch<'a> {
    /// New events with their places, in order.
    pub(super) events: &'a [(Event, u32)],
    /// The newest revision after them.
    pub(super) newest: Revision,
    /// The oldest readable revision.
    pub(super) oldest: Revision,
    /// Versions that are no longer needed.
    pub(super) dropped: &'a [Position],
    /// Leases that were granted.
    pub(super) granted: &'a [(LeaseId, Duration)],
    /// Leases that ended.
    pub(super) ended: &'a [LeaseId],
}

/// What is read back at the start.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) history: History,
    pub(super) leases: Vec<(LeaseId, Duration)>,
}

/// A place that keeps batches. One that fails once is not used again.
pub(super) trait Journal: Send {
    /// Keeps a batch: all of it, or none. When it returns, the batch survives a loss of power.
    fn keep(&mut self, batch: &Batch<'_>) -> Result<(), StoreError>;
}

/// Keeps nothing.
pub(super) struct Nowhere;

impl Journal for Nowhere {
    fn keep(&mut self, _: &Batch<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

/// How an entry and its event lie on the disk. Numbers are in little-endian order.
///
/// ```text
/// checksum u32 | 1 | created u64 | version u64 | lease u64 | key length u32 | key | value     a put
/// checksum u32 | 0 | key                                                                       a removal
/// ```
pub(super) mod record {
    use std::num::NonZeroU64;

    use bytes::Bytes;

    use super::{Entry, Event, LeaseId, Revision};
    use crate::event::EventKind;
    use crate::entry::Key;

    /// What a record says.
    pub(in crate::embedded) enum Record {
        /// The key was written.
        Put(Entry),
        /// The key was removed.
        Removed(Key),
    }

    /// Appends a record.
    pub(in crate::embedded) fn write(event: &Event, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        match &event.kind {
            EventKind::Put(entry) => {
                out.push(1);
                out.extend_from_slice(&entry.created.0.to_le_bytes());
                out.extend_from_slice(&entry.version.to_le_bytes());
                out.extend_from_slice(&entry.lease.map_or(0, |lease| lease.0.get()).to_le_bytes());
                out.extend_from_slice(&u32::try_from(entry.key.len()).unwrap_or(u32::MAX).to_le_bytes());
                out.extend_from_slice(&entry.key);
                out.extend_from_slice(&entry.value);
            }
            EventKind::Delete(key) => {
                out.push(0);
                out.extend_from_slice(key);
            }
        }
        let checksum = crc32fast::hash(out.get(start + 4..).unwrap_or_default());
        if let Some(slot) = out.get_mut(start..start + 4) {
            slot.copy_from_slice(&checksum.to_le_bytes());
        }
    }

    /// Reads a record of an event at a revision; `None` if it is not what was written.
    pub(in crate::embedded) fn read(bytes: &[u8], modified: Revision) -> Option<Record> {
        let (checksum, body) = bytes.split_first_chunk::<4>()?;
        if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let (kind, rest) = body.split_first()?;
        if *kind == 0 {
            return Some(Record::Removed(Bytes::copy_from_slice(rest)));
        }
        let (created, rest) = rest.split_first_chunk::<8>()?;
        let (version, rest) = rest.split_first_chunk::<8>()?;
        let (lease, rest) = rest.split_first_chunk::<8>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        // One allocation for both: a key lives as long as its value does.
        let both = Bytes::copy_from_slice(rest);
        if length > both.len() {
            return None;
        }
        Some(Record::Put(Entry {
            key: both.slice(..length),
            value: both.slice(length..),
            created: Revision(u64::from_le_bytes(*created)),
            modified,
            version: u64::from_le_bytes(*version),
            lease: NonZeroU64::new(u64::from_le_bytes(*lease)).map(LeaseId),
        }))
    }
}
