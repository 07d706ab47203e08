//! Protobuf messages written from end to front.
//!
//! A message stands behind its length, and the length is only known once the message is written. Writing backwards
//! gives both in one pass without measuring first.
//!
//! Values write themselves ([`Value::write_wire`]) in calls that the compiler sees through: a field's number is known
//! where the field is, so its tag costs nothing, and what is short is copied without a call.

use super::varint_len;
use crate::leaf::Leaf;
use crate::value::{Value, View};

/// Buffers filled from last to first, each from its end. Full buffers stay as they are, so that nothing is copied
/// before the end.
pub struct BackWriter {
    buffer: Box<[u8]>,
    /// Start of an element in the current buffer.
    start: usize,
    /// Number of bytes written in all buffers plus the free room of the current one.
    end: usize,
    /// The buffers behind this one, the last one first, and where in them something begins to be written.
    full: Vec<(Box<[u8]>, usize)>,
    scratch: Vec<u8>,
    unsupported: bool,
    /// Whether the object is of a retired kind.
    retired: bool,
}

/// Minimum size of further buffers, which grow with the output up to a limit.
const SMALLEST_BUFFER: usize = 1 << 12;
const LARGEST_BUFFER: usize = 1 << 20;

impl BackWriter {
    /// Creates a writer that first has room for so many bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        BackWriter {
            buffer: vec![0; capacity].into_boxed_slice(),
            start: capacity,
            end: capacity,
            full: Vec::new(),
            scratch: Vec::new(),
            unsupported: false,
            retired: false,
        }
    }

    /// Returns the number of bytes written.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "it is asked for differences only")]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Reports whether something was met that has no protobuf form.
    pub fn is_unsupported(&self) -> bool {
        self.unsupported
    }

    /// Notes that something has no protobuf form.
    #[cold]
    pub fn unsupported(&mut self) {
        self.unsupported = true;
    }

    /// Reports whether the object is of a retired kind, which decides about the fields that it has.
    #[inline]
    pub fn is_retired(&self) -> bool {
        self.retired
    }

    /// Appends what is written.
    pub fn copy_to(&self, out: &mut Vec<u8>) {
        out.reserve(self.len());
        out.extend_from_slice(self.buffer.get(self.start..).unwrap_or_default());
        for (buffer, start) in self.full.iter().rev() {
            out.extend_from_slice(buffer.get(*start..).unwrap_or_default());
        }
    }

    /// Makes room for so many more bytes at the front.
    #[inline]
    fn room(&mut self, count: usize) -> &mut [u8] {
        if self.start < count {
            self.grow(count);
        }
        let end = self.start;
        self.start -= count;
        self.buffer.get_mut(self.start..end).unwrap_or_default()
    }

    #[cold]
    fn grow(&mut self, count: usize) {
        let written = self.len();
        let capacity = written.clamp(SMALLEST_BUFFER, LARGEST_BUFFER).max(count);
        let full = std::mem::replace(&mut self.buffer, vec![0; capacity].into_boxed_slice());
        self.full.push((full, self.start));
        self.start = capacity;
        self.end = written + capacity;
    }

    /// Writes bytes as they are.
    #[inline]
    pub fn bytes_raw(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).copy_from_slice(bytes);
    }

    #[inline]
    fn varint(&mut self, mut value: u64) {
        if value < 0x80 {
            if let [slot] = self.room(1) {
                *slot = value as u8;
            }
            return;
        }
        if value < 1 << 14 {
            if let [low, high] = self.room(2) {
                *low = value as u8 | 0x80;
                *high = (value >> 7) as u8;
            }
            return;
        }
        for slot in self.room(varint_len(value)) {
            *slot = if value < 0x80 { value as u8 } else { value as u8 | 0x80 };
            value >>= 7;
        }
    }

    /// Writes a field's tag and the number after it: its value or its length.
    #[inline]
    fn head(&mut self, number: u32, wire_type: u8, value: u64) {
        if value < 0x80 {
            let tag = number << 3 | u32::from(wire_type);
            if number < 16
                && let [first, slot] = self.room(2)
            {
                *first = tag as u8;
                *slot = value as u8;
                return;
            }
            if number < 1 << 11
                && let [first, second, slot] = self.room(3)
            {
                *first = tag as u8 | 0x80;
                *second = (tag >> 7) as u8;
                *slot = value as u8;
                return;
            }
        }
        self.long_head(number, wire_type, value);
    }

    #[inline(never)]
    fn long_head(&mut self, number: u32, wire_type: u8, value: u64) {
        self.varint(value);
        self.tag(number, wire_type);
    }

    #[inline]
    fn tag(&mut self, number: u32, wire_type: u8) {
        self.varint(u64::from(number) << 3 | u64::from(wire_type));
    }

    /// Writes a varint field.
    #[inline]
    pub fn varint_field(&mut self, number: u32, value: u64) {
        self.head(number, 0, value);
    }

    /// Writes a float field.
    pub fn double_field(&mut self, number: u32, value: f64) {
        self.bytes_raw(&value.to_bits().to_le_bytes());
        self.tag(number, 1);
    }

    /// Writes the length of what was written since an earlier size, and the field's tag.
    #[inline]
    pub fn delimit(&mut self, number: u32, before: usize) {
        self.head(number, 2, (self.len() - before) as u64);
    }

    /// Writes a bytes or string field.
    #[inline]
    pub fn bytes_field(&mut self, number: u32, bytes: &[u8]) {
        // Most fields have a number below 16 and are short: two bytes and then the content, in one piece.
        if number < 16 {
            self.short_field((number as u8) << 3 | 2, bytes);
        } else {
            self.long_field(number, bytes);
        }
    }

    fn short_field(&mut self, tag: u8, bytes: &[u8]) {
        if bytes.len() < 0x80
            && let Some(start) = self.start.checked_sub(bytes.len() + 2)
            && let Some([first, size, space @ ..]) = self.buffer.get_mut(start..self.start)
        {
            *first = tag;
            *size = bytes.len() as u8;
            copy_short(bytes, space);
            self.start = start;
            return;
        }
        self.long_field(u32::from(tag >> 3), bytes);
    }

    #[inline(never)]
    fn long_field(&mut self, number: u32, bytes: &[u8]) {
        self.bytes_raw(bytes);
        self.head(number, 2, bytes.len() as u64);
    }

    /// Writes a leaf as a message.
    pub fn leaf_field(&mut self, number: u32, value: &impl Leaf) {
        let before = self.len();
        value.write_proto(self);
        self.delimit(number, before);
    }

    /// Writes a bytes or string field that a function appends forwards.
    pub fn made_field(&mut self, number: u32, make: impl FnOnce(&mut Vec<u8>)) {
        let mut made = std::mem::take(&mut self.scratch);
        made.clear();
        make(&mut made);
        self.bytes_field(number, &made);
        self.scratch = made;
    }

    /// Writes a root value, which must be a struct.
    pub fn root(&mut self, value: &dyn Value) {
        match value.view() {
            View::Struct(value) if value.desc().has_numbers() => {
                self.retired = value.desc().retired;
                value.write_numbered(self)
            }
            _ => self.unsupported = true,
        }
    }
}

/// Copies bytes into a space of their length. Most texts are short: two overlapping pieces take less time than a call.
#[inline(always)]
fn copy_short(bytes: &[u8], space: &mut [u8]) {
    fn ends<const N: usize>(bytes: &[u8], space: &mut [u8]) {
        if let (Some(first), Some(first_space)) = (bytes.first_chunk::<N>(), space.first_chunk_mut::<N>()) {
            *first_space = *first;
        }
        if let (Some(last), Some(last_space)) = (bytes.last_chunk::<N>(), space.last_chunk_mut::<N>()) {
            *last_space = *last;
        }
    }
    match bytes.len() {
        8..=16 => ends::<8>(bytes, space),
        17..=32 => ends::<16>(bytes, space),
        4..8 => ends::<4>(bytes, space),
        _ => space.copy_from_slice(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire;

    /// Fields of every length around those where something changes, over the ends of many buffers.
    #[test]
    fn what_is_written_backwards_reads_forwards() {
        let text: Vec<u8> = (0..20_000u32).map(|at| (at % 251) as u8).collect();
        let lengths = (0..300).chain([4_090, 4_094, 4_095, 4_096, 5_000, 16_383, 16_384, 20_000]);
        let fields: Vec<(u32, &[u8])> = lengths
            .flat_map(|length| [1, 15, 16, 2_047, 2_048].map(|number| (number, &text[..length])))
            .collect();
        for first_buffer in [0, 1, 64, 4_096] {
            let mut writer = BackWriter::with_capacity(first_buffer);
            for (number, bytes) in fields.iter().rev() {
                writer.bytes_field(*number, bytes);
            }
            let mut expected = Vec::new();
            fields.iter().for_each(|(number, bytes)| wire::put_bytes_field(*number, bytes, &mut expected));
            let mut out = b"before".to_vec();
            writer.copy_to(&mut out);
            assert_eq!(writer.len(), expected.len());
            assert!(out == [b"before", expected.as_slice()].concat(), "first buffer {first_buffer}");
        }
    }

    #[test]
    fn numbers_of_every_size_are_written() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1 << shift) - 1, u64::MAX >> shift] {
                for number in [1, 15, 16, 2_047, 2_048] {
                    let mut writer = BackWriter::with_capacity(0);
                    writer.head(number, 0, value);
                    let (mut out, mut expected) = (Vec::new(), Vec::new());
                    writer.copy_to(&mut out);
                    wire::put_varint_field(number, value, &mut expected);
                    assert_eq!(out, expected, "{number}: {value}");
                }
            }
        }
    }
}
