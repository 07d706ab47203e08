//! How events lie on the disk.
//!
//! A record stands under its position. Numbers are little-endian; the checksum is over the position and all that
//! follows.
//!
//! ```text
//! checksum u32 | 1 | created u64 | version u64 | lease u64 | key length u32 | key | value     a put
//! checksum u32 | 0 | key                                                                       a removal
//! ```

use std::num::NonZeroU64;

use bytes::Bytes;

use crate::entry::Entry;
use crate::event::EventKind;
use crate::history::Position;
use crate::revision::Revision;
use crate::transaction::LeaseId;

/// A position as the key of a record. Big-endian, so that the order of bytes is the order of events.
pub(super) fn place(position: Position) -> [u8; 12] {
    let mut key = [0; 12];
    let (revision, place) = key.split_at_mut(8);
    revision.copy_from_slice(&position.revision.0.to_be_bytes());
    place.copy_from_slice(&position.place.to_be_bytes());
    key
}

/// The position that a key says.
pub(super) fn position(key: &[u8]) -> Option<Position> {
    let (revision, place) = key.split_first_chunk::<8>()?;
    let place = <[u8; 4]>::try_from(place).ok()?;
    Some(Position { revision: Revision(u64::from_be_bytes(*revision)), place: u32::from_be_bytes(place) })
}

fn checksum(key: &[u8; 12], body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(body);
    hasher.finalize()
}

/// Writes a record into a cleared buffer; gives its key.
pub(super) fn write(position: Position, kind: &EventKind, out: &mut Vec<u8>) -> [u8; 12] {
    let at = place(position);
    out.clear();
    out.extend_from_slice(&[0; 4]);
    match kind {
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
    if let Some((slot, body)) = out.split_first_chunk_mut::<4>() {
        *slot = checksum(&at, body).to_le_bytes();
    }
    at
}

/// The checksum that a record carries, for the sum over all records.
pub(super) fn sum(record: &[u8]) -> u64 {
    record.first_chunk::<4>().map_or(0, |checksum| u64::from(u32::from_le_bytes(*checksum)))
}

/// Reads a record; `None` if it is not what was written.
pub(super) fn read(key: &[u8], record: &[u8]) -> Option<(Position, EventKind)> {
    let position = position(key)?;
    let (expected, body) = record.split_first_chunk::<4>()?;
    if checksum(&place(position), body) != u32::from_le_bytes(*expected) {
        return None;
    }
    let (kind, rest) = body.split_first()?;
    if *kind == 0 {
        return Some((position, EventKind::Delete(Bytes::copy_from_slice(rest))));
    }
    let (created, rest) = rest.split_first_chunk::<8>()?;
    let (version, rest) = rest.split_first_chunk::<8>()?;
    let (lease, rest) = rest.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    if length > rest.len() {
        return None;
    }
    // One allocation for both: a key lives as long as its value does.
    let both = Bytes::copy_from_slice(rest);
    let entry = Entry {
        key: both.slice(..length),
        value: both.slice(length..),
        created: Revision(u64::from_le_bytes(*created)),
        modified: position.revision,
        version: u64::from_le_bytes(*version),
        lease: NonZeroU64::new(u64::from_le_bytes(*lease)).map(LeaseId),
    };
    Some((position, EventKind::Put(entry)))
}
