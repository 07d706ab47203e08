//! Described values as protobuf, written from the end to the front.
//!
//! A message stands behind its length, and the length is only known once the message is written. Writing backwards
//! gives both in one pass without measuring first.

use rhumb_schema::{ELEMENT, Leaf, List, Map, Sink, Slot, Struct, Value, wire};

/// A buffer that grows towards its front.
pub(crate) struct BackWriter {
    buffer: Vec<u8>,
    start: usize,
    scratch: Vec<u8>,
    /// The field number of the map whose entries are coming.
    map_number: u32,
    unsupported: bool,
    /// Whether the object is of a retired kind.
    retired: bool,
}

impl BackWriter {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        BackWriter {
            buffer: vec![0; capacity],
            start: capacity,
            scratch: Vec::new(),
            map_number: 0,
            unsupported: false,
            retired: false,
        }
    }

    /// How much is written.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Whether something was met that has no protobuf form.
    pub(crate) fn is_unsupported(&self) -> bool {
        self.unsupported
    }

    /// What is written.
    pub(crate) fn as_slice(&self) -> &[u8] {
        self.buffer.as_slice().get(self.start..).unwrap_or_default()
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
        let written = self.len();
        let capacity = (2 * self.buffer.len()).max(written + count).max(1024);
        let mut buffer = vec![0; capacity];
        let start = capacity - written;
        if let Some(space) = buffer.as_mut_slice().get_mut(start..) {
            space.copy_from_slice(self.as_slice());
        }
        self.buffer = buffer;
        self.start = start;
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
        for slot in self.room(wire::varint_len(value)) {
            *slot = if value < 0x80 { value as u8 } else { value as u8 | 0x80 };
            value >>= 7;
        }
    }

    #[inline]
    fn tag(&mut self, number: u32, wire_type: u64) {
        self.varint(u64::from(number) << 3 | wire_type);
    }

    /// The length of what was written since there were so many bytes, and the tag of the field that it is.
    #[inline]
    pub(crate) fn delimit(&mut self, number: u32, before: usize) {
        self.varint((self.len() - before) as u64);
        self.tag(number, 2);
    }

    #[inline]
    pub(crate) fn bytes_field(&mut self, number: u32, bytes: &[u8]) {
        self.bytes_raw(bytes);
        self.varint(bytes.len() as u64);
        self.tag(number, 2);
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

impl Sink for BackWriter {
    fn null(&mut self, _slot: Slot) {}

    fn bool(&mut self, slot: Slot, value: bool) {
        self.varint(u64::from(value));
        self.tag(slot.number, 0);
    }

    fn int(&mut self, slot: Slot, value: i64) {
        self.varint(value as u64);
        self.tag(slot.number, 0);
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
