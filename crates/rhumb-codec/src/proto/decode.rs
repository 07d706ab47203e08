//! Protobuf into described values.

use rhumb_schema::wire::{Payload, WireError, take_field, take_varint};
use rhumb_schema::{LeafError, List, MAX_DEPTH, Map, Shape, Struct, Value, ViewMut};

use super::ProtoError;

/// Fills a value from a message's body. Unknown fields are passed over.
///
/// # Errors
/// If the body is malformed.
pub fn decode_into(body: &[u8], value: &mut dyn Value) -> Result<(), ProtoError> {
    match value.view_mut() {
        ViewMut::Struct(slot) => {
            let budget = body.len().saturating_mul(BUDGET_FACTOR).saturating_add(BUDGET_FLOOR);
            Decoder { budget }.message(body, slot, 0)
        }
        _ => Err(ProtoError::Unsupported),
    }
}

/// Two bytes can stand for a struct of a kilobyte, so what lists and maps take is charged to a budget.
const BUDGET_FACTOR: usize = 256;
const BUDGET_FLOOR: usize = 1 << 20;

struct Decoder {
    budget: usize,
}

/// A string field. What is not UTF-8 becomes U+FFFD, as it does in JSON.
#[inline]
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

impl Decoder {
    fn charge(&mut self, size: usize) -> Result<(), ProtoError> {
        self.budget = self.budget.checked_sub(size).ok_or(ProtoError::Budget)?;
        Ok(())
    }

    fn message(&mut self, mut body: &[u8], slot: &mut dyn Struct, depth: usize) -> Result<(), ProtoError> {
        if depth > MAX_DEPTH {
            return Err(WireError::Depth.into());
        }
        let desc = slot.desc();
        let mut likely = 0;
        while !body.is_empty() {
            let (number, payload) = take_field(&mut body)?;
            if let Some((position, place)) = desc.position_of_number(number, likely) {
                likely = place;
                self.field(number, payload, slot.field_mut(position), depth)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn field(
        &mut self,
        number: u32,
        payload: Payload<'_>,
        value: &mut dyn Value,
        depth: usize,
    ) -> Result<(), ProtoError> {
        match (value.view_mut(), payload) {
            (ViewMut::Str(slot), Payload::Bytes(bytes)) => *slot = text(bytes),
            (ViewMut::Struct(slot), Payload::Bytes(bytes)) => self.message(bytes, slot, depth + 1)?,
            (ViewMut::Bool(slot), Payload::Varint(value)) => *slot = value != 0,
            (ViewMut::Int32(slot), Payload::Varint(value)) => *slot = value as i32,
            (ViewMut::Int64(slot), Payload::Varint(value)) => *slot = value as i64,
            (ViewMut::List(slot), payload) => self.element(number, payload, slot, depth)?,
            (ViewMut::Map(slot), Payload::Bytes(bytes)) => self.entry(bytes, slot, depth)?,
            (ViewMut::Bytes(slot), Payload::Bytes(bytes)) => *slot = bytes.to_vec(),
            (ViewMut::Double(slot), Payload::Fixed64(bits)) => *slot = f64::from_bits(bits),
            (ViewMut::Leaf(slot), Payload::Bytes(bytes)) => {
                slot.read_proto(bytes).map_err(|error: LeafError| ProtoError::Leaf(error.to_string()))?;
            }
            (_, payload) => return Err(WireError::WrongWireType(number, payload.wire_type()).into()),
        }
        Ok(())
    }

    fn element(
        &mut self,
        number: u32,
        payload: Payload<'_>,
        slot: &mut dyn List,
        depth: usize,
    ) -> Result<(), ProtoError> {
        if let Payload::Bytes(mut packed) = payload
            && let Shape::Bool | Shape::Int32 | Shape::Int64 = slot.element_shape()
        {
            while !packed.is_empty() {
                self.charge(slot.element_size())?;
                let value = take_varint(&mut packed)?;
                self.field(number, Payload::Varint(value), slot.push(), depth)?;
            }
            return Ok(());
        }
        self.charge(slot.element_size())?;
        self.field(number, payload, slot.push(), depth)
    }

    fn entry(&mut self, mut body: &[u8], slot: &mut dyn Map, depth: usize) -> Result<(), ProtoError> {
        self.charge(slot.entry_size())?;
        let mut key = String::new();
        let mut value = None;
        while !body.is_empty() {
            match take_field(&mut body)? {
                (1, Payload::Bytes(bytes)) => key = text(bytes),
                (2, payload) => value = Some(payload),
                _ => {}
            }
        }
        let entry = slot.insert(key);
        match value {
            Some(payload) => self.field(2, payload, entry, depth + 1),
            None => Ok(()),
        }
    }
}
