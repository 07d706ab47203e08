//! Filling in what is absent.

use serde_json::Value as Json;

use crate::Structural;
use crate::compile::Node;

impl Structural {
    /// Fills in the defaults of fields that are absent, or null where they may not be. Metadata stays as it
    /// is.
    pub fn default(&self, object: &mut Json) {
        let metadata = object.as_object_mut().and_then(|object| object.remove("metadata"));
        default(object, &self.root);
        if let Some(object) = object.as_object_mut() {
            match metadata {
                Some(metadata) => object.insert("metadata".to_owned(), metadata),
                None => object.remove("metadata"),
            };
        }
    }
}

fn default(value: &mut Json, schema: &Node) {
    match value {
        Json::Object(object) => {
            for (name, property) in schema.properties() {
                let Some(default) = &property.default else { continue };
                if object.get(name).is_none_or(|value| value.is_null() && !property.nullable) {
                    object.insert(name.to_owned(), (**default).clone());
                }
            }
            for (name, value) in object.iter_mut() {
                if let Some(property) = schema.property(name) {
                    default(value, property);
                } else if let Some(additional) = schema.additional.schema() {
                    element(value, additional);
                }
            }
        }
        Json::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| element(item, schema));
            }
        }
        _ => {}
    }
}

/// An entry of a map or a list, which is there and so has its default only in place of a null.
fn element(value: &mut Json, schema: &Node) {
    if value.is_null() && !schema.nullable {
        *value = schema.default.as_deref().cloned().unwrap_or_default();
    }
    default(value, schema);
}
