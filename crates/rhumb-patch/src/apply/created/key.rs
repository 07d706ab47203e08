//! Key values of list elements, borrowed from the object.

use rhumb_schema::View;
use rhumb_schema::text::{is_plain, write_i64};
use serde_json::Value as Json;

use crate::apply::fields_v1::{Html, escape, write_quoted};

/// Maximum number of key fields of a list.
pub(super) const MAX_KEYS: usize = 4;

/// A value in a key or in a set, ordered like `Scalar`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeyValue<'v> {
    Int(i64),
    Str(&'v str),
    Bool(bool),
}

impl<'v> KeyValue<'v> {
    /// Filler of keys with fewer values.
    pub(super) const NONE: Self = KeyValue::Int(0);

    /// Returns a value of an object, if it is a simple one.
    pub(super) fn of(view: View<'v>) -> Option<Self> {
        match view {
            View::Int32(value) => Some(KeyValue::Int(value.into())),
            View::Int64(value) => Some(KeyValue::Int(value)),
            View::Str(value) => Some(KeyValue::Str(value)),
            View::Bool(value) => Some(KeyValue::Bool(value)),
            _ => None,
        }
    }

    /// Returns a value of a tree, if it is a simple one.
    pub(super) fn of_tree(tree: &'v Json) -> Option<Self> {
        match tree {
            Json::Number(number) => number.as_i64().map(KeyValue::Int),
            Json::String(text) => Some(KeyValue::Str(text)),
            Json::Bool(value) => Some(KeyValue::Bool(*value)),
            _ => None,
        }
    }

    /// Appends it as it stands in a step, which is a text in JSON itself.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        match self {
            KeyValue::Int(value) => write_i64(value, out),
            KeyValue::Bool(true) => out.extend_from_slice(b"true"),
            KeyValue::Bool(false) => out.extend_from_slice(b"false"),
            KeyValue::Str(text) if is_plain(text.as_bytes()) => {
                out.extend_from_slice(b"\\\"");
                out.extend_from_slice(text.as_bytes());
                out.extend_from_slice(b"\\\"");
            }
            KeyValue::Str(text) => {
                let mut quoted = Vec::with_capacity(text.len() + 8);
                write_quoted(text, &mut quoted);
                escape(&quoted, Html::Plain, out);
            }
        }
    }
}
