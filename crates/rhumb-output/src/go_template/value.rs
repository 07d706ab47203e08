//! Values of templates, with their Go types.

use std::borrow::Cow;

use rhumb_jsonpath::go_text;
use serde_json::{Map, Value as Json};

/// A value and whether it is in an interface: elements of maps and lists are, results of pipelines are not. Errors
/// contain the visible type.
#[derive(Clone, Debug)]
pub(super) struct Value<'a> {
    pub(super) form: Form<'a>,
    boxed: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Form<'a> {
    /// No value: the result for a missing key.
    Nothing,
    /// Null, in an interface.
    Nil,
    Bool(bool),
    /// A number that a template wrote or a function counted.
    Int(i64),
    /// A number of the object.
    Int64(i64),
    Byte(u8),
    Float(f64),
    Text(Cow<'a, str>),
    /// A text that is no UTF-8, which Go's may be.
    Bytes(Vec<u8>),
    List(&'a [Json]),
    Map(&'a Map<String, Json>),
}

impl<'a> From<Form<'a>> for Value<'a> {
    fn from(form: Form<'a>) -> Value<'a> {
        Value { form, boxed: false }
    }
}

impl<'a> Value<'a> {
    /// No value.
    pub(super) const NOTHING: Value<'static> = Value { form: Form::Nothing, boxed: false };

    /// Creates the value of a map or list element.
    pub(super) fn element(tree: &'a Json) -> Value<'a> {
        let form = match tree {
            Json::Null => Form::Nil,
            Json::Bool(truth) => Form::Bool(*truth),
            Json::Number(number) => match number.as_i64() {
                Some(whole) => Form::Int64(whole),
                None => Form::Float(number.as_f64().unwrap_or_default()),
            },
            Json::String(text) => Form::Text(Cow::Borrowed(text)),
            Json::Array(items) => Form::List(items),
            Json::Object(map) => Form::Map(map),
        };
        Value { form, boxed: true }
    }

    pub(super) fn nil() -> Value<'a> {
        Value { form: Form::Nil, boxed: true }
    }

    pub(super) fn text(text: impl Into<Cow<'a, str>>) -> Value<'a> {
        Form::Text(text.into()).into()
    }

    /// Returns a text of bytes that need not be UTF-8.
    pub(super) fn bytes(bytes: Vec<u8>) -> Value<'a> {
        match String::from_utf8(bytes) {
            Ok(text) => Value::text(text),
            Err(error) => Form::Bytes(error.into_bytes()).into(),
        }
    }

    /// Returns the value without its interface; null becomes no value.
    pub(super) fn unboxed(self) -> Value<'a> {
        match self.form {
            Form::Nil => Value::NOTHING,
            form => Value { form, boxed: false },
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self.form, Form::Nothing)
    }

    pub(super) fn is_nil(&self) -> bool {
        matches!(self.form, Form::Nil)
    }

    /// Returns the name of the type that is seen.
    pub(super) fn type_name(&self) -> &'static str {
        if self.boxed { "interface {}" } else { self.form.type_name() }
    }

    /// Reports whether the value counts as true: it is not zero or empty.
    pub(super) fn is_true(&self) -> bool {
        match &self.form {
            Form::Nothing | Form::Nil => false,
            Form::Bool(truth) => *truth,
            Form::Int(number) | Form::Int64(number) => *number != 0,
            Form::Byte(byte) => *byte != 0,
            Form::Float(number) => *number != 0.0,
            Form::Text(text) => !text.is_empty(),
            Form::Bytes(bytes) => !bytes.is_empty(),
            Form::List(items) => !items.is_empty(),
            Form::Map(map) => !map.is_empty(),
        }
    }

    /// Returns the value as `%v` shows it.
    pub(super) fn plain(&self) -> String {
        match &self.form {
            Form::Nothing | Form::Nil => "<nil>".to_owned(),
            Form::Bool(truth) => truth.to_string(),
            Form::Int(number) | Form::Int64(number) => number.to_string(),
            Form::Byte(byte) => byte.to_string(),
            Form::Float(number) => go_text::float(*number),
            Form::Text(text) => text.clone().into_owned(),
            Form::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Form::List(items) => {
                let items: Vec<String> = items.iter().map(go_text::plain).collect();
                format!("[{}]", items.join(" "))
            }
            Form::Map(map) => {
                let entries = map.iter().map(|(key, value)| format!("{key}:{}", go_text::plain(value)));
                format!("map[{}]", entries.collect::<Vec<_>>().join(" "))
            }
        }
    }
}

impl Form<'_> {
    /// Returns the name of the type in Go.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Form::Nothing | Form::Nil => "<nil>",
            Form::Bool(_) => "bool",
            Form::Int(_) => "int",
            Form::Int64(_) => "int64",
            Form::Byte(_) => "uint8",
            Form::Float(_) => "float64",
            Form::Text(_) | Form::Bytes(_) => "string",
            Form::List(_) => "[]interface {}",
            Form::Map(_) => "map[string]interface {}",
        }
    }
}
