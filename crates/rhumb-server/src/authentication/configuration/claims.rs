//! Claims of a token as expressions see them.
//!
//! Unlike elsewhere in Kubernetes, every number is a floating-point one, and maps are asked for names with escapes:
//! `claims.kubernetes__dot__io` is the claim `kubernetes.io`.

use std::borrow::Cow;

use rhumb_cel::value::view::{Data, Pairs, Shape, View};
use rhumb_cel::value::{List, Map, Value};
use rhumb_cel_kubernetes::names;
use serde_json::Value as Json;

/// Returns a tree as a value: objects are maps, arrays are lists, numbers are doubles.
pub(crate) fn value(tree: &Json) -> Value<'_> {
    match tree {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(_) => Value::List(List::View(tree, &SHAPE)),
        Json::Object(_) => Value::Map(Map::View(tree, &SHAPE)),
    }
}

static SHAPE: Shape = Shape::fixed(&Claims);

/// View of claims.
struct Claims;

/// Returns the data as the tree that [`value`] made a reference to.
fn tree(data: &Data) -> &Json {
    data.downcast_ref().unwrap_or(&Json::Null)
}

/// Returns the name that an expression means.
fn unescaped(key: &str) -> Cow<'_, str> {
    // Most names have no escape.
    if !key.contains("__") {
        return Cow::Borrowed(key);
    }
    names::unescape(key).map_or(Cow::Borrowed(key), Cow::Owned)
}

impl View for Claims {
    fn len(&self, data: &Data) -> usize {
        match tree(data) {
            Json::Array(elements) => elements.len(),
            Json::Object(entries) => entries.len(),
            _ => 0,
        }
    }

    fn element<'s>(&'s self, data: &'s Data, index: usize) -> Option<Value<'s>> {
        tree(data).as_array()?.get(index).map(value)
    }

    fn get<'s>(&'s self, data: &'s Data, key: &str) -> Option<Value<'s>> {
        tree(data).as_object()?.get(unescaped(key).as_ref()).map(value)
    }

    fn pairs<'s>(&'s self, data: &'s Data) -> Pairs<'s> {
        let entries = tree(data).as_object().into_iter().flatten();
        Box::new(entries.map(|(key, tree)| (key.as_str(), value(tree))))
    }
}
