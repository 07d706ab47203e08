//! Patches: JSON patch, merge patch, strategic merge patch and server-side apply.
//!
//! All of it works on JSON trees and does no input or output. [`json_patch`], [`merge`] and [`strategic`]
//! apply what clients send; the latter two also make patches, as `apply` and `edit` on the command line need.
//! They give what Kubernetes gives, element order and error texts included ([`PatchError`]).

pub mod apply;
mod error;
mod go_text;
pub mod json_patch;
pub mod merge;
mod precondition;
pub mod strategic;

use rhumb_codec::yaml::from_json_value;
use serde_json::{Map, Value};

pub use error::PatchError;
pub use precondition::Precondition;

/// Returns the depth of a tree; a scalar has depth 0. It uses no recursion, so that any tree can be measured.
pub(crate) fn depth(tree: &Value) -> usize {
    let mut deepest = 0;
    let mut open = vec![(tree, 0usize)];
    while let Some((value, depth)) = open.pop() {
        deepest = deepest.max(depth);
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => open.extend(map.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    deepest
}

/// Returns the JSON type of a value in the words of Go's decoder.
pub(crate) fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Creates the error of two conflicting patches.
pub(crate) fn conflict_error(patch: Map<String, Value>, changes: Map<String, Value>) -> PatchError {
    let yaml = |map: Map<String, Value>| {
        let mut out = Vec::new();
        from_json_value(&Value::Object(map), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    };
    PatchError::Conflict { patch: yaml(patch), changes: yaml(changes) }
}
