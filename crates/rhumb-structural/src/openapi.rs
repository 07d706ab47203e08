//! The documents that clients read of custom resources.
//!
//! They are made from the definition itself, because a compiled schema has no words for people in it. What
//! the server's own types look like is given by the caller, who has them registered.

mod operations;
mod parameters;
mod schema;

use std::collections::BTreeMap;

pub use rhumb_scheme::openapi::Dialect;
use serde_json::{Map, Value as Json, json};

/// Where objects of a kind live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In namespaces.
    Namespaced,
    /// In the cluster as a whole.
    Cluster,
}

/// A version of a definition, as far as documents speak of it.
#[derive(Clone, Debug)]
pub struct Resource<'a> {
    /// The group, `stable.example.com`.
    pub group: &'a str,
    /// The version, `v1`.
    pub version: &'a str,
    /// The kind, `CronTab`.
    pub kind: &'a str,
    /// The kind of lists, `CronTabList`.
    pub list_kind: &'a str,
    /// The name in URLs, `crontabs`.
    pub plural: &'a str,
    /// Where its objects live.
    pub scope: Scope,
    /// The version's `openAPIV3Schema`.
    pub schema: Option<&'a Json>,
    /// Whether the definition preserves unknown fields everywhere, as old ones may.
    pub preserves_unknown: bool,
    /// Whether it has a status of its own.
    pub has_status: bool,
    /// Whether it can be scaled.
    pub has_scale: bool,
    /// The paths of fields that selectors can ask for, without the leading dot.
    pub selectable_fields: Vec<&'a str>,
}

impl<'a> Resource<'a> {
    /// A version of a definition, from its JSON form; none if the definition has no such version.
    pub fn of(definition: &'a Json, version: &'a str) -> Option<Resource<'a>> {
        let spec = definition.get("spec")?;
        let found = spec.get("versions")?.as_array()?.iter().find(|found| found["name"] == *version)?;
        let name = |key: &str| spec.get("names")?.get(key)?.as_str();
        let subresource = |key: &str| found["subresources"].get(key).is_some_and(|sub| !sub.is_null());
        let paths = found["selectableFields"].as_array().map(Vec::as_slice).unwrap_or_default();
        let path = |field: &'a Json| {
            let path = field.get("jsonPath")?.as_str()?;
            Some(path.strip_prefix('.').unwrap_or(path))
        };
        Some(Resource {
            group: spec.get("group")?.as_str()?,
            version,
            kind: name("kind")?,
            list_kind: name("listKind").unwrap_or_default(),
            plural: name("plural")?,
            scope: if spec["scope"] == "Namespaced" { Scope::Namespaced } else { Scope::Cluster },
            schema: found["schema"].get("openAPIV3Schema").filter(|schema| schema.is_object()),
            preserves_unknown: spec["preserveUnknownFields"] == true,
            has_status: subresource("status"),
            has_scale: subresource("scale"),
            selectable_fields: paths.iter().filter_map(path).collect(),
        })
    }

    /// The name of a model: the group from its end on, the version and the kind.
    fn model(&self, kind: &str) -> String {
        let group: Vec<&str> = self.group.split('.').rev().collect();
        format!("{}.{}.{kind}", group.join("."), self.version)
    }

    fn reference(&self, kind: &str, dialect: Dialect) -> Json {
        json!({ "$ref": format!("{}{}", prefix(dialect), self.model(kind)) })
    }

    /// The models of the kind and of its lists, by name.
    fn models(&self, dialect: Dialect) -> [(String, Json); 2] {
        [
            (self.model(self.kind), schema::object(self, dialect)),
            (self.model(self.list_kind), schema::list(self, dialect)),
        ]
    }
}

fn prefix(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::V2 => "#/definitions/",
        Dialect::V3 => "#/components/schemas/",
    }
}

/// A model of `meta/v1`.
fn meta(kind: &str, dialect: Dialect) -> Json {
    json!({ "$ref": format!("{}io.k8s.apimachinery.pkg.apis.meta.v1.{kind}", prefix(dialect)) })
}

/// The OpenAPI 3 document of a group's version: of all its definitions' versions of that name. Of the
/// server's own models, which are given by name, the document has those that it refers to.
pub fn v3(resources: &[Resource<'_>], own: &BTreeMap<String, Json>) -> Json {
    let mut paths = Map::new();
    let mut models: BTreeMap<String, Json> = BTreeMap::new();
    for resource in resources {
        paths.extend(operations::paths(resource, Dialect::V3));
        models.extend(resource.models(Dialect::V3));
    }
    let mut wanted = Vec::new();
    paths.values().chain(models.values()).for_each(|tree| references(tree, &mut wanted));
    while let Some(name) = wanted.pop() {
        if let Some(model) = own.get(&name).filter(|_| !models.contains_key(&name)) {
            references(model, &mut wanted);
            models.insert(name, model.clone());
        }
    }
    json!({
        "openapi": "3.0.0",
        "info": info(),
        "paths": paths,
        "components": { "schemas": models.into_iter().collect::<Map<_, _>>() },
    })
}

/// The part of the OpenAPI 2 document that custom resources add: `paths` and `definitions`. What they refer
/// to beyond that, models and parameters, the server's own part has.
pub fn v2(resources: &[Resource<'_>]) -> Json {
    let mut paths = Map::new();
    let mut models = Map::new();
    for resource in resources {
        paths.extend(operations::paths(resource, Dialect::V2));
        models.extend(resource.models(Dialect::V2));
    }
    json!({ "swagger": "2.0", "info": info(), "paths": paths, "definitions": models })
}

fn info() -> Json {
    json!({ "title": "Kubernetes CRD Swagger", "version": "v0.1.0" })
}

/// The names of the models that a tree refers to.
fn references(tree: &Json, found: &mut Vec<String>) {
    match tree {
        Json::Object(map) => {
            if let Some(Json::String(reference)) = map.get("$ref")
                && let Some(name) = reference.strip_prefix(prefix(Dialect::V3))
            {
                found.push(name.to_owned());
            }
            map.values().for_each(|value| references(value, found));
        }
        Json::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}
