//! Trees of JSON as expressions look at them, without a conversion.

use rhumb_cel::value::view::{Data, Pairs, Shape, View};
use rhumb_cel::value::{List, Map, Value};

/// Views a tree.
pub(crate) fn value(json: &serde_json::Value) -> Value<'_> {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(value) => Value::Int(value),
            None => Value::Double(number.as_f64().unwrap()),
        },
        serde_json::Value::String(text) => Value::from(text.as_str()),
        serde_json::Value::Array(_) => Value::List(List::View(json, &JSON)),
        serde_json::Value::Object(_) => Value::Map(Map::View(json, &JSON)),
    }
}

static JSON: Shape = Shape::fixed(&Json);

struct Json;

fn tree(data: &Data) -> &serde_json::Value {
    data.downcast_ref().unwrap()
}

impl View for Json {
    fn len(&self, data: &Data) -> usize {
        match tree(data) {
            serde_json::Value::Array(elements) => elements.len(),
            serde_json::Value::Object(entries) => entries.len(),
            _ => 0,
        }
    }

    fn element<'s>(&'s self, data: &'s Data, index: usize) -> Option<Value<'s>> {
        tree(data).as_array()?.get(index).map(value)
    }

    fn get<'s>(&'s self, data: &'s Data, key: &str) -> Option<Value<'s>> {
        tree(data).as_object()?.get(key).map(value)
    }

    fn pairs<'s>(&'s self, data: &'s Data) -> Pairs<'s> {
        let entries = tree(data).as_object().into_iter().flatten();
        Box::new(entries.map(|(key, tree)| (key.as_str(), value(tree))))
    }
}
