//! OpenAPI documents of custom resources.
//!
//! They are made from the definition itself, because a compiled schema has no words for people in it. What
//! the server's own types look like is given by the caller, who has them registered.

mod operations;
mod parameters;
mod schema;

use std::collections::{BTreeMap, BTreeSet};

pub use rhumb_scheme::openapi::Dialect;
use serde_json::{Map, Value as Json, json};

/// Scope of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Namespaced.
    Namespaced,
    /// Cluster-scoped.
    Cluster,
}

/// A version of a definition, for documents.
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
    /// Scope.
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
    /// Returns a version of a definition, from its JSON form; none if the definition has no such version.
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

    /// Returns the name of a model: the group from its end on, the version and the kind.
    fn model(&self, kind: &str) -> String {
        let group: Vec<&str> = self.group.split('.').rev().collect();
        format!("{}.{}.{kind}", group.join("."), self.version)
    }

    fn reference(&self, kind: &str, dialect: Dialect) -> Json {
        json!({ "$ref": format!("{}{}", prefix(dialect), self.model(kind)) })
    }

    /// Returns its part of a document.
    pub fn part(&self, dialect: Dialect) -> Part {
        self.part_of(self.schema.cloned(), dialect)
    }

    /// Returns its part of a document for a given schema, which is consumed.
    pub fn part_of(&self, schema: Option<Json>, dialect: Dialect) -> Part {
        let models = [
            (self.model(self.kind), schema::object(self, schema, dialect)),
            (self.model(self.list_kind), schema::list(self, dialect)),
        ];
        Part { paths: operations::paths(self, dialect), models: models.into_iter().collect() }
    }
}

/// Part of a document for a version of a definition.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The paths, and what can be done at them.
    pub paths: Map<String, Json>,
    /// The models of the kind and of its lists.
    pub models: Map<String, Json>,
}

impl Part {
    /// Adds what the document has of another version.
    pub fn extend(&mut self, other: Part) {
        self.paths.extend(other.paths);
        self.models.extend(other.models);
    }

    /// Returns the names of the models that it refers to, its own ones among them.
    pub fn references(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        self.paths.values().chain(self.models.values()).for_each(|tree| references(tree, &mut found));
        found
    }
}

fn prefix(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::V2 => "#/definitions/",
        Dialect::V3 => "#/components/schemas/",
    }
}

/// Returns a model of `meta/v1`.
fn meta(kind: &str, dialect: Dialect) -> Json {
    json!({ "$ref": format!("{}io.k8s.apimachinery.pkg.apis.meta.v1.{kind}", prefix(dialect)) })
}

/// Returns the OpenAPI 3 document of a group's version: of all its definitions' versions of that name. Of the server's
/// own models, which are given by name, the document has those that it refers to.
pub fn v3(resources: &[Resource<'_>], own: &BTreeMap<String, Json>) -> Json {
    let all = parts(resources, Dialect::V3);
    let wanted = all.references();
    let Part { paths, mut models } = all;
    for name in referred(wanted, own) {
        if let (false, Some(model)) = (models.contains_key(name), own.get(name)) {
            models.insert(name.to_owned(), model.clone());
        }
    }
    json!({ "openapi": "3.0.0", "info": info(), "paths": paths, "components": { "schemas": models } })
}

/// Returns the part of the OpenAPI 2 document that custom resources add: `paths` and `definitions`. What they refer to
/// beyond that, models and parameters, the server's own part has.
pub fn v2(resources: &[Resource<'_>]) -> Json {
    let Part { paths, models } = parts(resources, Dialect::V2);
    json!({ "swagger": "2.0", "info": info(), "paths": paths, "definitions": models })
}

fn parts(resources: &[Resource<'_>], dialect: Dialect) -> Part {
    let mut all = Part::default();
    resources.iter().for_each(|resource| all.extend(resource.part(dialect)));
    all
}

/// Returns the `info` of documents of custom resources.
pub fn info() -> Json {
    json!({ "title": "Kubernetes CRD Swagger", "version": "v0.1.0" })
}

/// Returns the server's own definitions that are referenced, directly or by each other.
pub fn referred(wanted: BTreeSet<String>, own: &BTreeMap<String, Json>) -> BTreeSet<&str> {
    let mut wanted: Vec<String> = wanted.into_iter().collect();
    let mut found = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        if let Some((name, model)) = own.get_key_value(&name)
            && found.insert(name.as_str())
        {
            let mut more = BTreeSet::new();
            references(model, &mut more);
            wanted.extend(more);
        }
    }
    found
}

/// The names of the models that a tree refers to.
fn references(tree: &Json, found: &mut BTreeSet<String>) {
    match tree {
        Json::Object(map) => {
            if let Some(Json::String(reference)) = map.get("$ref")
                && let Some(name) = reference.strip_prefix(prefix(Dialect::V3))
                && !found.contains(name)
            {
                found.insert(name.to_owned());
            }
            map.values().for_each(|value| references(value, found));
        }
        Json::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}
