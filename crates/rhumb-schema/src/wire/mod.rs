//! The protobuf wire format: varints, tags and length-delimited fields, with bounds on everything; messages written
//! from their end ([`BackWriter`]) and read from their front ([`Reader`]).

mod back;
mod reader;

use std::fmt;

pub use back::BackWriter;
pub use reader::{Reader, Tag};

/// Error of decoding protobuf, in the words of Kubernetes' generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// The bytes end inside a value.
    UnexpectedEof,
    /// A varint has more than 64 bits.
    IntOverflow,
    /// A length that no buffer can have.
    InvalidLength,
    /// A field number that can't be: 0 or beyond 2^29.
    IllegalTag(u64),
    /// A wire type that doesn't exist.
    IllegalWireType(u8),
    /// A field has another wire type than its declaration: the number and the type found.
    WrongWireType(u32, u8),
    /// An end of a group that was not begun.
    UnexpectedEndOfGroup,
    /// Messages are nested too deeply.
    Depth,
}

impl WireError {
    /// Returns the error's text when it was found in the message of a type, which Kubernetes names where a field
    /// begins badly.
    #[cold]
    pub fn in_message(self, name: &str) -> String {
        match self {
            WireError::UnexpectedEndOfGroup => format!("proto: {name}: wiretype end group for non-group"),
            WireError::IllegalTag(tag) if tag & 7 == 4 => WireError::UnexpectedEndOfGroup.in_message(name),
            // What Kubernetes calls the wire type here is the whole tag.
            WireError::IllegalTag(tag) => {
                format!("proto: {name}: illegal tag {} (wire type {tag})", (tag >> 3) as i32)
            }
            other => other.to_string(),
        }
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::UnexpectedEof => f.write_str("unexpected EOF"),
            WireError::IntOverflow => f.write_str("proto: integer overflow"),
            WireError::InvalidLength => f.write_str("proto: negative length found during unmarshaling"),
            WireError::IllegalTag(tag) => {
                write!(f, "proto: illegal tag {} (wire type {})", tag >> 3, tag & 7)
            }
            WireError::IllegalWireType(kind) => write!(f, "proto: illegal wireType {kind}"),
            WireError::WrongWireType(number, kind) => {
                write!(f, "proto: wrong wireType = {kind} for field {number}")
            }
            WireError::UnexpectedEndOfGroup => f.write_str("proto: unexpected end of group"),
            WireError::Depth => f.write_str("proto: exceeded max depth"),
        }
    }
}

impl std::error::Error for WireError {}

/// Value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// Wire type 0.
    Varint(u64),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 2.
    Bytes(&'a [u8]),
    /// Wire type 5.
    Fixed32(u32),
    /// Wire types 3 and 4: a group, skipped whole.
    Group,
}

impl Payload<'_> {
    /// Returns the wire type it was read from.
    pub fn wire_type(&self) -> u8 {
        match self {
            Payload::Varint(_) => 0,
            Payload::Fixed64(_) => 1,
            Payload::Bytes(_) => 2,
            Payload::Group => 3,
            Payload::Fixed32(_) => 5,
        }
    }
}

/// Reads a varint and moves past it.
///
/// # Errors
/// If the bytes end inside it or it has more than 64 bits.
#[inline(always)]
pub fn take_varint(input: &mut &[u8]) -> Result<u64, WireError> {
    match *input {
        [byte @ 0..0x80, rest @ ..] => {
            *input = rest;
            Ok(u64::from(*byte))
        }
        [low, high @ 0..0x80, rest @ ..] => {
            *input = rest;
            Ok(u64::from(*low & 0x7f) | u64::from(*high) << 7)
        }
        _ => take_long_varint(input),
    }
}

#[cold]
fn take_long_varint(input: &mut &[u8]) -> Result<u64, WireError> {
    let mut value = 0u64;
    for (index, byte) in input.iter().enumerate() {
        if index == 10 || (index == 9 && *byte > 1) {
            return Err(WireError::IntOverflow);
        }
        value |= u64::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            *input = input.get(index + 1..).unwrap_or_default();
            return Ok(value);
        }
    }
    Err(WireError::UnexpectedEof)
}

/// Reads as many bytes as a varint in front of them says, and moves past them.
///
/// # Errors
/// If fewer are there.
#[inline]
pub fn take_bytes<'a>(input: &mut &'a [u8]) -> Result<&'a [u8], WireError> {
    let length = take_varint(input)?;
    let length = usize::try_from(length)
        .ok()
        .filter(|length| isize::try_from(*length).is_ok())
        .ok_or(WireError::InvalidLength)?;
    let (bytes, rest) = input.split_at_checked(length).ok_or(WireError::UnexpectedEof)?;
    *input = rest;
    Ok(bytes)
}

/// Reads one field, its number and payload, and moves past it.
///
/// # Errors
/// If the bytes are no field.
#[inline]
pub fn take_field<'a>(input: &mut &'a [u8]) -> Result<(u32, Payload<'a>), WireError> {
    let tag = take_varint(input)?;
    let number = u32::try_from(tag >> 3).ok().filter(|number| (1..1 << 29).contains(number));
    let number = number.ok_or(WireError::IllegalTag(tag))?;
    let payload = match tag & 7 {
        0 => Payload::Varint(take_varint(input)?),
        1 => Payload::Fixed64(u64::from_le_bytes(take_array(input)?)),
        2 => Payload::Bytes(take_bytes(input)?),
        3 => skip_group(input)?,
        4 => return Err(WireError::UnexpectedEndOfGroup),
        5 => Payload::Fixed32(u32::from_le_bytes(take_array(input)?)),
        other => return Err(WireError::IllegalWireType(other as u8)),
    };
    Ok((number, payload))
}

fn take_array<const N: usize>(input: &mut &[u8]) -> Result<[u8; N], WireError> {
    let (bytes, rest) = input.split_first_chunk::<N>().ok_or(WireError::UnexpectedEof)?;
    *input = rest;
    Ok(*bytes)
}

/// Groups are not used by Kubernetes, but unknown fields may be of any type; nesting is counted, not recursed into.
#[cold]
fn skip_group<'a>(input: &mut &'a [u8]) -> Result<Payload<'a>, WireError> {
    let mut open = 1usize;
    while open > 0 {
        let tag = take_varint(input)?;
        match tag & 7 {
            0 => drop(take_varint(input)?),
            1 => drop(take_array::<8>(input)?),
            2 => drop(take_bytes(input)?),
            3 => open += 1,
            4 => open -= 1,
            5 => drop(take_array::<4>(input)?),
            other => return Err(WireError::IllegalWireType(other as u8)),
        }
    }
    Ok(Payload::Group)
}

/// Passes over what stands behind a tag.
#[cold]
fn skip_payload(wire_type: u8, input: &mut &[u8]) -> Result<(), WireError> {
    match wire_type {
        0 => take_varint(input).map(drop),
        1 => take_array::<8>(input).map(drop),
        2 => take_bytes(input).map(drop),
        3 => skip_group(input).map(drop),
        5 => take_array::<4>(input).map(drop),
        other => Err(WireError::IllegalWireType(other)),
    }
}

/// Returns the fields of a message, one after the other; it ends after the first error.
pub fn fields(mut body: &[u8]) -> impl Iterator<Item = Result<(u32, Payload<'_>), WireError>> {
    std::iter::from_fn(move || {
        if body.is_empty() {
            return None;
        }
        let field = take_field(&mut body);
        if field.is_err() {
            body = &[];
        }
        Some(field)
    })
}

/// Returns the length of a varint in bytes.
#[inline]
pub fn varint_len(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}

/// Appends a varint.
#[inline]
pub fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a varint field.
pub fn put_varint_field(number: u32, value: u64, out: &mut Vec<u8>) {
    put_varint(u64::from(number) << 3, out);
    put_varint(value, out);
}

/// Appends a length-delimited field.
pub fn put_bytes_field(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(u64::from(number) << 3 | 2, out);
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_of_every_length_come_back() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1u64 << shift) - 1, u64::MAX >> shift] {
                let mut out = Vec::new();
                put_varint(value, &mut out);
                assert_eq!(out.len(), varint_len(value), "{value}");
                assert_eq!(take_varint(&mut out.as_slice()), Ok(value));
            }
        }
    }

    #[test]
    fn lies_about_lengths_are_errors() {
        for (input, error) in [
            (&b"\x0a\x05ab"[..], WireError::UnexpectedEof),
            (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", WireError::InvalidLength),
            (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", WireError::IntOverflow),
            (b"\x0f", WireError::IllegalWireType(7)),
            (b"\x02\x00", WireError::IllegalTag(2)),
            (b"\x0c", WireError::UnexpectedEndOfGroup),
            (b"\x0b\x0b", WireError::UnexpectedEof),
        ] {
            assert_eq!(fields(input).last(), Some(Err(error)), "{input:?}");
        }
    }
}
