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

#[cfg(test)]
mod tests {
    use super::*;

    fn put() -> (Position, EventKind) {
        let entry = Entry {
            key: Bytes::from_static(b"/a"),
            value: Bytes::from_static(b"value"),
            created: Revision(3),
            modified: Revision(258),
            version: 4,
            lease: NonZeroU64::new(5).map(LeaseId),
        };
        (Position { revision: Revision(258), place: 7 }, EventKind::Put(entry))
    }

    #[test]
    fn the_format_stays_as_it_is() {
        let (position, kind) = put();
        let mut record = Vec::new();
        let key = write(position, &kind, &mut record);
        assert_eq!(key, [0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 7]);
        let mut expected =
            vec![1, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0];
        expected.extend_from_slice(b"/avalue");
        assert_eq!(record[4..], expected);
        let mut summed = key.to_vec();
        summed.extend_from_slice(&expected);
        assert_eq!(record[..4], crc32fast::hash(&summed).to_le_bytes());
    }

    #[test]
    fn records_come_back_and_damaged_ones_do_not() {
        let removal =
            (Position { revision: Revision(9), place: 0 }, EventKind::Delete(Bytes::from_static(b"/b")));
        for (position, kind) in [put(), removal] {
            let mut record = Vec::new();
            let key = write(position, &kind, &mut record);
            assert_eq!(read(&key, &record), Some((position, kind)));
            for bit in 0..(key.len() + record.len()) * 8 {
                let (mut key, mut record) = (key, record.clone());
                match bit / 8 {
                    byte if byte < key.len() => key[byte] ^= 1 << (bit % 8),
                    byte => record[byte - key.len()] ^= 1 << (bit % 8),
                }
                assert_eq!(read(&key, &record), None, "bit {bit}");
            }
            for end in 0..record.len() {
                assert_eq!(read(&key, &record[..end]), None);
            }
        }
    }
}
