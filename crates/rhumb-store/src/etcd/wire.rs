//! Protobuf as far as etcd's messages need it: numbers, bytes and messages within messages.
//!
//! A message writes itself with a [`Writer`], and takes the fields that [`read`] finds for it. Fields that hold their
//! default are not written, and unknown ones are skipped, as proto3 has it.

use bytes::{Buf, Bytes};

/// A message that is sent.
pub(super) trait Outgoing: Send + 'static {
    /// Writes its fields.
    fn write(&self, out: &mut Writer);
}

/// A message that is received.
pub(super) trait Incoming: Default + Send + Sync + 'static {
    /// Takes a field in.
    fn take(&mut self, number: u64, value: Value) -> Result<(), Malformed>;
}

/// The bytes are not a message of the expected kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// What a field holds on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A number, a boolean or an enum.
    Number(u64),
    /// Bytes, a text or a message.
    Bytes(Bytes),
    /// A number of fixed width. No field of ours has one.
    Fixed,
}

impl Value {
    /// As a number that is never negative.
    pub(super) fn unsigned(self) -> Result<u64, Malformed> {
        if let Value::Number(number) = self { Ok(number) } else { Err(Malformed) }
    }

    /// As yes or no.
    pub(super) fn flag(self) -> Result<bool, Malformed> {
        Ok(self.unsigned()? != 0)
    }

    /// As bytes.
    pub(super) fn bytes(self) -> Result<Bytes, Malformed> {
        if let Value::Bytes(bytes) = self { Ok(bytes) } else { Err(Malformed) }
    }

    /// As a text.
    pub(super) fn text(self) -> Result<String, Malformed> {
        Ok(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }

    /// As a message.
    pub(super) fn message<M: Incoming>(self) -> Result<M, Malformed> {
        read(self.bytes()?)
    }
}

/// Reads a message.
pub(super) fn read<M: Incoming>(mut from: Bytes) -> Result<M, Malformed> {
    let mut message = M::default();
    while from.has_remaining() {
        let tag = varint(&mut from)?;
        let value = match tag & 7 {
            0 => Value::Number(varint(&mut from)?),
            1 => fixed(&mut from, 8)?,
            2 => {
                let length = usize::try_from(varint(&mut from)?).map_err(|_| Malformed)?;
                if length > from.remaining() {
                    return Err(Malformed);
                }
                Value::Bytes(from.split_to(length))
            }
            5 => fixed(&mut from, 4)?,
            _ => return Err(Malformed),
        };
        message.take(tag >> 3, value)?;
    }
    Ok(message)
}

fn fixed(from: &mut Bytes, width: usize) -> Result<Value, Malformed> {
    if from.remaining() < width {
        return Err(Malformed);
    }
    from.advance(width);
    Ok(Value::Fixed)
}

fn varint(from: &mut Bytes) -> Result<u64, Malformed> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = from.try_get_u8().map_err(|_| Malformed)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(Malformed)
}

/// Collects the bytes of a message.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// What was written.
    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// A number that is never negative.
    pub(super) fn unsigned(&mut self, field: u64, number: u64) {
        if number != 0 {
            self.varint(field << 3);
            self.varint(number);
        }
    }

    /// A signed number.
    pub(super) fn signed(&mut self, field: u64, number: i64) {
        self.unsigned(field, number.cast_unsigned());
    }

    /// A signed number of a choice, where the field says which one was chosen and is written even if it is 0.
    pub(super) fn always_signed(&mut self, field: u64, number: i64) {
        self.varint(field << 3);
        self.varint(number.cast_unsigned());
    }

    /// Yes or no.
    pub(super) fn flag(&mut self, field: u64, flag: bool) {
        self.unsigned(field, flag.into());
    }

    /// Bytes.
    pub(super) fn bytes(&mut self, field: u64, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.length_delimited(field, bytes);
        }
    }

    /// A message. Unlike the others it is written even if it is empty, because its being there says something.
    pub(super) fn message(&mut self, field: u64, message: &impl Outgoing) {
        self.nested(field, |inner| message.write(inner));
    }

    /// A message that is written on the spot.
    pub(super) fn nested(&mut self, field: u64, write: impl FnOnce(&mut Writer)) {
        let mut inner = Writer::default();
        write(&mut inner);
        self.length_delimited(field, &inner.bytes);
    }

    fn length_delimited(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Pair {
        number: i64,
        bytes: Bytes,
        inner: Vec<Pair>,
    }

    impl Outgoing for Pair {
        fn write(&self, out: &mut Writer) {
            out.signed(1, self.number);
            out.bytes(2, &self.bytes);
            for inner in &self.inner {
                out.message(16, inner);
            }
        }
    }

    impl Incoming for Pair {
        fn take(&mut self, number: u64, value: Value) -> Result<(), Malformed> {
            match number {
                1 => self.number = value.unsigned()?.cast_signed(),
                2 => self.bytes = value.bytes()?,
                16 => self.inner.push(value.message()?),
                _ => {}
            }
            Ok(())
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let inner = Pair { number: -1, bytes: Bytes::from(vec![7; 300]), inner: Vec::new() };
        let pair = Pair { number: i64::MAX, bytes: Bytes::new(), inner: vec![Pair::default(), inner] };
        let mut out = Writer::default();
        pair.write(&mut out);
        assert_eq!(read::<Pair>(out.finish().into()), Ok(pair));
    }

    #[test]
    fn unknown_fields_are_skipped_and_bad_bytes_refused() {
        for (bytes, expect) in [
            (&b"\x08\x05\x19\0\0\0\0\0\0\0\0\x1d\0\0\0\0\x22\x01x"[..], Ok(5)),
            (b"\x08", Err(Malformed)),
            (b"\x12\x05abc", Err(Malformed)),
            (b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", Err(Malformed)),
            (b"\x0b", Err(Malformed)),
            (b"\x19\0", Err(Malformed)),
            (b"\x0a\x01x", Err(Malformed)),
            (b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", Err(Malformed)),
        ] {
            let read = read::<Pair>(Bytes::from_static(bytes)).map(|pair| pair.number);
            assert_eq!(read, expect, "{bytes:?}");
        }
    }
}
