//! What one turn of the writer keeps, and how that is written in the journal.
//!
//! ```text
//! newest u64 | oldest u64 | last lease u64
//! count u32 | (lease u64 | milliseconds u64)...     leases that were granted
//! count u32 | lease u64...                          leases that ended
//! count u32 | position 12 bytes...                  versions that are no longer needed
//! (position 12 bytes | length u32 | record)...      events, as they will lie in the tables
//! ```
//! Numbers are little-endian, positions big-endian as everywhere.

use std::time::Duration;

use super::record;
use crate::event::Event;
use crate::history::{History, Position};
use crate::revision::Revision;
use crate::transaction::LeaseId;

/// Everything that one turn keeps: all of it, or nothing.
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

impl Batch {
    /// Appends the batch to a buffer. `record` is a buffer to work with.
    pub(super) fn write(&self, record: &mut Vec<u8>, out: &mut Vec<u8>) {
        for number in [self.newest.0, self.oldest.0, self.last_lease] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        put_length(self.granted.len(), out);
        for (lease, time) in &self.granted {
            out.extend_from_slice(&lease.0.get().to_le_bytes());
            out.extend_from_slice(&milliseconds(*time).to_le_bytes());
        }
        put_length(self.ended.len(), out);
        for lease in &self.ended {
            out.extend_from_slice(&lease.0.get().to_le_bytes());
        }
        put_length(self.dropped.len(), out);
        for position in &self.dropped {
            out.extend_from_slice(&record::place(*position));
        }
        for (event, place) in &self.events {
            let position = Position { revision: event.revision, place: *place };
            out.extend_from_slice(&record::write(position, &event.kind, record));
            put_length(record.len(), out);
            out.extend_from_slice(record);
        }
    }
}

/// The time of a lease as it is kept.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn put_length(length: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

/// A batch that was read back: the same, with its records as they were written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Written<'a> {
    pub(super) newest: Revision,
    pub(super) oldest: Revision,
    pub(super) last_lease: u64,
    pub(super) granted: Vec<(u64, u64)>,
    pub(super) ended: Vec<u64>,
    pub(super) dropped: Vec<&'a [u8; 12]>,
    pub(super) records: Vec<(&'a [u8; 12], &'a [u8])>,
}

impl<'a> Written<'a> {
    /// Reads what [`Batch::write`] wrote; `None` if it is something else.
    pub(super) fn read(mut from: &'a [u8]) -> Option<Self> {
        let from = &mut from;
        let [newest, oldest, last_lease] = [number(from)?, number(from)?, number(from)?];
        let (newest, oldest) = (Revision(newest), Revision(oldest));
        let mut written = Written { newest, oldest, last_lease, ..Written::default() };
        for _ in 0..length(from)? {
            written.granted.push((number(from)?, number(from)?));
        }
        for _ in 0..length(from)? {
            written.ended.push(number(from)?);
        }
        for _ in 0..length(from)? {
            written.dropped.push(chunk(from)?);
        }
        while !from.is_empty() {
            let place = chunk(from)?;
            let record = length(from)?;
            written.records.push((place, from.split_off(..record)?));
        }
        Some(written)
    }
}

fn chunk<'a, const N: usize>(from: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (chunk, rest) = from.split_first_chunk::<N>()?;
    *from = rest;
    Some(chunk)
}

fn number(from: &mut &[u8]) -> Option<u64> {
    chunk(from).map(|number| u64::from_le_bytes(*number))
}

fn length(from: &mut &[u8]) -> Option<usize> {
    chunk(from).and_then(|length| usize::try_from(u32::from_le_bytes(*length)).ok())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use bytes::Bytes;

    use super::*;
    use crate::event::EventKind;

    #[test]
    fn batches_come_back_and_parts_of_them_do_not() {
        let lease = |number| LeaseId(NonZeroU64::new(number).unwrap());
        let position = Position { revision: Revision(4), place: 2 };
        let kind = EventKind::Delete(Bytes::from_static(b"/a"));
        let batch = Batch {
            events: vec![(Event { revision: Revision(9), kind: kind.clone(), previous: None }, 1)],
            newest: Revision(9),
            oldest: Revision(3),
            dropped: vec![position],
            granted: vec![(lease(7), Duration::from_millis(5))],
            ended: vec![lease(6)],
            last_lease: 7,
        };
        let (mut record, mut written) = (Vec::new(), Vec::new());
        batch.write(&mut record, &mut written);
        let read = Written::read(&written).unwrap();
        assert_eq!((read.newest, read.oldest, read.last_lease), (Revision(9), Revision(3), 7));
        assert_eq!((&read.granted[..], &read.ended[..]), (&[(7, 5)][..], &[6][..]));
        assert_eq!(read.dropped, [&record::place(position)]);
        let (place, bytes) = read.records[0];
        let expected = (Position { revision: Revision(9), place: 1 }, kind);
        assert_eq!(record::read(place, bytes), Some(expected));
        // Where the records begin, none at all would be a batch too.
        let head = written.len() - record.len() - 16;
        for end in (0..written.len()).filter(|end| *end != head) {
            assert_eq!(Written::read(&written[..end]), None, "{end}");
        }
    }
}
