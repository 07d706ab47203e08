//! What the hub of the group wants said in one way only: Kubernetes' internal types hold JSON as a tree.

use rhumb_schema::text;
use rhumb_scheme::{ConvertError, SchemeBuilder};

use super::v1::{JSON, JSONSchemaProps};

/// Registers the functions.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder.hub_form(schema);
}

/// A default or example of `null` is none.
fn schema(schema: &mut JSONSchemaProps) -> Result<(), ConvertError> {
    for slot in [&mut schema.default, &mut schema.example] {
        if let Some(value) = slot {
            settle(value)?;
            if value.as_bytes().is_empty() {
                *slot = None;
            }
        }
    }
    schema.enum_.iter_mut().try_for_each(settle)
}

/// Compact, with sorted keys; `null` is nothing.
fn settle(json: &mut JSON) -> Result<(), ConvertError> {
    let raw = &mut json.0.0;
    if raw.is_empty() {
        return Ok(());
    }
    let tree = text::parse_tree(raw).map_err(|error| ConvertError::value(error.to_string()))?;
    raw.clear();
    if !tree.is_null() {
        text::encode(&tree, raw);
    }
    Ok(())
}
