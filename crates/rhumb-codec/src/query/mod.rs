//! Query parameters and the options that they encode.
//!
//! Everything works from the field table of a described struct, so there is no list of options types:
//!
//! - [`to_query`] writes a struct as pairs, as a client does. Structs inside it are spread: the fields of
//!   `preconditions` become parameters of their own.
//! - [`from_query`] reads them back, as a server does, with the leniency of Kubernetes: pairs that can't be
//!   unescaped and keys that no field has are passed over, any word but `0` and `false` is true, and of several
//!   values for one key the first counts unless the field is a list.
//! - [`parse`] and [`encode`] go between pairs and the text in a URL.
//!
//! Maps, any JSON and lists of structs have no form as a parameter and are left alone in both directions.

mod number;
#[cfg(test)]
mod tests;
mod url;

use std::fmt;

use rhumb_schema::{FieldDesc, Presence, Shape, Struct, Value, View, ViewMut, text};

pub use url::{MAX_PAIRS, ParseQueryError, Query, encode, parse};

/// Error: invalid value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValueError {
    /// The parameter.
    pub key: &'static str,
    /// The problem in Go's words, which is all that Kubernetes returns.
    pub message: String,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ValueError {}

/// Decodes a URL's query into options.
///
/// # Errors
/// If a field can't take the value given for it; fields before it are changed by then.
pub fn from_query(query: &str, options: &mut dyn Struct) -> Result<(), ValueError> {
    from_pairs(&parse(query).pairs, options)
}

/// Reads parameters into options. Fields that have a form as a parameter but are not given become empty;
/// without any parameters nothing changes.
///
/// # Errors
/// If a field can't take the value given for it; fields before it are changed by then.
pub fn from_pairs(pairs: &[(String, String)], options: &mut dyn Struct) -> Result<(), ValueError> {
    if pairs.is_empty() {
        return Ok(());
    }
    for (position, field) in options.desc().fields.iter().enumerate() {
        if field.inline || !has_form(field) {
            continue;
        }
        if let Shape::Struct(_) = field.shape.inner() {
            read_nested(pairs, options.field_mut(position), field)?;
            continue;
        }
        let slot = options.field_mut(position);
        slot.reset();
        let values: Vec<&str> = values(pairs, field.json).collect();
        read_field(&values, slot).map_err(|message| ValueError { key: field.json, message })?;
    }
    Ok(())
}

fn values<'a>(pairs: &'a [(String, String)], key: &str) -> impl Iterator<Item = &'a str> {
    pairs.iter().filter(move |(known, _)| known == key).map(|(_, value)| value.as_str())
}

/// Reports whether a field can be written as a parameter.
fn has_form(field: &FieldDesc) -> bool {
    match field.shape.inner() {
        Shape::Map(_) | Shape::Json | Shape::Bytes => false,
        Shape::List(element) => matches!(element, Shape::Str | Shape::Int32),
        Shape::Leaf(leaf) => is_time(leaf.format),
        _ => true,
    }
}

/// Reports whether a leaf can be a parameter: only timestamps can, recognised by their OpenAPI format.
fn is_time(format: &str) -> bool {
    format == "date-time"
}

/// The fields of a struct inside the options are parameters of their own. Empty values don't count, so that a
/// precondition on the empty version never comes into being.
fn read_nested(
    pairs: &[(String, String)],
    slot: &mut dyn Value,
    field: &FieldDesc,
) -> Result<(), ValueError> {
    let Shape::Struct(desc) = field.shape.inner() else { return Ok(()) };
    for (position, field) in desc().fields.iter().enumerate() {
        let first = values(pairs, field.json).next().filter(|value| !value.is_empty());
        let scalar = matches!(
            field.shape.inner(),
            Shape::Bool | Shape::Int32 | Shape::Int64 | Shape::Double | Shape::Str
        );
        if let Some(first) = first
            && scalar
            && let ViewMut::Struct(nested) = slot.view_mut()
        {
            read_field(&[first], nested.field_mut(position))
                .map_err(|message| ValueError { key: field.json, message })?;
        }
    }
    Ok(())
}

/// Reads the values given for a field that is empty so far.
fn read_field(values: &[&str], slot: &mut dyn Value) -> Result<(), String> {
    let Some(first) = values.first() else { return Ok(()) };
    match slot.view_mut() {
        ViewMut::Bool(slot) => *slot = *first != "0" && !number::equal_fold(first, "false"),
        ViewMut::Int32(slot) => *slot = number::parse_i32(first)?,
        ViewMut::Int64(slot) => *slot = number::parse_i64(first)?,
        ViewMut::Double(slot) => *slot = number::parse_f64(first)?,
        ViewMut::Str(slot) => (*first).clone_into(slot),
        ViewMut::List(list) => match list.element_shape() {
            Shape::Int32 => {
                for port in values.iter().flat_map(|value| value.split(',')) {
                    let port = number::parse_u16(port)
                        .map_err(|error| format!("cannot convert to []int32: {error}"))?;
                    if let ViewMut::Int32(slot) = list.push().view_mut() {
                        *slot = i32::from(port);
                    }
                }
            }
            _ => {
                for value in values {
                    if let ViewMut::Str(slot) = list.push().view_mut() {
                        (*value).clone_into(slot);
                    }
                }
            }
        },
        ViewMut::Leaf(leaf) => {
            // Old clients wrote JSON here, so `null` is an absent time as well.
            if !matches!(*first, "" | "null") {
                let mut json = Vec::with_capacity(first.len() + 2);
                text::write_str(first, &mut json);
                leaf.read_json(&json).map_err(|error| error.to_string())?;
            }
        }
        ViewMut::Bytes(_) | ViewMut::Struct(_) | ViewMut::Map(_) | ViewMut::Json(_) => {}
    }
    Ok(())
}

/// Encodes options as parameters, ordered by key.
pub fn to_query(options: &dyn Struct) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    write_struct(options, &mut pairs);
    pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
    pairs
}

fn write_struct(from: &dyn Struct, pairs: &mut Vec<(String, String)>) {
    for (position, field) in from.desc().fields.iter().enumerate() {
        if !field.inline {
            write_field(from.field(position).view(), field, pairs);
        }
    }
}

fn write_field(value: View<'_>, field: &FieldDesc, pairs: &mut Vec<(String, String)>) {
    let omit_empty = !matches!(field.presence, Presence::Required | Presence::Shown);
    let optional = matches!(field.shape, Shape::Option(_));
    // What is given is written even if it is zero; that is what options are for.
    let skip_zero = omit_empty && !optional;
    let mut add = |text: String| pairs.push((field.json.to_owned(), text));
    match value {
        View::Null if omit_empty => {}
        View::Null => {
            if has_form(field) && !matches!(field.shape.inner(), Shape::Struct(_) | Shape::List(_)) {
                add(String::new());
            }
        }
        View::List(list) => {
            let elements = (0..list.len()).filter_map(|index| list.get(index)).map(Value::view);
            elements.filter(|element| !(skip_zero && element.is_empty())).filter_map(scalar).for_each(add);
        }
        View::Bytes(bytes) => {
            // A list of numbers to Go.
            bytes.iter().filter(|byte| !(skip_zero && **byte == 0)).for_each(|byte| add(byte.to_string()));
        }
        View::Struct(inner) => {
            if inner.desc().is_transparent() {
                write_field(inner.field(0).view(), field, pairs);
            } else if !(skip_zero && is_zero(value)) {
                write_struct(inner, pairs);
            }
        }
        View::Leaf(leaf) => {
            if is_time(leaf.desc().format) && !(skip_zero && leaf.is_zero()) {
                let mut json = Vec::new();
                leaf.write_json(&mut json);
                // A time that is zero prints as `null`, which is no text.
                add(text::unquote(&json).unwrap_or_default().into_owned());
            }
        }
        View::Map(_) | View::Json(_) => {}
        other => {
            if !(skip_zero && other.is_empty()) {
                scalar(other).into_iter().for_each(add);
            }
        }
    }
}

fn scalar(value: View<'_>) -> Option<String> {
    match value {
        View::Bool(value) => Some(value.to_string()),
        View::Int32(value) => Some(value.to_string()),
        View::Int64(value) => Some(value.to_string()),
        View::Double(value) => Some(number::print_f64(value)),
        View::Str(value) => Some(value.to_owned()),
        _ => None,
    }
}

/// Reports whether nothing at all is set, in structs too.
fn is_zero(value: View<'_>) -> bool {
    match value {
        View::Struct(inner) => {
            (0..inner.desc().fields.len()).all(|position| is_zero(inner.field(position).view()))
        }
        // Where an option is given, its struct is not zero whatever it holds.
        other => other.is_empty(),
    }
}
