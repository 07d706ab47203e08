//! Reading schemas.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_cel::types::Type;

use super::{Declared, Kind, Object};
use crate::{limits, names};

/// A schema, as far as types come from it.
pub trait Schema: Sized {
    /// The JSON type, empty if the schema has none or several.
    fn type_(&self) -> &str;

    /// The format, empty if it has none.
    fn format(&self) -> &str;

    /// The schema of a list's elements.
    fn items(&self) -> Option<Self>;

    /// The schemas of properties by name.
    fn properties(&self) -> Vec<(&str, Self)>;

    /// The schema of all properties that have none of their own.
    fn additional_properties(&self) -> Option<Self>;

    /// Whether a property has to be there.
    fn is_required(&self, property: &str) -> bool;

    /// Whether the schema has a default.
    fn has_default(&self) -> bool;

    /// The most elements of a list.
    fn max_items(&self) -> Option<i64>;

    /// The most properties of an object.
    fn max_properties(&self) -> Option<i64>;

    /// The most characters of a text.
    fn max_length(&self) -> Option<i64>;

    /// The length in bytes of the longest text that a value may be, if the schema lists values.
    fn longest_choice(&self) -> Option<u64>;

    /// Whether a value is an integer or a text.
    fn is_int_or_string(&self) -> bool;

    /// Whether a value is a whole object with its own kind and metadata.
    fn is_embedded_resource(&self) -> bool;
}

/// Returns the type that a schema means; nothing if expressions can't see its values. The root of a resource has its
/// kind, version, name and generated name, whatever the schema says.
pub fn declare<S: Schema>(schema: &S, root: bool) -> Option<Declared> {
    if schema.is_int_or_string() {
        let most = schema.max_length().map_or(limits::REQUEST_BYTES - 2, characters);
        return Some(Declared { most, ..Declared::plain(Type::Dyn, 1) });
    }
    match schema.type_() {
        "array" => {
            let items = schema.items()?;
            let element = declare(&items, items.is_embedded_resource())?;
            let most = schema
                .max_items()
                .map_or_else(|| (limits::REQUEST_BYTES - 2) / (element.shortest + 1), count);
            Some(Declared::list(element, most))
        }
        "object" => match schema.additional_properties() {
            Some(additional) => {
                let value = declare(&additional, additional.is_embedded_resource())?;
                // A pair of quotes for the key, a character in them, a colon, a comma and one more.
                let most = schema
                    .max_properties()
                    .map_or_else(|| (limits::REQUEST_BYTES - 2) / (value.shortest + 6), count);
                Some(Declared::map(value, most))
            }
            None => Some(object(schema, root)),
        },
        "string" => Some(text(schema)),
        "boolean" => Some(Declared::plain(Type::Bool, limits::SHORTEST_BOOL)),
        "number" => Some(Declared::plain(Type::Double, limits::SHORTEST_NUMBER)),
        "integer" => Some(Declared::plain(Type::Int, limits::SHORTEST_NUMBER)),
        _ => None,
    }
}

fn object<S: Schema>(schema: &S, root: bool) -> Declared {
    // With each type, whether the property has a default.
    let mut types: BTreeMap<&str, (Declared, bool)> = BTreeMap::new();
    let properties = schema.properties();
    for (name, property) in &properties {
        if let Some(type_) = declare(property, property.is_embedded_resource()) {
            types.insert(name, (type_, property.has_default()));
        }
    }
    if root && !has_metadata(&types) {
        let text = || Declared {
            most: limits::REQUEST_BYTES - 2,
            ..Declared::plain(Type::String, limits::SHORTEST_STRING)
        };
        let fields = [("name".into(), text()), ("generateName".into(), text())].into();
        let metadata = Object { name: Object::UNNAMED.into(), fields };
        types.insert("kind", (text(), false));
        types.insert("apiVersion", (text(), false));
        types.insert("metadata", (Declared { kind: Kind::Object(metadata), most: 0, shortest: 2 }, false));
    }
    let mut fields = BTreeMap::new();
    let mut shortest = 2;
    for (name, (type_, has_default)) in types {
        if schema.is_required(name) && !has_default {
            // Two quotes, a colon and a comma.
            shortest += name.len() as u64 + type_.shortest + 4;
        }
        if let Some(escaped) = names::escape(name) {
            fields.insert(Arc::from(escaped), type_);
        }
    }
    Declared { kind: Kind::Object(Object { name: Object::UNNAMED.into(), fields }), most: 0, shortest }
}

/// Reports whether a schema has all that the root of a resource must have.
fn has_metadata(types: &BTreeMap<&str, (Declared, bool)>) -> bool {
    let is_text =
        |type_: Option<&Declared>| matches!(type_.map(|type_| &type_.kind), Some(Kind::Plain(Type::String)));
    let of = |name: &str| types.get(name).map(|(type_, _)| type_);
    let Some(Kind::Object(metadata)) = of("metadata").map(|metadata| &metadata.kind) else { return false };
    is_text(of("kind"))
        && is_text(of("apiVersion"))
        && is_text(metadata.fields.get("name"))
        && is_text(metadata.fields.get("generateName"))
}

fn text<S: Schema>(schema: &S) -> Declared {
    let (type_, shortest, most) = match schema.format() {
        "byte" => {
            let most = schema.max_length().map_or(limits::REQUEST_BYTES - 2, count);
            (Type::Bytes, limits::SHORTEST_STRING, most)
        }
        "duration" => (Type::Duration, limits::SHORTEST_DURATION, limits::LONGEST_DURATION),
        "date" => (Type::Timestamp, limits::DATE, limits::DATE),
        "date-time" => (Type::Timestamp, limits::SHORTEST_DATE_TIME, limits::LONGEST_DATE_TIME),
        _ => {
            let most = match schema.max_length() {
                Some(length) => characters(length),
                None => schema.longest_choice().unwrap_or(limits::REQUEST_BYTES - 2),
            };
            (Type::String, limits::SHORTEST_STRING, most)
        }
    };
    Declared { most, ..Declared::plain(type_, shortest) }
}

/// Returns a limit of a schema as a number; a negative one is none left.
fn count(limit: i64) -> u64 {
    u64::try_from(limit).unwrap_or(0)
}

/// Returns the bytes that so many characters may take.
fn characters(limit: i64) -> u64 {
    count(limit).saturating_mul(4)
}
