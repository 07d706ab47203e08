//! Definitions of a custom resource and its list.

use serde_json::{Map, Value as Json, json};

use super::{Dialect, Resource, meta};

const CONVENTIONS: &str =
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/// Keywords of a schema that are published, in order, if set.
const KEPT: [&str; 30] = [
    "default",
    "description",
    "enum",
    "example",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "required",
    "title",
    "type",
    "uniqueItems",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];

/// Returns the model of the kind, made of its schema.
pub(super) fn object(resource: &Resource<'_>, schema: Option<Json>, dialect: Dialect) -> Json {
    let preserves = |schema: &Map<String, Json>| {
        resource.preserves_unknown || flag(schema, "x-kubernetes-preserve-unknown-fields")
    };
    let mut model = match schema {
        Some(Json::Object(mut model)) if !(dialect == Dialect::V2 && preserves(&model)) => {
            show(&mut model, dialect);
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

fn flag(schema: &Map<String, Json>, key: &str) -> bool {
    schema.get(key) == Some(&Json::Bool(true))
}

/// Reports whether a keyword says nothing, so that it is left out.
fn is_silent(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => true,
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Reports whether a keyword is shown as it is.
fn is_kept(key: &str, value: &Json) -> bool {
    let says_default = matches!(key, "default" | "example");
    !value.is_null() && KEPT.binary_search(&key).is_ok() && (says_default || !is_silent(value))
}

/// Reports whether a keyword is a part of the logic that says something.
fn is_logic(key: &str, value: &Json) -> bool {
    match key {
        "allOf" | "anyOf" | "oneOf" => value.as_array().is_some_and(|parts| !parts.is_empty()),
        "not" => value.is_object(),
        _ => false,
    }
}

fn has_members(value: &Json) -> bool {
    value.as_object().is_some_and(|members| !members.is_empty())
}

/// Makes of a schema and its children what is shown of them.
fn show(schema: &mut Map<String, Json>, dialect: Dialect) {
    let preserves = flag(schema, "x-kubernetes-preserve-unknown-fields");
    let is_bare = dialect == Dialect::V2 && (preserves || flag(schema, "nullable"));
    let facts = Facts::of(schema);
    schema.retain(|key, value| match key.as_str() {
        "items" => value.is_object() && !is_bare,
        "properties" => has_members(value) && !is_bare,
        "additionalProperties" => matches!(value, Json::Bool(_) | Json::Object(_)),
        key => is_kept(key, value) || dialect == Dialect::V3 && is_logic(key, value),
    });
    for key in ["items", "additionalProperties"] {
        if let Some(Json::Object(child)) = schema.get_mut(key) {
            show(child, dialect);
        }
    }
    each_property(schema, |property| show(property, dialect));
    match dialect {
        Dialect::V3 => show_logic(schema, &facts),
        Dialect::V2 => fit_v2(schema, &facts),
    }
    if flag(schema, "x-kubernetes-embedded-resource") && !(dialect == Dialect::V2 && preserves) {
        set_type_meta(schema);
        set_property(schema, "metadata", metadata("ObjectMeta", dialect));
        let required = schema.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            for name in ["kind", "apiVersion"] {
                if !required.iter().any(|known| known == name) {
                    required.push(json!(name));
                }
            }
        }
    }
}

/// Does something with each property. What is no schema becomes an empty one.
fn each_property(schema: &mut Map<String, Json>, mut act: impl FnMut(&mut Map<String, Json>)) {
    let properties = schema.get_mut("properties").and_then(Json::as_object_mut);
    for property in properties.into_iter().flat_map(|properties| properties.values_mut()) {
        if !property.is_object() {
            *property = json!({});
        }
        if let Some(property) = property.as_object_mut() {
            act(property);
        }
    }
}

/// Facts about a schema after its children have changed.
struct Facts {
    /// The properties that may be null.
    nullable: Vec<String>,
    /// Whether additional properties may be null.
    nullable_others: bool,
    /// Whether it says in full that a value may be a number or a text.
    says_either: bool,
}

impl Facts {
    fn of(schema: &Map<String, Json>) -> Self {
        let is_nullable = |schema: &Json| schema.get("nullable") == Some(&Json::Bool(true));
        let properties = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
        let nullable = properties.filter(|(_, property)| is_nullable(property));
        let says_either = flag(schema, "x-kubernetes-int-or-string") && {
            let first = schema.get("allOf").and_then(|all| all.get(0)).and_then(|first| first.get("anyOf"));
            let either = either();
            schema.get("anyOf") == Some(&either) || first == Some(&either)
        };
        Facts {
            nullable: nullable.map(|(name, _)| name.clone()).collect(),
            nullable_others: schema.get("additionalProperties").is_some_and(is_nullable),
            says_either,
        }
    }
}

fn either() -> Json {
    json!([{ "type": "integer" }, { "type": "string" }])
}

/// OpenAPI 2 has no word for what may be null, and clients of it choke on lists and objects that say too
/// little.
fn fit_v2(schema: &mut Map<String, Json>, facts: &Facts) {
    schema.remove("default");
    let preserves = flag(schema, "x-kubernetes-preserve-unknown-fields");
    let has_items = schema.contains_key("items");
    let type_ = schema.get("type").and_then(Json::as_str).unwrap_or_default();
    let (is_array, is_object) = (type_ == "array", type_ == "object");
    if schema.remove("nullable").is_some() || (is_array && !has_items) || (is_object && preserves) {
        schema.remove("type");
    }
    let shows_properties = schema.contains_key("properties");
    if let Some(Json::Array(required)) = schema.get_mut("required") {
        let is_nullable =
            |name: &Json| name.as_str().is_some_and(|name| facts.nullable.iter().any(|it| it == name));
        required.retain(|name| !(shows_properties && is_nullable(name)));
        if required.is_empty() || facts.nullable_others {
            schema.remove("required");
        }
    }
}

/// Alternatives and conditions. That a value may be a number or a text is said in full.
fn show_logic(schema: &mut Map<String, Json>, facts: &Facts) {
    each_part(schema);
    if !flag(schema, "x-kubernetes-int-or-string") || facts.says_either {
        return;
    }
    if schema.contains_key("anyOf") {
        let all = schema.entry("allOf").or_insert_with(|| json!([]));
        if let Some(all) = all.as_array_mut() {
            all.insert(0, json!({ "anyOf": either() }));
        }
    } else {
        schema.insert("anyOf".to_owned(), either());
    }
}

/// Shows the parts of the logic.
fn each_part(schema: &mut Map<String, Json>) {
    for key in ["allOf", "anyOf", "oneOf"] {
        let parts = schema.get_mut(key).and_then(Json::as_array_mut);
        for part in parts.into_iter().flatten() {
            if !part.is_object() {
                *part = json!({});
            }
            part.as_object_mut().into_iter().for_each(show_part);
        }
    }
    schema.get_mut("not").and_then(Json::as_object_mut).into_iter().for_each(show_part);
}

/// A part of the logic. Kubernetes doesn't show what it says of additional properties.
fn show_part(part: &mut Map<String, Json>) {
    part.retain(|key, value| match key.as_str() {
        "items" => value.is_object(),
        "properties" => has_members(value),
        key => is_kept(key, value) || is_logic(key, value),
    });
    part.get_mut("items").and_then(Json::as_object_mut).into_iter().for_each(show_part);
    each_property(part, show_part);
    each_part(part);
}
