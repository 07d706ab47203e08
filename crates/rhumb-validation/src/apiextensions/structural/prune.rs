//! Dropping what a schema doesn't know, and filling in what it has defaults for.

use serde_json::Value as Json;

use super::Structural;

/// The fields that every object has.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Whether a value is a whole object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// It is: `apiVersion`, `kind` and `metadata` are known in it.
    Object,
    /// It is a part of one.
    Part,
}

impl Structural {
    /// Drops the fields that the schema doesn't know, and gives their paths in order.
    pub fn prune(&self, value: &mut Json, root: Root) -> Vec<String> {
        let mut pruner = Pruner { path: String::new(), dropped: Vec::new() };
        let is_object = root == Root::Object || self.extensions.embedded_resource;
        pruner.value(value, Some(self), is_object);
        pruner.dropped.sort();
        pruner.dropped
    }

    /// Fills in the defaults of what is not there, or is `null` and may not be.
    pub fn fill_defaults(&self, value: &mut Json) {
        match value {
            Json::Object(object) => {
                for (name, property) in &self.properties {
                    if let Some(default) = &property.generic.default
                        && object.get(name).is_none_or(|value| property.refuses_null(value))
                    {
                        object.insert(name.clone(), default.clone());
                    }
                }
                for (name, value) in object {
                    let additional = || self.additional_properties.as_ref().and_then(|more| more.schema());
                    match self.properties.get(name) {
                        Some(property) => property.fill_defaults(value),
                        None => fill_element(value, additional()),
                    }
                }
            }
            Json::Array(items) => {
                items.iter_mut().for_each(|item| fill_element(item, self.items.as_deref()));
            }
            _ => {}
        }
    }

    fn refuses_null(&self, value: &Json) -> bool {
        value.is_null() && !self.generic.nullable
    }
}

fn fill_element(value: &mut Json, schema: Option<&Structural>) {
    if let Some(schema) = schema {
        if schema.refuses_null(value) {
            *value = schema.generic.default.clone().unwrap_or_default();
        }
        schema.fill_defaults(value);
    }
}

struct Pruner {
    path: String,
    dropped: Vec<String>,
}

impl Pruner {
    fn below(&mut self, step: &str, visit: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if !step.starts_with('[') && length > 0 {
            self.path.push('.');
        }
        self.path.push_str(step);
        visit(self);
        self.path.truncate(length);
    }

    /// Drops what is unknown in a value.
    fn value(&mut self, value: &mut Json, schema: Option<&Structural>, is_object: bool) {
        if let Some(schema) = schema
            && schema.extensions.preserve_unknown_fields
        {
            self.preserved(value, schema, is_object);
            return;
        }
        match value {
            Json::Object(object) => object.retain(|name, value| {
                let is_meta = META.contains(&name.as_str());
                if is_object && is_meta {
                    return true;
                }
                let known = schema.and_then(|schema| below(schema, name));
                match known {
                    Some(schema) => self.below(name, |pruner| pruner.part(value, schema)),
                    None if is_meta && self.path.is_empty() => {}
                    None => self.below(name, |pruner| pruner.dropped.push(pruner.path.clone())),
                }
                known.is_some()
            }),
            Json::Array(items) => self.items(items, schema.and_then(|schema| schema.items.as_deref())),
            _ => {}
        }
    }

    fn part(&mut self, value: &mut Json, schema: Option<&Structural>) {
        self.value(value, schema, schema.is_some_and(|schema| schema.extensions.embedded_resource));
    }

    fn items(&mut self, items: &mut [Json], schema: Option<&Structural>) {
        for (index, item) in items.iter_mut().enumerate() {
            self.below(&format!("[{index}]"), |pruner| pruner.part(item, schema));
        }
    }

    /// Keeps what is unknown in a value, and goes on where the schema knows more.
    fn preserved(&mut self, value: &mut Json, schema: &Structural, is_object: bool) {
        match value {
            Json::Object(object) => {
                for (name, value) in object {
                    if is_object && META.contains(&name.as_str()) {
                        continue;
                    }
                    if let Some(schema) = below(schema, name) {
                        self.below(name, |pruner| pruner.part(value, schema));
                    }
                }
            }
            Json::Array(items) => {
                let Some(schema) = schema.items.as_deref() else { return };
                for (index, item) in items.iter_mut().enumerate() {
                    let is_object = schema.extensions.embedded_resource;
                    self.below(&format!("[{index}]"), |pruner| pruner.preserved(item, schema, is_object));
                }
            }
            _ => {}
        }
    }
}

/// Whether a schema knows a field, and what it knows of it.
fn below<'a>(schema: &'a Structural, name: &str) -> Option<Option<&'a Structural>> {
    match (schema.properties.get(name), &schema.additional_properties) {
        (Some(property), _) => Some(Some(property)),
        (None, Some(additional)) => Some(additional.schema()),
        (None, None) => None,
    }
}
