//! Equality, order and sizes of values.

use std::cmp::Ordering;

use super::{List, Map, Value};
use crate::eval::Error;

impl Value<'_> {
    /// Returns whether two values are equal: numbers by what they stand for, lists and maps by what they contain,
    /// values of different types never.
    pub fn equal(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(one), Value::Bool(two)) => one == two,
            (Value::String(one), Value::String(two)) => **one == **two,
            (Value::Bytes(one), Value::Bytes(two)) => **one == **two,
            (Value::Duration(one), Value::Duration(two)) => one == two,
            (Value::Timestamp(one), Value::Timestamp(two)) => one == two,
            (Value::List(one), Value::List(two)) => equal_lists(one, two),
            (Value::Map(one), Value::Map(two)) => equal_maps(one, two),
            (Value::Object(one), Value::Object(two)) => one.equal(two),
            (Value::Type(one), Value::Type(two)) => one.name() == two.name(),
            (Value::Optional(one), Value::Optional(two)) => match (one, two) {
                (None, None) => true,
                (Some(one), Some(two)) => one.equal(two),
                _ => false,
            },
            (Value::Opaque(one), Value::Opaque(two)) => one.equal(&**two),
            _ => compare_numbers(self, other) == Some(Ordering::Equal),
        }
    }

    /// Returns the order of two values, an error if their types have none.
    pub fn compare(&self, other: &Value<'_>) -> Result<Ordering, Error> {
        match (self, other) {
            (Value::Bool(one), Value::Bool(two)) => Ok(one.cmp(two)),
            (Value::String(one), Value::String(two)) => Ok((**one).cmp(&**two)),
            (Value::Bytes(one), Value::Bytes(two)) => Ok((**one).cmp(&**two)),
            (Value::Duration(one), Value::Duration(two)) => Ok(one.cmp(two)),
            (Value::Timestamp(one), Value::Timestamp(two)) => Ok(one.cmp(two)),
            (Value::Int(one), Value::Int(two)) => Ok(one.cmp(two)),
            (Value::Double(double), _) if double.is_nan() => Err(Error::new("NaN values cannot be ordered")),
            (Value::Int(_) | Value::Uint(_) | Value::Double(_), Value::Double(double)) if double.is_nan() => {
                Err(Error::new("NaN values cannot be ordered"))
            }
            _ => compare_numbers(self, other).ok_or_else(Error::no_such_overload),
        }
    }

    /// Returns the number of code points of a text, of bytes, elements or entries; nothing for other types.
    pub fn size(&self) -> Option<u64> {
        match self {
            Value::String(text) => Some(count_code_points(text)),
            Value::Bytes(bytes) => Some(bytes.len() as u64),
            Value::List(list) => Some(list.len() as u64),
            Value::Map(map) => Some(map.len() as u64),
            _ => None,
        }
    }

    /// Returns the number of bytes of a text or of bytes; none for other types.
    pub(crate) fn byte_len(&self) -> usize {
        match self {
            Value::String(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            _ => 0,
        }
    }

    /// Returns whether this is the value that a message's field has when it is not set.
    pub fn is_zero(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Bool(value) => !value,
            Value::Int(value) => *value == 0,
            Value::Uint(value) => *value == 0,
            Value::Double(value) => *value == 0.0,
            Value::String(text) => text.is_empty(),
            Value::Bytes(bytes) => bytes.is_empty(),
            Value::Duration(duration) => duration.nanos() == 0,
            Value::Timestamp(timestamp) => timestamp.is_zero(),
            Value::List(list) => list.is_empty(),
            Value::Map(map) => map.is_empty(),
            Value::Object(object) => object.is_zero(),
            Value::Opaque(value) => value.is_zero(),
            Value::Type(_) | Value::Optional(_) => false,
        }
    }
}

/// Counts the code points of a text.
pub(crate) fn count_code_points(text: &str) -> u64 {
    if text.is_ascii() { text.len() as u64 } else { text.chars().count() as u64 }
}

fn equal_lists(one: &List<'_>, two: &List<'_>) -> bool {
    if let List::View(data, shape) = one
        && let Some(equal) = shape.view().equal_list(*data, two)
    {
        return equal;
    }
    if let List::View(data, shape) = two
        && let Some(equal) = shape.view().equal_list(*data, one)
    {
        return equal;
    }
    one.len() == two.len() && one.iter().zip(two.iter()).all(|(one, two)| one.equal(&two))
}

fn equal_maps(one: &Map<'_>, two: &Map<'_>) -> bool {
    if let Map::View(data, shape) = one
        && let Some(equal) = shape.view().equal_map(*data, two)
    {
        return equal;
    }
    if let Map::View(data, shape) = two
        && let Some(equal) = shape.view().equal_map(*data, one)
    {
        return equal;
    }
    one.len() == two.len()
        && one.iter().all(|(key, value)| two.get(&key).is_some_and(|other| value.equal(&other)))
}

fn compare_numbers(one: &Value<'_>, two: &Value<'_>) -> Option<Ordering> {
    match (one, two) {
        (Value::Int(one), Value::Int(two)) => Some(one.cmp(two)),
        (Value::Uint(one), Value::Uint(two)) => Some(one.cmp(two)),
        (Value::Double(one), Value::Double(two)) => one.partial_cmp(two),
        (Value::Int(one), Value::Uint(two)) => Some(i128::from(*one).cmp(&i128::from(*two))),
        (Value::Uint(one), Value::Int(two)) => Some(i128::from(*one).cmp(&i128::from(*two))),
        (Value::Int(one), Value::Double(two)) => (*one as f64).partial_cmp(two),
        (Value::Double(one), Value::Int(two)) => one.partial_cmp(&(*two as f64)),
        (Value::Uint(one), Value::Double(two)) => (*one as f64).partial_cmp(two),
        (Value::Double(one), Value::Uint(two)) => one.partial_cmp(&(*two as f64)),
        _ => None,
    }
}
