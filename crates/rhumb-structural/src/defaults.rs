//! Defaulting of custom resources.
//!
//! A default is as long as a definition says, and as often filled in as an object has elements, so the two multiply.
//! What is filled in is bounded by more than the store takes for an object: whoever goes beyond could not store it
//! anyway.

use std::fmt;

use rhumb_schema::budget;
use serde_json::Value as Json;

use crate::Structural;
use crate::compile::{DefaultValue, Node};

/// Maximum size of defaults added to an object, as JSON.
const MAX_INSERTED: usize = 4 << 20;

/// Error: defaults exceed the limit of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DefaultsTooLarge {
    /// The limit in bytes.
    pub limit: usize,
}

impl fmt::Display for DefaultsTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the defaults of the object's fields are larger than {} bytes", self.limit)
    }
}

impl std::error::Error for DefaultsTooLarge {}

impl Structural {
    /// Fills in the defaults of fields that are absent, or null where they may not be. Metadata stays as it
    /// is.
    ///
    /// # Errors
    /// If they would become too large. The object has some of them then.
    pub fn default(&self, object: &mut Json) -> Result<(), DefaultsTooLarge> {
        let metadata = object.as_object_mut().and_then(|object| object.remove("metadata"));
        let outcome = Room { left: MAX_INSERTED }.default(object, &self.root);
        if let Some(object) = object.as_object_mut() {
            match metadata {
                Some(metadata) => object.insert("metadata".to_owned(), metadata),
                None => object.remove("metadata"),
            };
        }
        outcome
    }
}

/// Remaining size of defaults.
struct Room {
    left: usize,
}

impl Room {
    /// Returns a copy of a default, if there is room for it.
    fn copy(&mut self, default: &DefaultValue) -> Result<Json, DefaultsTooLarge> {
        self.left = self
            .left
            .checked_sub(default.size)
            .filter(|_| budget::take(default.size))
            .ok_or(DefaultsTooLarge { limit: MAX_INSERTED })?;
        Ok(default.value.clone())
    }

    fn default(&mut self, value: &mut Json, schema: &Node) -> Result<(), DefaultsTooLarge> {
        if budget::is_stopped() {
            return Ok(());
        }
        match value {
            Json::Object(object) => {
                for (name, property) in schema.properties() {
                    let Some(default) = &property.default else { continue };
                    if object.get(name).is_none_or(|value| value.is_null() && !property.nullable) {
                        object.insert(name.to_owned(), self.copy(default)?);
                    }
                }
                for (name, value) in object.iter_mut() {
                    if let Some(property) = schema.property(name) {
                        self.default(value, property)?;
                    } else if let Some(additional) = schema.additional.schema() {
                        self.element(value, additional)?;
                    }
                }
            }
            Json::Array(items) => {
                if let Some(schema) = &schema.items {
                    for item in items {
                        self.element(item, schema)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// An entry of a map or a list, which is there and so has its default only in place of a null.
    fn element(&mut self, value: &mut Json, schema: &Node) -> Result<(), DefaultsTooLarge> {
        if value.is_null()
            && !schema.nullable
            && let Some(default) = &schema.default
        {
            *value = self.copy(default)?;
        }
        self.default(value, schema)
    }
}
