//! Pruning of unknown fields.

use rhumb_schema::budget;
use serde_json::Value as Json;

use crate::Structural;
use crate::compile::Node;

impl Structural {
    /// Drops the fields that the schema doesn't know, and gives their paths in order: `spec.list[0].foo`.
    pub fn prune(&self, object: &mut Json) -> Vec<String> {
        let mut pruner = Pruner::default();
        pruner.prune(object, Some(&self.root), self.root.preserve, Place::Object);
        pruner.dropped.sort();
        pruner.dropped
    }

    /// Drops fields that are null where they may not be, and where no default would take their place.
    pub fn drop_nulls(&self, object: &mut Json) {
        drop_nulls(object, Some(&self.root));
    }
}

/// Drops the fields of a value, or of an object that is marked as one, that a schema doesn't know.
pub(crate) fn prune(value: &mut Json, schema: &Node) {
    Pruner::default().prune(value, Some(schema), schema.preserve, Place::Value);
}

/// Maximum number of bytes of reported paths; responses hold far less.
const MAX_WRITTEN: usize = 16 << 20;

fn is_meta_field(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// Type of a pruned value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The object itself, which has metadata in any case.
    Object,
    Value,
}

#[derive(Default)]
struct Pruner {
    path: String,
    dropped: Vec<String>,
    /// Bytes of reported paths.
    written: usize,
}

impl Pruner {
    fn enter(&mut self, key: &str) -> usize {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
        length
    }

    /// Prunes a value. Known fields are pruned also where unknown ones are preserved.
    fn prune(&mut self, value: &mut Json, schema: Option<&Node>, preserve: bool, place: Place) {
        if budget::is_stopped() {
            return;
        }
        match value {
            Json::Object(object) => {
                object.retain(|name, value| {
                    if schema.is_some_and(|schema| place == Place::Object || schema.embedded)
                        && is_meta_field(name)
                    {
                        return true;
                    }
                    let length = self.enter(name);
                    let known = schema.and_then(|schema| schema.property(name));
                    let is_kept = if let Some(known) = known {
                        self.prune(value, Some(known), known.preserve, Place::Value);
                        true
                    } else if let Some(schema) = schema.filter(|schema| schema.additional.is_said()) {
                        let additional = schema.additional.schema().map(|node| &**node);
                        let below = additional.is_some_and(|node| node.preserve);
                        self.prune(value, additional, below, Place::Value);
                        true
                    } else {
                        if !preserve && self.written < MAX_WRITTEN {
                            self.written += self.path.len();
                            self.dropped.push(self.path.clone());
                        }
                        preserve
                    };
                    self.path.truncate(length);
                    is_kept
                });
            }
            Json::Array(items) => {
                let below = schema.and_then(|schema| schema.items.as_deref());
                if below.is_none() && preserve {
                    return;
                }
                for (index, item) in items.iter_mut().enumerate() {
                    let length = self.path.len();
                    self.path.push_str(&format!("[{index}]"));
                    // The elements of a list whose unknown fields are preserved keep theirs.
                    let preserve = preserve || below.is_some_and(|node| node.preserve);
                    self.prune(item, below, preserve, Place::Value);
                    self.path.truncate(length);
                }
            }
            _ => {}
        }
    }
}

fn drop_nulls(value: &mut Json, schema: Option<&Node>) {
    match value {
        Json::Object(object) => object.retain(|name, value| {
            let below = schema.and_then(|schema| schema.field(name));
            let is_dropped =
                value.is_null() && below.is_some_and(|below| !below.nullable && below.default.is_none());
            if !is_dropped {
                drop_nulls(value, below);
            }
            !is_dropped
        }),
        Json::Array(items) => {
            let below = schema.and_then(|schema| schema.items.as_deref());
            items.iter_mut().for_each(|item| drop_nulls(item, below));
        }
        _ => {}
    }
}
