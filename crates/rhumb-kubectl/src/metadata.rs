//! Metadata of unstructured objects, with the semantics of Go's accessors: malformed values count as missing, and a
//! map that is set is kept even if empty.

use std::collections::BTreeMap;

use rhumb_scheme::Unstructured;
use serde_json::{Map, Value};

/// Returns a text of the metadata; empty if there is none.
pub(crate) fn text<'a>(object: &'a Unstructured, field: &str) -> &'a str {
    object.get(&["metadata", field]).and_then(Value::as_str).unwrap_or_default()
}

/// Returns a map of texts in the metadata: labels, annotations. A value that is no text makes it as if there were
/// none.
fn texts(object: &Unstructured, field: &str) -> Option<BTreeMap<String, String>> {
    let map = object.get(&["metadata", field])?.as_object()?;
    let mut texts = BTreeMap::new();
    for (key, value) in map {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            _ => return None,
        };
        texts.insert(key.clone(), text);
    }
    Some(texts)
}

fn set_texts(object: &mut Unstructured, field: &str, texts: BTreeMap<String, String>) {
    let map: Map<String, Value> = texts.into_iter().map(|(key, text)| (key, Value::from(text))).collect();
    object.set(&["metadata", field], Value::Object(map));
}

/// Returns the labels.
pub(crate) fn labels(object: &Unstructured) -> BTreeMap<String, String> {
    texts(object, "labels").unwrap_or_default()
}

/// Sets the labels.
pub(crate) fn set_labels(object: &mut Unstructured, labels: BTreeMap<String, String>) {
    set_texts(object, "labels", labels);
}

/// Returns the annotations.
pub(crate) fn annotations(object: &Unstructured) -> BTreeMap<String, String> {
    texts(object, "annotations").unwrap_or_default()
}

/// Sets the annotations.
pub(crate) fn set_annotations(object: &mut Unstructured, annotations: BTreeMap<String, String>) {
    set_texts(object, "annotations", annotations);
}

/// Sets a text of the metadata; an empty one is taken away.
pub(crate) fn set_text(object: &mut Unstructured, field: &str, text: &str) {
    if !text.is_empty() {
        object.set(&["metadata", field], Value::from(text));
    } else if let Some(Value::Object(metadata)) = object.fields_mut().get_mut("metadata") {
        metadata.remove(field);
    }
}

/// Takes the list of who set which fields out of an object.
pub(crate) fn take_managed_fields(object: &mut Unstructured) -> Option<Value> {
    match object.fields_mut().get_mut("metadata") {
        Some(Value::Object(metadata)) => metadata.remove("managedFields"),
        _ => None,
    }
}

/// Formats an object as Go writes it: one line of JSON with its end.
pub(crate) fn json_line(object: &Unstructured) -> Vec<u8> {
    let mut text = json(object.tree());
    text.push(b'\n');
    text
}

/// Formats a tree as Go writes it.
pub(crate) fn json(tree: &Value) -> Vec<u8> {
    let mut text = Vec::new();
    rhumb_schema::text::encode(tree, &mut text);
    text
}
