//! Metadata of custom resources and embedded objects.

use std::fmt;

use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::validation::is_dns1035_label;
use rhumb_schema::{DecodeError, Described, Problem, Segment, Shape, StructDesc, budget, from_tree, to_tree};
use rhumb_scheme::validation::{FieldError, FieldErrors, FieldPath, Shown};
use serde_json::{Map, Value as Json};

use crate::Structural;
use crate::check::{MetadataRule, shown};
use crate::compile::Node;

/// Handling of malformed metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Returns an error: for requests.
    Refuse,
    /// Drops it: for objects stored by servers that did not validate it.
    Drop,
}

/// Error of decoding an object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettleError {
    /// The object's metadata has a field of another type.
    Metadata(DecodeError),
    /// An embedded object has.
    Embedded(FieldError),
}

impl fmt::Display for SettleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettleError::Metadata(error) => error.fmt(f),
            SettleError::Embedded(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SettleError {}

impl Structural {
    /// Brings an object that was read into its usual form: metadata as typed objects have it, without unknown
    /// fields and without nulls where there may be none. Gives the paths of the fields that were dropped
    /// because nobody knows them, for `unknown field "…"`.
    ///
    /// # Errors
    /// If metadata has another type, unless that is dropped.
    pub fn settle(&self, object: &mut Json, malformed: Malformed) -> Result<Vec<String>, SettleError> {
        let mut unknown = Vec::new();
        if let Some(map) = object.as_object_mut() {
            settle_metadata(map, malformed, &FieldPath::root(), &mut unknown)
                .map_err(SettleError::Metadata)?;
        }
        if !self.keeps_all {
            unknown.extend(self.prune(object));
            self.drop_nulls(object);
        }
        let embedded = settle_embedded(object, &self.root, &FieldPath::root(), malformed);
        unknown.extend(embedded.map_err(SettleError::Embedded)?);
        Ok(unknown)
    }
}

/// Brings the metadata of embedded objects into its usual form. Gives the paths of its fields that nobody knows.
pub(crate) fn settle_embedded(
    value: &mut Json,
    schema: &Node,
    path: &FieldPath,
    malformed: Malformed,
) -> Result<Vec<String>, FieldError> {
    let mut settler = Settler { malformed, unknown: Vec::new() };
    settler.settle(value, schema, path)?;
    settler.unknown.sort();
    Ok(settler.unknown)
}

struct Settler {
    malformed: Malformed,
    unknown: Vec<String>,
}

impl Settler {
    fn settle(&mut self, value: &mut Json, schema: &Node, path: &FieldPath) -> Result<(), FieldError> {
        if budget::is_stopped() {
            return Ok(());
        }
        match value {
            Json::Object(object) => {
                if schema.embedded {
                    self.settle_object(object, path)?;
                }
                for (name, value) in object {
                    if let Some(property) = schema.property(name) {
                        self.settle(value, property, &path.child(name))?;
                    } else if let Some(additional) = schema.additional.schema() {
                        self.settle(value, additional, &path.key(name))?;
                    }
                }
            }
            Json::Array(items) => {
                let Some(schema) = &schema.items else { return Ok(()) };
                for (index, item) in items.iter_mut().enumerate() {
                    self.settle(item, schema, &path.index(index))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn settle_object(&mut self, object: &mut Map<String, Json>, path: &FieldPath) -> Result<(), FieldError> {
        for name in ["apiVersion", "kind"] {
            let Some(value) = object.get(name).filter(|value| !value.is_string()) else { continue };
            if self.malformed == Malformed::Refuse {
                return Err(invalid(&path.child(name), value, "must be a string"));
            }
            object.remove(name);
        }
        let value = object.get("metadata").cloned().unwrap_or_default();
        settle_metadata(object, self.malformed, path, &mut self.unknown)
            .map_err(|error| invalid(&path.child("metadata"), &value, &error.to_string()))
    }
}

fn invalid(path: &FieldPath, value: &Json, detail: &str) -> FieldError {
    let problem = rhumb_scheme::validation::FieldProblem::Invalid;
    FieldError { problem, path: path.clone(), value: shown(value), detail: detail.to_owned() }
}

fn settle_metadata(
    object: &mut Map<String, Json>,
    malformed: Malformed,
    path: &FieldPath,
    unknown: &mut Vec<String>,
) -> Result<(), DecodeError> {
    let Some(value) = object.get_mut("metadata") else { return Ok(()) };
    let metadata = match (read(value), malformed) {
        (Ok(metadata), _) => metadata,
        (Err(error), Malformed::Refuse) => return Err(error),
        (Err(_), Malformed::Drop) => {
            let Json::Object(fields) = value else { return Ok(()) };
            // A field at a time, so that only those go that are wrong.
            fields.retain(|name, value| {
                read(&Json::Object(Map::from_iter([(name.clone(), value.clone())]))).is_ok()
            });
            read(value)?
        }
    };
    find_unknown_in(value, &ObjectMeta::SHAPE, &path.child("metadata").to_string(), unknown);
    *value = to_tree(&metadata);
    Ok(())
}

fn read(value: &Json) -> Result<ObjectMeta, DecodeError> {
    let mut metadata = ObjectMeta::default();
    match from_tree(value, &mut metadata) {
        Ok(()) => Ok(metadata),
        Err(mut error) => {
            let is_uid = matches!(error.path.first(), Some(Segment::Field(_, "uid")));
            if let Problem::Type(_, want) = &mut error.problem
                && is_uid
            {
                // A text of a type of its own in Go.
                "types.UID".clone_into(want);
            }
            // Go shows a number only if a number was wanted.
            if let Problem::Type(got, want) = &mut error.problem
                && got.starts_with("number")
                && !matches!(want.as_str(), "int32" | "int64" | "float64")
            {
                "number".clone_into(got);
            }
            Err(error)
        }
    }
}

/// The fields that a type doesn't have.
fn find_unknown(value: &Json, desc: &'static StructDesc, path: &str, unknown: &mut Vec<String>) {
    let Json::Object(object) = value else { return };
    for (name, value) in object {
        let path = format!("{path}.{name}");
        match desc.fields.iter().find(|field| field.json == name) {
            None => unknown.push(path),
            Some(field) => find_unknown_in(value, &field.shape, &path, unknown),
        }
    }
}

fn find_unknown_in(value: &Json, shape: &Shape, path: &str, unknown: &mut Vec<String>) {
    match (shape, value) {
        (Shape::Option(inner), value) => find_unknown_in(value, inner, path, unknown),
        (Shape::Struct(desc), value) => find_unknown(value, desc(), path, unknown),
        (Shape::List(inner), Json::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                find_unknown_in(item, inner, &format!("{path}[{index}]"), unknown);
            }
        }
        _ => {}
    }
}

/// Checks `apiVersion`, `kind` and `metadata` of embedded objects.
pub(crate) fn check(
    value: &Json,
    schema: &Node,
    path: &FieldPath,
    rule: MetadataRule,
    errors: &mut FieldErrors,
) {
    if budget::is_stopped() {
        return;
    }
    match value {
        Json::Object(object) => {
            if schema.embedded {
                check_embedded(object, path, rule, errors);
            }
            for (name, value) in object {
                if let Some(property) = schema.property(name) {
                    check(value, property, &path.child(name), rule, errors);
                } else if let Some(additional) = schema.additional.schema() {
                    check(value, additional, &path.key(name), rule, errors);
                }
            }
        }
        Json::Array(items) => {
            let Some(schema) = &schema.items else { return };
            for (index, item) in items.iter().enumerate() {
                check(item, schema, &path.index(index), rule, errors);
            }
        }
        _ => {}
    }
}

fn check_embedded(
    object: &Map<String, Json>,
    path: &FieldPath,
    rule: MetadataRule,
    errors: &mut FieldErrors,
) {
    for name in ["apiVersion", "kind"] {
        if !object.contains_key(name) {
            errors.required(&path.child(name), "");
        }
    }
    for name in ["apiVersion", "kind"] {
        let Some(value) = object.get(name) else { continue };
        let path = path.child(name);
        match value {
            Json::String(text) if text.is_empty() => errors.invalid(&path, "", "must not be empty"),
            Json::String(text) if name == "apiVersion" => {
                if text.matches('/').count() > 1 {
                    let detail = format!("unexpected GroupVersion string: {text}");
                    errors.invalid(&path, text.as_str(), &detail);
                }
            }
            Json::String(text) => {
                let found = is_dns1035_label(&text.to_lowercase());
                if !found.is_empty() {
                    let detail =
                        format!("may have mixed case, but should otherwise match: {}", found.join(","));
                    errors.invalid(&path, text.as_str(), &detail);
                }
            }
            other => errors.invalid(&path, &Shown(shown(other)), "must be a string"),
        }
    }
    let Some(value) = object.get("metadata") else { return };
    let path = path.child("metadata");
    match read(value) {
        Ok(mut metadata) => {
            if metadata.name.is_empty() {
                // An embedded object need not have a name yet; any name will do.
                "fakename".clone_into(&mut metadata.name);
            }
            rule(&metadata, &path, errors);
        }
        Err(error) => errors.invalid(&path, &Shown(shown(value)), &error.to_string()),
    }
}
