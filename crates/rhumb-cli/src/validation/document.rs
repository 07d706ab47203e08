//! Validation of objects against a server's OpenAPI v2 document.

use std::collections::HashMap;

use rhumb_codec::{Strictness, json};
use rhumb_meta::{GroupVersion, GroupVersionKind};
use serde_json::{Map, Value};

use super::kind_of;

/// Extension with the kinds of a definition or path.
pub(super) const KINDS: &str = "x-kubernetes-group-version-kind";

/// An OpenAPI document.
#[derive(Debug)]
pub(super) struct Document {
    tree: Value,
    /// The definitions of kinds, by name.
    kinds: HashMap<GroupVersionKind, String>,
}

impl Document {
    /// Reads a document in JSON.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        let (tree, _) = json::decode_tree(text, Strictness::Ignore).map_err(|error| error.to_string())?;
        let definitions = tree.get("definitions").and_then(Value::as_object).into_iter().flatten();
        let kinds = definitions.flat_map(|(name, definition)| {
            let kinds = definition.get(KINDS).and_then(Value::as_array).into_iter().flatten();
            kinds.map(move |kind| (kind_in(kind), name.clone()))
        });
        let kinds = kinds.collect();
        Ok(Document { tree, kinds })
    }

    /// Reports whether patches of a kind take a parameter. A kind that the document doesn't have is taken to be a
    /// custom resource, with which the server does as with namespaces.
    pub(super) fn has_parameter(&self, kind: &GroupVersionKind, name: &str) -> bool {
        if *kind == list() {
            return false;
        }
        self.patch_has(kind, name)
            .or_else(|| self.patch_has(&GroupVersionKind::new_static("", "v1", "Namespace"), name))
            .unwrap_or(false)
    }

    /// Reports the same for patches of the kind.
    fn patch_has(&self, kind: &GroupVersionKind, name: &str) -> Option<bool> {
        let paths = self.tree.get("paths").and_then(Value::as_object)?;
        let mut patched = paths.values().filter(|path| {
            path.get("patch").and_then(|patch| patch.get(KINDS)).is_some_and(|of| kind_in(of) == *kind)
        });
        let path = patched.next()?;
        let lists = [path.get("parameters"), path.get("patch").and_then(|patch| patch.get("parameters"))];
        let mut parameters = lists.into_iter().flatten().filter_map(Value::as_array).flatten();
        Some(parameters.any(|parameter| {
            let parameter = match parameter.get("$ref").and_then(Value::as_str) {
                Some(reference) => self.tree.pointer(reference.trim_start_matches('#')),
                None => Some(parameter),
            };
            parameter.and_then(|parameter| parameter.get("name")).and_then(Value::as_str) == Some(name)
        }))
    }

    /// Returns the problems of an object. Kinds that the document lacks have none; items of a `v1` List are checked
    /// one by one.
    pub(super) fn problems(&self, object: &Value) -> Vec<String> {
        let kind = kind_of(object);
        if kind == list() {
            let items = object.get("items").and_then(Value::as_array).into_iter().flatten();
            return items.flat_map(|item| self.problems(item)).collect();
        }
        let Some(name) = self.kinds.get(&kind) else { return Vec::new() };
        let Some(definition) = self.definition(name) else { return Vec::new() };
        let mut check = Check { document: self, problems: Vec::new() };
        check.value(definition, name, object, &kind.kind);
        check.problems
    }

    fn definition(&self, name: &str) -> Option<&Map<String, Value>> {
        self.tree.get("definitions")?.get(name)?.as_object()
    }
}

fn list() -> GroupVersionKind {
    GroupVersionKind::new_static("", "v1", "List")
}

fn kind_in(kind: &Value) -> GroupVersionKind {
    let text = |field: &str| kind.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    GroupVersion::new(text("group"), text("version")).with_kind(text("kind"))
}

/// Walk through an object along its definition.
struct Check<'a> {
    document: &'a Document,
    problems: Vec<String>,
}

impl Check<'_> {
    fn problem(&mut self, path: &str, what: String) {
        self.problems.push(format!("ValidationError({path}): {what}"));
    }

    /// Checks a value against a schema. `place` is where the schema stands in the document, `path` where the value
    /// stands in the object.
    fn value(&mut self, schema: &Map<String, Value>, place: &str, value: &Value, path: &str) {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let name = reference.trim_start_matches("#/definitions/");
            let document = self.document;
            if let Some(definition) = document.definition(name) {
                self.value(definition, name, value, path);
            }
            return;
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let expected = schema.get("type").and_then(Value::as_str);
        match (expected, properties, value) {
            (_, Some(properties), Value::Object(fields)) => {
                self.fields(schema, properties, place, fields, path);
            }
            (Some("object"), None, Value::Object(fields)) => {
                let of = schema.get("additionalProperties").and_then(Value::as_object);
                for (key, value) in sorted(fields) {
                    let path = format!("{path}.{key}");
                    match of {
                        _ if value.is_null() => self.problems.push(unknown("nil", &path)),
                        Some(of) => self.value(of, place, value, &path),
                        None => {}
                    }
                }
            }
            (Some("array"), _, Value::Array(items)) => {
                let of = schema.get("items").and_then(Value::as_object);
                for (index, item) in items.iter().enumerate() {
                    let at = format!("{path}[{index}]");
                    match of {
                        _ if item.is_null() => self.problem(path, unknown("nil", &at)),
                        Some(of) => self.value(of, place, item, &at),
                        None => {}
                    }
                }
            }
            // A schema that says nothing takes everything, and a number or a truth can be a text.
            (None, None, _) => {}
            (Some("string"), _, Value::String(_) | Value::Number(_) | Value::Bool(_)) => {}
            (Some("integer" | "number"), _, Value::Number(_)) | (Some("boolean"), _, Value::Bool(_)) => {}
            (expected, _, value) => {
                let expected = match expected {
                    None | Some("object") => "map",
                    Some(expected) => expected,
                };
                let got = name_of(value);
                self.problem(path, format!("invalid type for {place}: got {got:?}, expected {expected:?}"));
            }
        }
    }

    fn fields(
        &mut self,
        schema: &Map<String, Value>,
        properties: &Map<String, Value>,
        place: &str,
        fields: &Map<String, Value>,
        path: &str,
    ) {
        for (name, value) in sorted(fields) {
            if value.is_null() {
                continue;
            }
            match properties.get(name).and_then(Value::as_object) {
                Some(property) => {
                    self.value(property, &format!("{place}.{name}"), value, &format!("{path}.{name}"));
                }
                None => self.problem(path, format!("unknown field {name:?} in {place}")),
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if fields.get(name).is_none_or(Value::is_null) {
                self.problem(path, format!("missing required field {name:?} in {place}"));
            }
        }
    }
}

/// Returns the fields of an object by name.
fn sorted(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut sorted: Vec<_> = fields.iter().collect();
    sorted.sort_by_key(|(name, _)| *name);
    sorted
}

fn unknown(kind: &str, path: &str) -> String {
    format!("unknown object type {kind:?} in {path}")
}

/// Returns a value's OpenAPI type.
fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nil",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "map",
    }
}
