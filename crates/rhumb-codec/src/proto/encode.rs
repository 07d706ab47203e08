//! Described values as protobuf, written from the end to the front.
//!
//! A message stands behind its length, and the length is only known once the message is written. Writing backwards
//! gives both in one pass without measuring first.

use rhumb_schema::{Struct, Value, View, wire};

/// A buffer that grows towards its front.
pub(crate) struct BackWriter {
    buffer: Vec<u8>,
    start: usize,
    scratch: Vec<u8>,
    unsupported: bool,
}

impl BackWriter {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        BackWriter { buffer: vec![0; capacity], start: capacity, scratch: Vec::new(), unsupported: false }
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
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Makes room for so many more bytes at the front.
    #[inline]
    fn room(&mut self, count: usize) -> &mut [u8] {
        if self.start < count {
            self.grow(count);
        }
        self.start -= count;
        self.buffer.get_mut(self.start..self.start + count).unwrap_or_default()
    }

    #[cold]
    fn grow(&mut self, count: usize) {
        let written = self.len();
        let capacity = (2 * self.buffer.len()).max(written + count).max(1024);
        let mut buffer = vec![0; capacity];
        let start = capacity - written;
        if let Some(space) = buffer.get_mut(start..) {
            space.copy_from_slice(self.as_slice());
        }
        self.buffer = buffer;
        self.start = start;
    }

    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).copy_from_slice(bytes);
    }

    #[inline]
    pub(crate) fn varint(&mut self, mut value: u64) {
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
        self.bytes(bytes);
        self.varint(bytes.len() as u64);
        self.tag(number, 2);
    }

    #[inline]
    fn varint_field(&mut self, number: u32, value: u64) {
        self.varint(value);
        self.tag(number, 0);
    }

    /// The body of a message.
    pub(crate) fn message(&mut self, value: &dyn Struct) {
        let desc = value.desc();
        for position in desc.wire_order.iter().rev().map(|position| usize::from(*position)) {
            let Some(field) = desc.fields.get(position) else { continue };
            match value.field(position).view() {
                View::Null => {}
                // Bytes that are not there are not written; bytes in lists and maps always are.
                View::Bytes([]) => {}
                view => self.field(field.number, view),
            }
        }
    }

    fn field(&mut self, number: u32, view: View<'_>) {
        match view {
            View::Null => {}
            View::Bool(value) => self.varint_field(number, u64::from(value)),
            View::Int32(value) => self.varint_field(number, i64::from(value) as u64),
            View::Int64(value) => self.varint_field(number, value as u64),
            View::Double(value) => {
                self.bytes(&value.to_bits().to_le_bytes());
                self.tag(number, 1);
            }
            View::Str(value) => self.bytes_field(number, value.as_bytes()),
            View::Bytes(value) => self.bytes_field(number, value),
            View::Struct(value) => {
                let before = self.len();
                self.message(value);
                self.delimit(number, before);
            }
            View::List(list) => {
                for element in (0..list.len()).rev().filter_map(|index| list.get(index)) {
                    self.field(number, element.view());
                }
            }
            View::Map(map) => {
                for (key, value) in map.entries().rev() {
                    let before = self.len();
                    self.field(2, value.view());
                    self.bytes_field(1, key.as_bytes());
                    self.delimit(number, before);
                }
            }
            View::Leaf(leaf) => {
                let mut body = std::mem::take(&mut self.scratch);
                body.clear();
                leaf.write_proto(&mut body);
                self.bytes_field(number, &body);
                self.scratch = body;
            }
            View::Json(_) => self.unsupported = true,
        }
    }

    /// A whole value, which must be a struct.
    pub(crate) fn root(&mut self, value: &dyn Value) {
        match value.view() {
            View::Struct(value) => self.message(value),
            _ => self.unsupported = true,
        }
    }
}
