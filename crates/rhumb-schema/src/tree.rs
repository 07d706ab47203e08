//! Conversion between described values and JSON trees, for unstructured objects.

use serde_json::{Map as JsonMap, Value as Json};

use crate::error::{DecodeError, Problem, Segment};
use crate::shape::{Era, JsonForm, Omit};
use crate::union::Union;
use crate::value::{Struct, Value, View, ViewMut, is_retired};
use crate::{MAX_DEPTH, text};

/// Returns the JSON tree of a value: exactly what its JSON text would parse to.
pub fn to_tree(value: &dyn Value) -> Json {
    tree_of(value, is_retired(value))
}

/// Returns the JSON tree of an object without the field at a path, which leads through structs.
pub fn to_tree_without(value: &dyn Value, path: &[&str]) -> Json {
    tree_without(value, is_retired(value), path)
}

fn tree_without(value: &dyn Value, retired: bool, path: &[&str]) -> Json {
    match value.view() {
        View::Struct(fields) if !path.is_empty() && fields.desc().form == JsonForm::Object => {
            let mut object = JsonMap::new();
            put_fields(fields, &mut object, retired, path);
            Json::Object(object)
        }
        _ => tree_of(value, retired),
    }
}

fn tree_of(value: &dyn Value, retired: bool) -> Json {
    match value.view() {
        View::Null => Json::Null,
        View::Bool(value) => Json::Bool(value),
        View::Int32(value) => Json::from(value),
        View::Int64(value) => Json::from(value),
        View::Double(value) => double(value),
        View::Str(value) => Json::from(value),
        View::Bytes(value) => {
            let mut encoded = Vec::new();
            text::write_base64(value, &mut encoded);
            Json::from(String::from_utf8_lossy(&encoded))
        }
        View::Struct(value) if value.desc().is_transparent() => tree_of(value.field(0), retired),
        View::Struct(value) if value.desc().is_union() => tree_of(Union::form(value), retired),
        View::Struct(value) => {
            let mut object = JsonMap::new();
            put_fields(value, &mut object, retired, &[]);
            Json::Object(object)
        }
        View::List(list) => {
            let elements = (0..list.len()).filter_map(|index| list.get(index));
            Json::Array(elements.map(|element| tree_of(element, retired)).collect())
        }
        View::Map(map) => {
            let entries = map.entries().map(|(key, value)| (key.to_owned(), tree_of(value, retired)));
            Json::Object(entries.collect())
        }
        View::Leaf(leaf) => {
            let mut json = Vec::new();
            leaf.write_json(&mut json);
            text::parse_tree(&json).unwrap_or_default()
        }
        View::Json(value) => value.clone(),
    }
}

/// Converts a float as its text is read: without a fraction it becomes an integer.
fn double(value: f64) -> Json {
    let mut written = Vec::new();
    text::write_f64(value, &mut written);
    let number = std::str::from_utf8(&written).ok().and_then(text::tree_number);
    number.map_or(Json::Null, Json::Number)
}

fn put_fields(value: &dyn Struct, object: &mut JsonMap<String, Json>, retired: bool, without: &[&str]) {
    for (position, desc) in value.desc().fields.iter().enumerate() {
        let field = value.field(position);
        let view = field.view();
        if desc.inline {
            if let View::Struct(inner) = view {
                put_fields(inner, object, retired, without);
            }
            continue;
        }
        let below = match without {
            [name] if *name == desc.json => continue,
            [name, below @ ..] if *name == desc.json => below,
            _ => &[],
        };
        let tree = match (desc.omit, view) {
            _ if !desc.exists(retired) => continue,
            (Omit::Empty, _) if retired && desc.era == Era::OnceShown => tree_of(field, retired),
            (Omit::Absent, View::Null) => continue,
            (Omit::Empty, view) if view.is_empty() => continue,
            (Omit::Never, view) if view.is_nil() => Json::Null,
            _ => tree_without(field, retired, below),
        };
        object.insert(desc.json.to_owned(), tree);
    }
}

/// Fills a value from a JSON tree. Fields that the tree doesn't have stay as they are, fields that the value doesn't
/// have are passed over.
///
/// # Errors
/// If something of another type stands where a field is.
pub fn from_tree(tree: &Json, value: &mut dyn Value) -> Result<(), DecodeError> {
    let retired = is_retired(value);
    fill(tree, value, 0, retired)
}

fn fill(tree: &Json, value: &mut dyn Value, depth: usize, retired: bool) -> Result<(), DecodeError> {
    if depth > MAX_DEPTH {
        return Err(Problem::Depth.into());
    }
    if tree.is_null() {
        value.reset();
        return Ok(());
    }
    match (value.view_mut(), tree) {
        (ViewMut::Bool(slot), Json::Bool(value)) => *slot = *value,
        (ViewMut::Int32(slot), Json::Number(number)) => {
            let value = number.as_i64().and_then(|value| i32::try_from(value).ok());
            *slot = value.ok_or_else(|| Problem::Type(format!("number {number}"), "int32".into()))?;
        }
        (ViewMut::Int64(slot), Json::Number(number)) => {
            let value = number.as_i64();
            *slot = value.ok_or_else(|| Problem::Type(format!("number {number}"), "int64".into()))?;
        }
        (ViewMut::Double(slot), Json::Number(number)) => *slot = number.as_f64().unwrap_or_default(),
        (ViewMut::Str(slot), Json::String(value)) => slot.clone_from(value),
        (ViewMut::Bytes(slot), Json::String(value)) => *slot = text::decode_base64(value)?,
        (ViewMut::Struct(slot), tree) if slot.desc().is_transparent() => {
            fill(tree, slot.field_mut(0), depth + 1, retired)?;
        }
        (ViewMut::Struct(slot), tree) if slot.desc().is_union() => {
            let first = match tree {
                Json::Object(_) => b'{',
                Json::Array(_) => b'[',
                Json::Bool(_) => b't',
                _ => b'0',
            };
            if let Some(field) = Union::receiver(slot, first)? {
                fill(tree, field, depth + 1, retired)?;
            }
        }
        (ViewMut::Struct(slot), Json::Object(object)) => {
            for (key, tree) in object {
                fill_field(slot, key, tree, depth, retired)?;
            }
        }
        (ViewMut::List(slot), Json::Array(items)) => {
            slot.clear();
            for (index, tree) in items.iter().enumerate() {
                fill(tree, slot.push(), depth + 1, retired)
                    .map_err(|error| error.at(Segment::Index(index)))?;
            }
        }
        (ViewMut::Map(slot), Json::Object(object)) => {
            for (key, tree) in object {
                let entry = slot.insert(key.clone());
                fill(tree, entry, depth + 1, retired).map_err(|error| error.at(Segment::Key(key.clone())))?;
            }
        }
        (ViewMut::Leaf(slot), tree) => {
            let mut json = Vec::new();
            text::encode(tree, &mut json);
            slot.read_json(&json).map_err(Problem::from)?;
        }
        (ViewMut::Json(slot), tree) => slot.clone_from(tree),
        (other, tree) => return Err(Problem::Type(tree_kind(tree), other.shape_name()).into()),
    }
    Ok(())
}

fn fill_field(
    slot: &mut dyn Struct,
    key: &str,
    tree: &Json,
    depth: usize,
    retired: bool,
) -> Result<bool, DecodeError> {
    let desc = slot.desc();
    if !key.is_empty()
        && let Some(position) = desc.position(key.as_bytes(), 0)
        && let Some(field) = desc.fields.get(position)
        && field.exists(retired)
    {
        fill(tree, slot.field_mut(position), depth + 1, retired)
            .map_err(|error| error.at(Segment::Field(desc.name, field.json)))?;
        return Ok(true);
    }
    for (position, _) in desc.inlined() {
        if let ViewMut::Struct(inner) = slot.field_mut(position).view_mut()
            && fill_field(inner, key, tree, depth, retired)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn tree_kind(tree: &Json) -> String {
    match tree {
        Json::Null => "null".into(),
        Json::Bool(_) => "bool".into(),
        Json::Number(number) => format!("number {number}"),
        Json::String(_) => "string".into(),
        Json::Array(_) => "array".into(),
        Json::Object(_) => "object".into(),
    }
}
