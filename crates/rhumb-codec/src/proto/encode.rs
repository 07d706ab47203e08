//! Described values as protobuf, written from the end to the front.
//!
//! A message stands behind its length, and the length is only known once the message is written. Writing backwards
//! gives both in one pass without measuring first.

use rhumb_schema::{ELEMENT, Leaf, List, Map, Sink, Slot, Struct, Value, wire};

/// Buffers that are filled from the last to the first, and each towards its front. A full one is left as it is, so
/// that nothing is copied before all is there.
pub(crate) struct BackWriter {
    buffer: Vec<u8>,
    start: usize,
    /// The buffers behind this one, the last one first, and where in them something begins to be written.
    full: Vec<(Vec<u8>, usize)>,
    /// How much is written in those.
    full_len: usize,
    scratch: Vec<u8>,
    /// The field number of the map whose entries are coming.
    map_number: u32,
    unsupported: bool,
    /// Whether the object is of a retired kind.
    retired: bool,
}

/// How large the buffers are that follow the first one: as large as what is written, within these bounds.
const SMALLEST_BUFFER: usize = 1 << 12;
const LARGEST_BUFFER: usize = 1 << 20;

impl BackWriter {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        BackWriter {
            buffer: vec![0; capacity],
            start: capacity,
            full: Vec::new(),
            full_len: 0,
            scratch: Vec::new(),
            map_number: 0,
            unsupported: false,
            retired: false,
        }
    }

    /// How much is written.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.full_len + self.buffer.len() - self.start
    }

    /// Whether something was met that has no protobuf form.
    pub(crate) fn is_unsupported(&self) -> bool {
        self.unsupported
    }

    /// Appends what is written.
    pub(crate) fn copy_to(&self, out: &mut Vec<u8>) {
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
        self.buffer.as_mut_slice().get_mut(self.start..end).unwrap_or_default()
    }

    #[cold]
    fn grow(&mut self, count: usize) {
        self.full_len = self.len();
        let capacity = self.full_len.clamp(SMALLEST_BUFFER, LARGEST_BUFFER).max(count);
        let full = std::mem::replace(&mut self.buffer, vec![0; capacity]);
        self.full.push((full, self.start));
        self.start = capacity;
    }

    #[inline]
    pub(crate) fn bytes_raw(&mut self, bytes: &[u8]) {
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
        for slot in self.room(wire::varint_len(value)) {
            *slot = if value < 0x80 { value as u8 } else { value as u8 | 0x80 };
            value >>= 7;
        }
    }

    /// A field's tag and the number behind it, which is its value or its length.
    #[inline]
    fn head(&mut self, number: u32, wire_type: u8, value: u64) {
        if number < 16
            && value < 0x80
            && let [tag, slot] = self.room(2)
        {
            *tag = (number as u8) << 3 | wire_type;
            *slot = value as u8;
            return;
        }
        self.varint(value);
        self.tag(number, wire_type);
    }

    #[inline]
    fn tag(&mut self, number: u32, wire_type: u8) {
        self.varint(u64::from(number) << 3 | u64::from(wire_type));
    }

    /// The length of what was written since there were so many bytes, and the tag of the field that it is.
    #[inline]
    pub(crate) fn delimit(&mut self, number: u32, before: usize) {
        self.head(number, 2, (self.len() - before) as u64);
    }

    #[inline]
    pub(crate) fn bytes_field(&mut self, number: u32, bytes: &[u8]) {
        // Most fields have a number below 16 and are short: two bytes and then the content, in one piece.
        if number < 16
            && bytes.len() < 0x80
            && let Some(start) = self.start.checked_sub(bytes.len() + 2)
            && let Some([tag, size, space @ ..]) = self.buffer.get_mut(start..self.start)
        {
            *tag = (number as u8) << 3 | 2;
            *size = bytes.len() as u8;
            copy_short(bytes, space);
            self.start = start;
            return;
        }
        self.long_field(number, bytes);
    }

    #[inline(never)]
    fn long_field(&mut self, number: u32, bytes: &[u8]) {
        self.bytes_raw(bytes);
        self.head(number, 2, bytes.len() as u64);
    }

    /// A whole value, which must be a struct.
    pub(crate) fn root(&mut self, value: &dyn Value) {
        match value.view() {
            // A type without a single numbered field is for JSON alone.
            rhumb_schema::View::Struct(value) if !value.desc().by_number.is_empty() => {
                self.retired = value.desc().retired;
                value.send_numbered(self)
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

impl Sink for BackWriter {
    fn null(&mut self, _slot: Slot) {}

    fn bool(&mut self, slot: Slot, value: bool) {
        self.head(slot.number, 0, u64::from(value));
    }

    fn int(&mut self, slot: Slot, value: i64) {
        self.head(slot.number, 0, value as u64);
    }

    fn double(&mut self, slot: Slot, value: f64) {
        self.bytes_raw(&value.to_bits().to_le_bytes());
        self.tag(slot.number, 1);
    }

    fn str(&mut self, slot: Slot, value: &str) {
        if slot.exists(self.retired) {
            self.bytes_field(slot.number, value.as_bytes());
        }
    }

    fn bytes(&mut self, slot: Slot, value: &[u8]) {
        // Bytes that are not there are not written; those in lists and maps always are.
        if !value.is_empty() || std::ptr::eq(slot, &ELEMENT) || !slot.is_bytes() {
            self.bytes_field(slot.number, value);
        }
    }

    fn structure(&mut self, slot: Slot, value: &dyn Struct) {
        let before = self.len();
        value.send_numbered(self);
        self.delimit(slot.number, before);
    }

    fn list(&mut self, slot: Slot, value: &dyn List) {
        value.send_elements_back(slot, self);
    }

    fn map(&mut self, slot: Slot, value: &dyn Map) {
        let outer = std::mem::replace(&mut self.map_number, slot.number);
        value.send_entries_back(self);
        self.map_number = outer;
    }

    fn entry(&mut self, key: &str, value: &dyn Value) {
        let before = self.len();
        let number = self.map_number;
        // An entry is a message of a key, 1, and a value, 2, which is the number that `ELEMENT` has.
        value.send(&ELEMENT, self);
        self.bytes_field(1, key.as_bytes());
        self.delimit(number, before);
    }

    fn leaf(&mut self, slot: Slot, value: &dyn Leaf) {
        let mut body = std::mem::take(&mut self.scratch);
        body.clear();
        value.write_proto(&mut body);
        self.bytes_field(slot.number, &body);
        self.scratch = body;
    }

    fn json(&mut self, _slot: Slot, _value: &serde_json::Value) {
        self.unsupported = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
