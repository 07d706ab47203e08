//! Results of templates.

use rhumb_schema::text::encode;
use serde_json::Value as Json;

use crate::go_text;

/// A result: usually a part of the object.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// A part of the object.
    Tree(&'a Json),
    /// A text of the template.
    Text(&'a str),
    /// A whole number of the template.
    Int(i64),
    /// A number of the template.
    Float(f64),
    /// A truth value of the template.
    Bool(bool),
    /// A byte of a text, which is what all elements of a text are.
    Byte(u8),
    /// Nothing, as seen by a loop over nothing.
    Nothing,
}

impl<'a> Value<'a> {
    /// Returns the part of the object, if it is one.
    pub fn tree(self) -> Option<&'a Json> {
        match self {
            Value::Tree(tree) => Some(tree),
            _ => None,
        }
    }

    /// Returns the value as Go's `%v` shows it.
    pub fn plain(self) -> String {
        match self {
            Value::Tree(tree) => go_text::plain(tree),
            Value::Text(text) => text.to_owned(),
            Value::Int(number) => number.to_string(),
            Value::Float(number) => go_text::float(number),
            Value::Bool(truth) => truth.to_string(),
            Value::Byte(byte) => byte.to_string(),
            Value::Nothing => "<invalid reflect.Value>".to_owned(),
        }
    }

    /// Returns the value as a template prints it: texts, numbers and truth values as they are, lists and maps as JSON.
    pub fn printed(self) -> String {
        match self {
            Value::Tree(Json::Null) => "null".to_owned(),
            Value::Tree(tree @ (Json::Array(_) | Json::Object(_))) => {
                let mut text = Vec::new();
                encode(tree, &mut text);
                String::from_utf8_lossy(&text).into_owned()
            }
            Value::Nothing => "<no value>".to_owned(),
            other => other.plain(),
        }
    }

    /// Returns the value as a tree of its own.
    pub fn to_tree(self) -> Json {
        match self {
            Value::Tree(tree) => tree.clone(),
            Value::Text(text) => Json::from(text),
            Value::Int(number) => Json::from(number),
            Value::Float(number) => Json::from(number),
            Value::Bool(truth) => Json::from(truth),
            Value::Byte(byte) => Json::from(byte),
            Value::Nothing => Json::Null,
        }
    }

    /// Returns the name of the value's type in Go.
    pub(crate) fn type_name(self) -> &'static str {
        match self {
            Value::Tree(tree) => go_text::type_name(tree),
            Value::Text(_) => "string",
            Value::Int(_) => "int",
            Value::Float(_) => "float64",
            Value::Bool(_) => "bool",
            Value::Byte(_) => "uint8",
            Value::Nothing => "<nil>",
        }
    }

    pub(crate) fn is_nil(self) -> bool {
        matches!(self, Value::Tree(Json::Null))
    }

    /// Returns the elements of a list, the values of a map, or the bytes of a text.
    pub(crate) fn children(self) -> Vec<Value<'a>> {
        match self {
            Value::Tree(Json::Array(items)) => items.iter().map(Value::Tree).collect(),
            Value::Tree(Json::Object(map)) => map.values().map(Value::Tree).collect(),
            Value::Tree(Json::String(text)) => text.bytes().map(Value::Byte).collect(),
            Value::Text(text) => text.bytes().map(Value::Byte).collect(),
            _ => Vec::new(),
        }
    }
}
