//! Type check of a patched tree, as Kubernetes does it for strategic merge patches.
//!
//! They are the one thing that Kubernetes does not write as JSON and read again: the tree's values are put into the
//! fields one by one, and what doesn't fit is told otherwise than by the reader of JSON.

use rhumb_schema::{JsonForm, Shape, StructDesc};
use serde_json::Value;

use super::Tree;
use crate::go_text;

/// Prepares a tree for the fields of a table: whole numbers that are written as fractions become integers.
///
/// # Errors
/// If a value doesn't fit, with what is wrong with the first one in the order of the fields. Values with a form of
/// their own, such as times, are not looked at: those say themselves what is wrong with them.
pub fn fit(tree: &mut Value, table: &'static StructDesc) -> Result<(), String> {
    of_struct(tree, table, table.retired)
}

fn of_struct(value: &mut Value, desc: &'static StructDesc, retired: bool) -> Result<(), String> {
    match (desc.form, value) {
        (JsonForm::Object, Value::Object(map)) => of_fields(map, desc, retired),
        (JsonForm::Object, value) => Err(format!("cannot restore struct from: {}", go_kind(value))),
        (JsonForm::Transparent, value) => match desc.fields.first() {
            Some(only) => of_shape(value, &only.shape, retired),
            None => Ok(()),
        },
        (JsonForm::Union(_), _) => Ok(()),
    }
}

fn of_fields(map: &mut Tree, desc: &'static StructDesc, retired: bool) -> Result<(), String> {
    for field in desc.fields.iter().filter(|field| field.exists(retired)) {
        if field.inline {
            if let Some(inner) = field.shape.element_struct() {
                of_fields(map, inner, retired)?;
            }
        } else if let Some(value) = map.get_mut(field.json) {
            of_shape(value, &field.shape, retired)?;
        }
    }
    Ok(())
}

fn of_shape(value: &mut Value, shape: &'static Shape, retired: bool) -> Result<(), String> {
    let unknown = |kind: &str| Err(format!("unrecognized type: {kind}"));
    match (shape, value) {
        (_, Value::Null) | (Shape::Leaf(_) | Shape::Json, _) => Ok(()),
        (Shape::Option(inner), value) => of_shape(value, inner, retired),
        (Shape::Struct(desc), value) => of_struct(value, desc(), retired),
        (Shape::List(inner), Value::Array(items)) => {
            items.iter_mut().try_for_each(|item| of_shape(item, inner, retired))
        }
        (Shape::Bytes, Value::Array(_) | Value::String(_)) => Ok(()),
        (Shape::List(_) | Shape::Bytes, value) => {
            Err(format!("cannot restore slice from {}", go_kind(value)))
        }
        (Shape::Map(inner), Value::Object(map)) => {
            map.values_mut().try_for_each(|item| of_shape(item, inner, retired))
        }
        (Shape::Map(_), value) => Err(format!("cannot restore map from {}", go_kind(value))),
        (Shape::Bool, Value::Bool(_))
        | (Shape::Str, Value::String(_))
        | (Shape::Double, Value::Number(_)) => Ok(()),
        (Shape::Str, value) if value.is_i64() => Err(unlike(value, "string")),
        (Shape::Int32, value) if value.is_number() => of_integer(value, "int32"),
        (Shape::Int64, value) if value.is_number() => of_integer(value, "int64"),
        (Shape::Bool, _) => unknown("bool"),
        (Shape::Str, _) => unknown("string"),
        (Shape::Int32, _) => unknown("int32"),
        (Shape::Int64, _) => unknown("int64"),
        (Shape::Double, _) => unknown("float64"),
    }
}

/// Reports whether a number is a whole one. What is too large for any integer is left to the reader.
#[allow(clippy::cast_possible_truncation, reason = "it is a whole number within the bounds of integers")]
fn of_integer(value: &mut Value, wanted: &str) -> Result<(), String> {
    const BOUND: f64 = 9_007_199_254_740_992.0;
    match value.as_f64() {
        _ if value.is_i64() => Ok(()),
        Some(number) if number.fract() != 0.0 => Err(unlike(value, wanted)),
        Some(number) if number.abs() <= BOUND => {
            *value = (number as i64).into();
            Ok(())
        }
        _ => Ok(()),
    }
}

fn unlike(value: &Value, wanted: &str) -> String {
    format!("cannot convert {} to {wanted}", go_text::type_name(value))
}

/// Returns Go's name of the kind of a value's type in a tree.
fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
        other => go_text::type_name(other),
    }
}
