//! Unions: structs of which JSON has one field at a time, such as a JSON schema or boolean.

use crate::error::{DecodeError, Problem};
use crate::shape::{JsonForm, Shape};
use crate::value::{Struct, Value, ViewMut};

/// Union form of a struct.
pub struct Union;

impl Union {
    /// Returns the field that stands for the union: the last one that is there, or the first if none is.
    pub fn form(value: &dyn Struct) -> &dyn Value {
        let count = value.desc().fields.len();
        let set = (0..count).rev().find(|position| !value.field(*position).view().is_empty());
        value.field(set.unwrap_or(0))
    }

    /// Empties a union and gives the field that JSON of a type is for, told by its first byte. None if no field is,
    /// and what stands there is to be passed over.
    ///
    /// # Errors
    /// If no field is for the type and the union has words for that.
    pub fn receiver(value: &mut dyn Struct, first: u8) -> Result<Option<&mut dyn Value>, DecodeError> {
        let position = Union::receiver_position(value, first)?;
        Ok(position.map(|position| value.field_mut(position)))
    }

    /// Like [`Union::receiver`], with the field told by its position.
    ///
    /// # Errors
    /// As there.
    pub fn receiver_position(value: &mut dyn Struct, first: u8) -> Result<Option<usize>, DecodeError> {
        value.reset();
        let desc = value.desc();
        let found = desc.fields.iter().position(|field| starts_with(field.shape.inner(), first));
        let truth = desc.fields.iter().position(|field| matches!(field.shape, Shape::Bool));
        match (found, truth) {
            (None, _) => match desc.form {
                JsonForm::Union("") => {}
                JsonForm::Union(words) => return Err(Problem::Leaf(words.to_owned()).into()),
                JsonForm::Object | JsonForm::Transparent => {}
            },
            (Some(found), Some(truth)) if found != truth => {
                if let ViewMut::Bool(allows) = value.field_mut(truth).view_mut() {
                    *allows = true;
                }
            }
            _ => {}
        }
        Ok(found)
    }
}

fn starts_with(shape: &Shape, first: u8) -> bool {
    match first {
        b'{' => matches!(shape, Shape::Struct(_) | Shape::Map(_)),
        b'[' => matches!(shape, Shape::List(_)),
        b't' | b'f' => matches!(shape, Shape::Bool),
        _ => false,
    }
}
