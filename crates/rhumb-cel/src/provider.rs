//! Objects that expressions may look into: which fields they have, and of what types.
//!
//! A provider answers by name. It knows nothing of values.

use std::sync::Arc;

use crate::types::Type;

/// What is known of objects and other types by name.
pub trait TypeProvider: Send + Sync {
    /// Finds the object type of this name, without a leading dot: [`Type::object`] of it, as a rule.
    fn find_object(&self, name: &str) -> Option<Type>;

    /// Finds the type of a field.
    fn find_field(&self, object: &str, field: &str) -> Option<Type>;

    /// Lists the names of an object's fields.
    fn field_names(&self, object: &str) -> Option<Vec<Arc<str>>> {
        let _ = object;
        None
    }

    /// Finds a type that is no object but may be named in expressions.
    fn find_type(&self, name: &str) -> Option<Type> {
        let _ = name;
        None
    }

    /// Finds the number of an enum's value by its full name.
    fn enum_value(&self, name: &str) -> Option<i64> {
        let _ = name;
        None
    }
}

/// The messages of protobuf that every environment knows: wrappers, JSON values, time, `Any` and `Empty`.
#[derive(Clone, Copy, Debug, Default)]
pub struct WellKnownTypes;

/// The package of the well-known messages, with its dot.
const PACKAGE: &str = "google.protobuf.";

/// The well-known messages with the names of their fields.
const MESSAGES: &[(&str, &[&str])] = &[
    ("Any", &["type_url", "value"]),
    ("BoolValue", &["value"]),
    ("BytesValue", &["value"]),
    ("DoubleValue", &["value"]),
    ("Duration", &["seconds", "nanos"]),
    ("Empty", &[]),
    ("FloatValue", &["value"]),
    ("Int32Value", &["value"]),
    ("Int64Value", &["value"]),
    ("ListValue", &["values"]),
    ("StringValue", &["value"]),
    ("Struct", &["fields"]),
    ("Timestamp", &["seconds", "nanos"]),
    ("UInt32Value", &["value"]),
    ("UInt64Value", &["value"]),
    ("Value", &["null_value", "number_value", "string_value", "bool_value", "struct_value", "list_value"]),
];

impl WellKnownTypes {
    fn message(name: &str) -> Option<&'static (&'static str, &'static [&'static str])> {
        let name = name.strip_prefix(PACKAGE)?;
        MESSAGES.iter().find(|(message, _)| *message == name)
    }
}

impl TypeProvider for WellKnownTypes {
    fn find_object(&self, name: &str) -> Option<Type> {
        Self::message(name).map(|_| Type::object(name))
    }

    fn find_field(&self, object: &str, field: &str) -> Option<Type> {
        let (message, fields) = Self::message(object)?;
        if !fields.contains(&field) {
            return None;
        }
        Some(match (*message, field) {
            ("Any", "type_url") | ("StringValue", _) | ("Value", "string_value") => Type::String,
            ("Any", "value") | ("BytesValue", _) => Type::Bytes,
            ("BoolValue", _) | ("Value", "bool_value") => Type::Bool,
            ("DoubleValue" | "FloatValue", _) | ("Value", "number_value") => Type::Double,
            ("UInt32Value" | "UInt64Value", _) => Type::Uint,
            ("ListValue", _) | ("Value", "list_value") => Type::list(Type::Dyn),
            ("Struct", _) | ("Value", "struct_value") => Type::map(Type::String, Type::Dyn),
            _ => Type::Int,
        })
    }

    fn field_names(&self, object: &str) -> Option<Vec<Arc<str>>> {
        Self::message(object).map(|(_, fields)| fields.iter().map(|field| Arc::from(*field)).collect())
    }

    fn find_type(&self, name: &str) -> Option<Type> {
        Some(match name {
            "bool" => Type::Bool,
            "bytes" => Type::Bytes,
            "double" => Type::Double,
            "int" => Type::Int,
            "list" => Type::list(Type::Dyn),
            "map" => Type::map(Type::Dyn, Type::Dyn),
            "null_type" => Type::Null,
            "string" => Type::String,
            "type" => Type::Type(None),
            "uint" => Type::Uint,
            _ => return None,
        })
    }

    fn enum_value(&self, name: &str) -> Option<i64> {
        (name == "google.protobuf.NullValue.NULL_VALUE").then_some(0)
    }
}
