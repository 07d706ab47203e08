//! The models of a custom resource and of its lists.

use serde_json::{Map, Value as Json, json};

use super::{Dialect, Resource, meta};

const CONVENTIONS: &str =
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/// What is shown of a schema beside its children, if it says something.
const KEPT: [&str; 29] = [
    "description",
    "type",
    "title",
    "default",
    "nullable",
    "externalDocs",
    "example",
    "format",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "enum",
    "maxProperties",
    "minProperties",
    "required",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
];

pub(super) fn object(resource: &Resource<'_>, dialect: Dialect) -> Json {
    let preserves =
        |schema: &&Json| resource.preserves_unknown || flag(schema, "x-kubernetes-preserve-unknown-fields");
    let mut model = match resource.schema {
        Some(schema) if !(dialect == Dialect::V2 && preserves(&schema)) => {
            let mut model = structural(schema, dialect);
            set_property(&mut model, "metadata", metadata("ObjectMeta", dialect));
            set_type_meta(&mut model);
            model
        }
        _ => Map::from_iter([("type".to_owned(), json!("object"))]),
    };
    describe(resource, resource.kind, &mut model);
    Json::Object(model)
}

pub(super) fn list(resource: &Resource<'_>, dialect: Dialect) -> Json {
    let mut model = Map::new();
    model.insert("type".to_owned(), json!("object"));
    let words = format!("{} is a list of {}", resource.list_kind, resource.kind);
    model.insert("description".to_owned(), json!(words));
    model.insert("required".to_owned(), json!(["items"]));
    let items = json!({
        "description": format!("List of {}. More info: {CONVENTIONS}", resource.plural),
        "type": "array",
        "items": resource.reference(resource.kind, dialect),
    });
    set_property(&mut model, "items", items);
    set_property(&mut model, "metadata", metadata("ListMeta", dialect));
    set_type_meta(&mut model);
    describe(resource, resource.list_kind, &mut model);
    Json::Object(model)
}

fn describe(resource: &Resource<'_>, kind: &str, model: &mut Map<String, Json>) {
    let gvk = json!([{ "group": resource.group, "version": resource.version, "kind": kind }]);
    model.insert("x-kubernetes-group-version-kind".to_owned(), gvk);
    if !resource.selectable_fields.is_empty() {
        let fields: Vec<Json> =
            resource.selectable_fields.iter().map(|path| json!({ "fieldPath": path })).collect();
        model.insert("x-kubernetes-selectable-fields".to_owned(), Json::Array(fields));
    }
}

/// A reference has no room for words beside it in OpenAPI 3.
fn metadata(kind: &str, dialect: Dialect) -> Json {
    let words = "The metadata that every object or list has.";
    let mut reference = meta(kind, dialect);
    match dialect {
        Dialect::V3 => json!({ "description": words, "allOf": [reference] }),
        Dialect::V2 => {
            if let Some(map) = reference.as_object_mut() {
                map.insert("description".to_owned(), json!(words));
            }
            reference
        }
    }
}

fn set_property(model: &mut Map<String, Json>, name: &str, schema: Json) {
    let properties = model.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert(name.to_owned(), schema);
    }
}

fn set_type_meta(model: &mut Map<String, Json>) {
    let api_version = "The version in which the object is written, with its group.";
    set_property(model, "apiVersion", json!({ "description": api_version, "type": "string" }));
    set_property(model, "kind", json!({ "description": "The kind of the object.", "type": "string" }));
}

fn flag(schema: &Json, key: &str) -> bool {
    schema.get(key) == Some(&Json::Bool(true))
}

/// Whether a keyword says nothing, so that it is left out.
fn is_silent(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => true,
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn kept(schema: &Json) -> Map<String, Json> {
    let says_default = |key: &str| matches!(key, "default" | "example");
    let keys = KEPT.iter().filter_map(|key| {
        let value =
            schema.get(key).filter(|value| !value.is_null() && (says_default(key) || !is_silent(value)))?;
        Some(((*key).to_owned(), value.clone()))
    });
    let mut kept: Map<String, Json> = keys.collect();
    if let Some(rules) = schema.get("x-kubernetes-validations").filter(|rules| !is_silent(rules)) {
        kept.insert("x-kubernetes-validations".to_owned(), rules.clone());
    }
    kept
}

fn properties(schema: &Json) -> Option<&Map<String, Json>> {
    schema.get("properties")?.as_object().filter(|properties| !properties.is_empty())
}

/// A schema with its children, as it is shown.
fn structural(schema: &Json, dialect: Dialect) -> Map<String, Json> {
    let mut out = kept(schema);
    let preserves = flag(schema, "x-kubernetes-preserve-unknown-fields");
    let is_bare = dialect == Dialect::V2 && (preserves || flag(schema, "nullable"));
    let items = schema.get("items").filter(|items| items.is_object() && !is_bare);
    if let Some(items) = items {
        out.insert("items".to_owned(), Json::Object(structural(items, dialect)));
    }
    if let Some(properties) = properties(schema).filter(|_| !is_bare) {
        let shown =
            properties.iter().map(|(name, schema)| (name.clone(), Json::Object(structural(schema, dialect))));
        out.insert("properties".to_owned(), Json::Object(shown.collect()));
    }
    match schema.get("additionalProperties") {
        Some(Json::Bool(any)) => {
            out.insert("additionalProperties".to_owned(), Json::Bool(*any));
        }
        Some(more @ Json::Object(_)) => {
            out.insert("additionalProperties".to_owned(), Json::Object(structural(more, dialect)));
        }
        _ => {}
    }
    match dialect {
        Dialect::V3 => show_logic(schema, &mut out),
        Dialect::V2 => fit_v2(schema, items.is_some(), &mut out),
    }
    if flag(schema, "x-kubernetes-embedded-resource") && !(dialect == Dialect::V2 && preserves) {
        set_type_meta(&mut out);
        set_property(&mut out, "metadata", metadata("ObjectMeta", dialect));
        let required = out.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            for name in ["kind", "apiVersion"] {
                if !required.iter().any(|known| known == name) {
                    required.push(json!(name));
                }
            }
        }
    }
    out
}

/// OpenAPI 2 has no word for what may be null, and clients of it choke on lists and objects that say too
/// little.
fn fit_v2(schema: &Json, has_items: bool, out: &mut Map<String, Json>) {
    out.remove("default");
    let preserves = flag(schema, "x-kubernetes-preserve-unknown-fields");
    let type_ = schema.get("type").and_then(Json::as_str).unwrap_or_default();
    if out.remove("nullable").is_some()
        || (type_ == "array" && !has_items)
        || (type_ == "object" && preserves)
    {
        out.remove("type");
    }
    let is_nullable = |schema: Option<&Json>| schema.is_some_and(|schema| flag(schema, "nullable"));
    let shown = out.get("properties").and_then(Json::as_object).map(|shown| shown.keys().cloned());
    let shown: Vec<String> = shown.into_iter().flatten().collect();
    if let Some(Json::Array(required)) = out.get_mut("required") {
        let below = properties(schema);
        required.retain(|name| {
            let name = name.as_str().unwrap_or_default();
            let is_shown = shown.iter().any(|shown| shown == name);
            !(is_shown && is_nullable(below.and_then(|below| below.get(name))))
        });
        if required.is_empty() || is_nullable(schema.get("additionalProperties")) {
            out.remove("required");
        }
    }
}

/// Alternatives and conditions. That a value may be a number or a text is said in full.
fn show_logic(schema: &Json, out: &mut Map<String, Json>) {
    for key in ["allOf", "anyOf", "oneOf"] {
        if let Some(parts) = schema.get(key).and_then(Json::as_array).filter(|parts| !parts.is_empty()) {
            let parts = parts.iter().map(|part| Json::Object(nested(part)));
            out.insert(key.to_owned(), Json::Array(parts.collect()));
        }
    }
    if let Some(not) = schema.get("not").filter(|not| not.is_object()) {
        out.insert("not".to_owned(), Json::Object(nested(not)));
    }
    if !flag(schema, "x-kubernetes-int-or-string") {
        return;
    }
    let either = json!([{ "type": "integer" }, { "type": "string" }]);
    let first = schema.get("allOf").and_then(|all| all.get(0)).and_then(|first| first.get("anyOf"));
    if schema.get("anyOf") == Some(&either) || first == Some(&either) {
        return;
    }
    if out.contains_key("anyOf") {
        let all = out.entry("allOf").or_insert_with(|| json!([]));
        if let Some(all) = all.as_array_mut() {
            all.insert(0, json!({ "anyOf": either }));
        }
    } else {
        out.insert("anyOf".to_owned(), either);
    }
}

/// A part of the logic. Kubernetes doesn't show what it says of additional properties.
fn nested(schema: &Json) -> Map<String, Json> {
    let mut out = kept(schema);
    if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
        out.insert("items".to_owned(), Json::Object(nested(items)));
    }
    if let Some(properties) = properties(schema) {
        let shown = properties.iter().map(|(name, schema)| (name.clone(), Json::Object(nested(schema))));
        out.insert("properties".to_owned(), Json::Object(shown.collect()));
    }
    for key in ["allOf", "anyOf", "oneOf"] {
        if let Some(parts) = schema.get(key).and_then(Json::as_array).filter(|parts| !parts.is_empty()) {
            let parts = parts.iter().map(|part| Json::Object(nested(part)));
            out.insert(key.to_owned(), Json::Array(parts.collect()));
        }
    }
    if let Some(not) = schema.get("not").filter(|not| not.is_object()) {
        out.insert("not".to_owned(), Json::Object(nested(not)));
    }
    out
}
