//! Protobuf messages read from the front into values.
//!
//! A struct asks for one tag after the other and hands each field to the value that stands there, which reads what is
//! behind the tag ([`Value::read_wire`]). Both know each other's type, so nothing is looked up on the way.

use super::{Payload, WireError, skip_payload, take_array, take_bytes, take_field, take_varint};
use crate::MAX_DEPTH;
use crate::error::{DecodeError, Problem};
use crate::leaf::Leaf;
use crate::shape::{Shape, StructDesc};
use crate::stream::{Received, Slot};
use crate::text::utf8;
use crate::value::Struct;

/// Tag of a field: number and wire type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(u32);

impl Tag {
    /// Returns the field's number; 0 if there is none, because the message ends or can't be read.
    #[inline]
    pub fn number(self) -> u32 {
        self.0 >> 3
    }

    /// Reports whether many elements of a shape stand in one field.
    #[inline]
    pub(crate) fn is_packed(self, element: &Shape) -> bool {
        matches!(element, Shape::Bool | Shape::Int32 | Shape::Int64) && self.wire_type() == 2
    }

    #[inline]
    fn wire_type(self) -> u8 {
        (self.0 & 7) as u8
    }
}

/// Remaining bytes of a message, with limits on memory.
#[derive(Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    depth: usize,
    budget: usize,
    /// Whether the object is of a retired kind.
    retired: bool,
    /// Why there is no further tag, if it is not for the end of the message.
    failed: Option<WireError>,
}

/// Memory budget per byte of input, because two bytes can stand for a struct of a kilobyte.
const BUDGET_FACTOR: usize = 32;
const BUDGET_FLOOR: usize = 1 << 20;

#[cold]
fn fail(error: WireError) -> Box<DecodeError> {
    Box::new(Problem::Wire(error).into())
}

/// Returns a field whose wire type is another than its declaration, by the field's name in Go.
#[cold]
fn wrong_type(slot: Slot, tag: Tag) -> Box<DecodeError> {
    let name = match (slot.json, &slot.shape) {
        ("metadata" | "", Shape::Struct(inner)) => inner().name.to_owned(),
        ("uid", _) => "UID".to_owned(),
        (json, _) => {
            let mut letters = json.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
        }
    };
    let text = format!("proto: wrong wireType = {} for field {name}", tag.wire_type());
    Box::new(Problem::Leaf(text).into())
}

impl<'a> Reader<'a> {
    /// Creates a reader of a message.
    pub fn new(message: &'a [u8]) -> Self {
        let budget = message.len().saturating_mul(BUDGET_FACTOR).saturating_add(BUDGET_FLOOR);
        Reader { rest: message, depth: 1, budget, retired: false, failed: None }
    }

    /// Reads a whole object.
    ///
    /// # Errors
    /// If the message is malformed, or something in it is not what its field holds.
    pub fn root(&mut self, into: &mut dyn Struct) -> Received {
        self.retired = into.desc().retired;
        into.read_numbered(self)
    }

    /// Reports whether the object is of a retired kind, which decides about the fields that it has.
    #[inline]
    pub fn is_retired(&self) -> bool {
        self.retired
    }

    /// Returns the next tag of the message. One without a number ends it, and then [`Reader::end`] says why.
    #[inline]
    pub fn tag(&mut self) -> Tag {
        match self.rest {
            // Numbers below 16, of a wire type that a field can have.
            [byte @ 8..0x80, rest @ ..] if byte & 7 != 4 => {
                self.rest = rest;
                Tag(u32::from(*byte))
            }
            _ => self.long_tag(),
        }
    }

    #[inline(never)]
    fn long_tag(&mut self) -> Tag {
        if self.rest.is_empty() {
            return Tag(0);
        }
        let failed = match take_varint(&mut self.rest) {
            Ok(tag) if tag & 7 == 4 => WireError::UnexpectedEndOfGroup,
            Ok(tag) => match u32::try_from(tag).ok().filter(|tag| *tag >= 8) {
                Some(tag) => return Tag(tag),
                None => WireError::IllegalTag(tag),
            },
            Err(error) => error,
        };
        self.failed = Some(failed);
        Tag(0)
    }

    /// Returns the number of remaining bytes.
    #[inline]
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Reads the end of a message of a type.
    ///
    /// # Errors
    /// If the message could not be read to its end.
    #[inline]
    pub fn end(&mut self, desc: &'static StructDesc) -> Received {
        match self.failed {
            None => Ok(()),
            Some(error) => Err(Box::new(Problem::Leaf(error.in_message(desc.name)).into())),
        }
    }

    /// Passes over a field that nobody knows.
    ///
    /// # Errors
    /// If it is malformed.
    #[inline(never)]
    pub fn skip(&mut self, tag: Tag) -> Received {
        skip_payload(tag.wire_type(), &mut self.rest).map_err(fail)
    }

    /// Returns a number.
    ///
    /// # Errors
    /// If something else comes next; likewise for the others.
    #[inline]
    pub fn varint(&mut self, slot: Slot, tag: Tag) -> Result<u64, Box<DecodeError>> {
        if tag.wire_type() != 0 {
            return Err(wrong_type(slot, tag));
        }
        match self.rest {
            [byte @ 0..0x80, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(*byte))
            }
            _ => take_varint(&mut self.rest).map_err(fail),
        }
    }

    /// Returns a floating point number.
    ///
    /// # Errors
    /// As above.
    pub fn double(&mut self, slot: Slot, tag: Tag) -> Result<f64, Box<DecodeError>> {
        if tag.wire_type() != 1 {
            return Err(wrong_type(slot, tag));
        }
        take_array(&mut self.rest).map(|bits| f64::from_bits(u64::from_le_bytes(bits))).map_err(fail)
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// As above.
    #[inline(always)]
    pub fn delimited(&mut self, slot: Slot, tag: Tag) -> Result<&'a [u8], Box<DecodeError>> {
        if tag.wire_type() != 2 {
            return Err(wrong_type(slot, tag));
        }
        if let [length @ 0..0x80, rest @ ..] = self.rest
            && let Some((bytes, rest)) = rest.split_at_checked(usize::from(*length))
        {
            self.rest = rest;
            return Ok(bytes);
        }
        take_bytes(&mut self.rest).map_err(fail)
    }

    /// Returns a text. What is not UTF-8 becomes U+FFFD, as it does in JSON.
    ///
    /// # Errors
    /// As above.
    #[inline(never)]
    pub fn text(&mut self, slot: Slot, tag: Tag, into: &mut String) -> Received {
        *into = text(self.delimited(slot, tag)?);
        Ok(())
    }

    /// Returns a leaf.
    ///
    /// # Errors
    /// As above.
    #[inline(never)]
    pub fn leaf(&mut self, slot: Slot, tag: Tag, into: &mut dyn Leaf) -> Received {
        let body = self.delimited(slot, tag)?;
        into.read_proto(body).map_err(|error| Box::new(Problem::from(error).into()))
    }

    /// Returns the error for values without a protobuf form.
    ///
    /// # Errors
    /// Always.
    #[cold]
    pub fn unsupported(&self, slot: Slot, tag: Tag) -> Received {
        Err(wrong_type(slot, tag))
    }

    /// Goes into a message. Returns what is behind it, for [`Reader::leave`].
    ///
    /// # Errors
    /// If something else comes next, or messages are nested too deeply.
    #[inline(never)]
    pub fn enter(&mut self, slot: Slot, tag: Tag) -> Result<&'a [u8], Box<DecodeError>> {
        let body = self.delimited(slot, tag)?;
        if self.depth > MAX_DEPTH {
            return Err(fail(WireError::Depth));
        }
        self.depth += 1;
        Ok(std::mem::replace(&mut self.rest, body))
    }

    /// Goes on behind a message that was read.
    #[inline]
    pub fn leave(&mut self, behind: &'a [u8]) {
        self.depth -= 1;
        self.rest = behind;
    }

    /// Charges what one more element of a list or a map takes.
    ///
    /// # Errors
    /// If all would take too much.
    #[inline]
    pub fn charge(&mut self, size: usize) -> Received {
        match self.budget.checked_sub(size) {
            Some(rest) => {
                self.budget = rest;
                Ok(())
            }
            None => Err(over_budget()),
        }
    }

    /// Reads packed numbers and passes each to a function.
    ///
    /// # Errors
    /// If they are malformed, or the function fails.
    pub fn packed(
        &mut self,
        slot: Slot,
        tag: Tag,
        each: &mut dyn FnMut(&mut Reader<'a>, Tag) -> Received,
    ) -> Received {
        let behind = {
            let packed = self.delimited(slot, tag)?;
            std::mem::replace(&mut self.rest, packed)
        };
        while !self.rest.is_empty() {
            each(self, Tag(tag.0 & !7))?;
        }
        self.rest = behind;
        Ok(())
    }

    /// Returns an entry of a map: its key, and its value, which a function reads if there is one.
    ///
    /// # Errors
    /// If it is malformed, or the function fails.
    pub fn entry(
        &mut self,
        slot: Slot,
        tag: Tag,
        value: &mut dyn FnMut(&mut Reader<'a>, Tag) -> Received,
    ) -> Result<String, Box<DecodeError>> {
        let mut body = self.delimited(slot, tag)?;
        let (mut key, mut found) = (&[][..], None);
        while !body.is_empty() {
            let before = body;
            match take_field(&mut body).map_err(fail)? {
                (1, Payload::Bytes(bytes)) => key = bytes,
                (2, _) => found = Some(before),
                _ => {}
            }
        }
        if let Some(value_field) = found {
            let behind = std::mem::replace(&mut self.rest, value_field);
            let tag = self.tag();
            value(self, tag)?;
            self.rest = behind;
        }
        Ok(text(key))
    }
}

#[cold]
fn over_budget() -> Box<DecodeError> {
    Box::new(Problem::Budget.into())
}

#[inline]
fn text(bytes: &[u8]) -> String {
    match utf8(bytes) {
        Some(text) => text.to_owned(),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}
