//! Protobuf into described values.

use rhumb_schema::text::utf8;
use rhumb_schema::wire::{Payload, WireError, take_field, take_varint};
use rhumb_schema::{
    DecodeError, Leaf, List, MAX_DEPTH, Map, Problem, Received, Shape, Source, Struct, StructDesc, Value,
    ViewMut,
};

use super::{ProtoError, unsupported};

/// Fills a value from a message's body. Unknown fields are passed over.
///
/// # Errors
/// If the body is malformed.
pub fn decode_into(body: &[u8], value: &mut dyn Value) -> Result<(), ProtoError> {
    match value.view_mut() {
        ViewMut::Struct(into) if !into.desc().by_number.is_empty() => {
            let budget = body.len().saturating_mul(BUDGET_FACTOR).saturating_add(BUDGET_FLOOR);
            let mut decoder = Decoder { payload: Payload::Bytes(body), number: 0, depth: 0, budget };
            decoder.message(body, into).map_err(|error| ProtoError::from(error.problem))
        }
        _ => Err(unsupported(value)),
    }
}

/// Two bytes can stand for a struct of a kilobyte, so what lists and maps take is charged to a budget.
const BUDGET_FACTOR: usize = 32;
const BUDGET_FLOOR: usize = 1 << 20;

/// Holds the field that was read last, until the value takes it.
struct Decoder<'a> {
    payload: Payload<'a>,
    number: u32,
    depth: usize,
    budget: usize,
}

#[cold]
fn fail(error: WireError) -> Box<DecodeError> {
    Box::new(Problem::Wire(error).into())
}

#[cold]
fn fail_in(error: WireError, desc: &'static StructDesc) -> Box<DecodeError> {
    Box::new(Problem::Leaf(error.in_message(desc.name)).into())
}

/// Puts the field's name in Go for its number, once: the innermost field is the one that is told.
#[cold]
fn name_field(mut error: Box<DecodeError>, desc: &'static StructDesc, position: usize) -> Box<DecodeError> {
    if let Problem::Wire(WireError::WrongWireType(_, kind)) = error.problem
        && let Some(field) = desc.fields.get(position)
    {
        let name = match (field.json, &field.shape) {
            ("metadata" | "", Shape::Struct(inner)) => inner().name.to_owned(),
            ("uid", _) => "UID".to_owned(),
            (json, _) => {
                let mut letters = json.chars();
                letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
            }
        };
        error.problem = Problem::Leaf(format!("proto: wrong wireType = {kind} for field {name}"));
    }
    error
}

/// The field that comes next and what is behind it, if it is as nearly all are: a number, or bytes that are all there,
/// with a tag and a length of one or two bytes each.
#[inline(always)]
fn common_field(body: &[u8]) -> Option<(u32, Payload<'_>, &[u8])> {
    let (tag, rest) = short_varint(body)?;
    let (value, rest) = short_varint(rest)?;
    match (tag >> 3, tag & 7) {
        (0, _) => None,
        (number, 0) => Some((number, Payload::Varint(u64::from(value)), rest)),
        (number, 2) => {
            let (bytes, rest) = rest.split_at_checked(value as usize)?;
            Some((number, Payload::Bytes(bytes), rest))
        }
        _ => None,
    }
}

#[inline(always)]
fn short_varint(bytes: &[u8]) -> Option<(u32, &[u8])> {
    match bytes {
        [byte @ 0..0x80, rest @ ..] => Some((u32::from(*byte), rest)),
        [low, high @ 0..0x80, rest @ ..] => Some((u32::from(*low & 0x7f) | u32::from(*high) << 7, rest)),
        _ => None,
    }
}

impl<'a> Decoder<'a> {
    #[cold]
    fn wrong_type(&self) -> Box<DecodeError> {
        fail(WireError::WrongWireType(self.number, self.payload.wire_type()))
    }

    fn charge(&mut self, size: usize) -> Received {
        match self.budget.checked_sub(size) {
            Some(rest) => {
                self.budget = rest;
                Ok(())
            }
            None => Err(Box::new(Problem::Budget.into())),
        }
    }

    #[inline]
    fn varint(&self) -> Result<u64, Box<DecodeError>> {
        match self.payload {
            Payload::Varint(value) => Ok(value),
            _ => Err(self.wrong_type()),
        }
    }

    #[inline]
    fn delimited(&self) -> Result<&'a [u8], Box<DecodeError>> {
        match self.payload {
            Payload::Bytes(bytes) => Ok(bytes),
            _ => Err(self.wrong_type()),
        }
    }

    fn message(&mut self, mut body: &'a [u8], into: &mut dyn Struct) -> Received {
        if self.depth > MAX_DEPTH {
            return Err(fail(WireError::Depth));
        }
        self.depth += 1;
        let desc = into.desc();
        while !body.is_empty() {
            let (number, payload) = match common_field(body) {
                Some((number, payload, rest)) => {
                    body = rest;
                    (number, payload)
                }
                None => take_field(&mut body).map_err(|error| fail_in(error, desc))?,
            };
            if let Some(position) = desc.position_of_number(number) {
                self.number = number;
                self.payload = payload;
                into.receive_field(position, self).map_err(|error| name_field(error, desc, position))?;
            }
        }
        self.depth -= 1;
        Ok(())
    }
}

impl Source for Decoder<'_> {
    fn bool(&mut self, into: &mut bool) -> Received {
        *into = self.varint()? != 0;
        Ok(())
    }

    fn int32(&mut self, into: &mut i32) -> Received {
        *into = self.varint()? as i32;
        Ok(())
    }

    fn int64(&mut self, into: &mut i64) -> Received {
        *into = self.varint()? as i64;
        Ok(())
    }

    fn double(&mut self, into: &mut f64) -> Received {
        match self.payload {
            Payload::Fixed64(bits) => *into = f64::from_bits(bits),
            _ => return Err(self.wrong_type()),
        }
        Ok(())
    }

    fn str(&mut self, into: &mut String) -> Received {
        *into = text(self.delimited()?);
        Ok(())
    }

    fn bytes(&mut self, into: &mut Vec<u8>) -> Received {
        *into = self.delimited()?.to_vec();
        Ok(())
    }

    fn structure(&mut self, into: &mut dyn Struct) -> Received {
        let body = self.delimited()?;
        self.message(body, into)
    }

    fn list(&mut self, into: &mut dyn List) -> Received {
        if let Payload::Bytes(mut packed) = self.payload
            && let Shape::Bool | Shape::Int32 | Shape::Int64 = into.element_shape()
        {
            while !packed.is_empty() {
                self.charge(into.element_size())?;
                self.payload = Payload::Varint(take_varint(&mut packed).map_err(fail)?);
                into.receive_element(self)?;
            }
            return Ok(());
        }
        self.charge(into.element_size())?;
        into.receive_element(self)
    }

    fn map(&mut self, into: &mut dyn Map) -> Received {
        let mut body = self.delimited()?;
        self.charge(into.entry_size())?;
        let mut key = String::new();
        let mut value = None;
        while !body.is_empty() {
            match take_field(&mut body).map_err(fail)? {
                (1, Payload::Bytes(bytes)) => key = text(bytes),
                (2, payload) => value = Some(payload),
                _ => {}
            }
        }
        match value {
            Some(payload) => {
                self.payload = payload;
                into.receive_entry(key, self)
            }
            None => {
                into.insert(key);
                Ok(())
            }
        }
    }

    fn leaf(&mut self, into: &mut dyn Leaf) -> Received {
        let body = self.delimited()?;
        into.read_proto(body).map_err(|error| Box::new(Problem::from(error).into()))
    }

    fn json(&mut self, _into: &mut serde_json::Value) -> Received {
        Err(self.wrong_type())
    }
}

/// A string field. What is not UTF-8 becomes U+FFFD, as it does in JSON.
#[inline]
fn text(bytes: &[u8]) -> String {
    match utf8(bytes) {
        Some(text) => text.to_owned(),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}
