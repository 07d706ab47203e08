//! OpenAPI definitions of registered types, from their field descriptions.
//!
//! Names, formats and extensions are those of kube-apiserver's documents, so that `kubectl explain`, client
//! generators and server-side apply read them the same way. Types that several versions of a group share get
//! the name of the version they are asked for in.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use foldhash::{HashMap, HashMapExt};
use rhumb_meta::{GroupVersion, GroupVersionKind, INTERNAL};
use rhumb_schema::{FieldDesc, JsonForm, LeafDesc, ListType, Presence, Shape, StructDesc};
use serde_json::{Map, Value as Json, json};

use crate::scheme::Scheme;

/// OpenAPI version of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAPI 2, `/openapi/v2`.
    V2,
    /// OpenAPI 3, `/openapi/v3`.
    V3,
}

/// Returns the definitions of all kinds of a version and the types in them, by name.
pub fn models(scheme: &Scheme, gv: &GroupVersion, dialect: Dialect) -> BTreeMap<String, Json> {
    let kinds = Kinds::new(scheme, |_| true);
    let models = Models::new(&kinds, gv, dialect);
    let mut reached = BTreeMap::new();
    let own = scheme.known_types(gv);
    models.reach(own.iter().map(|known| Model::Struct(known.desc)), &mut reached);
    reached.into_iter().map(|(name, model)| (name, models.definition(model))).collect()
}

/// A type with a definition of its own.
#[derive(Clone, Copy, Debug)]
pub enum Model {
    /// A described struct.
    Struct(&'static StructDesc),
    /// A type with a wire form of its own.
    Leaf(&'static LeafDesc),
}

/// Kinds that each type is registered as, computed once for many documents.
pub struct Kinds<'a> {
    by_type: HashMap<usize, Vec<&'a GroupVersionKind>>,
    /// The modules that versions have their own types in, without the version.
    homes: HashMap<GroupVersion, &'static str>,
}

impl<'a> Kinds<'a> {
    /// Collects the kinds of a scheme, except internal ones and those of versions that are not `shown`.
    pub fn new(scheme: &'a Scheme, shown: impl Fn(&GroupVersion) -> bool) -> Self {
        let mut by_type: HashMap<usize, Vec<&'a GroupVersionKind>> = HashMap::new();
        let mut homes = HashMap::new();
        for known in scheme.all_known_types() {
            let gv = known.gvk.group_version();
            if known.gvk.version != INTERNAL && shown(&gv) {
                by_type.entry(address(known.desc)).or_default().push(known.gvk);
            }
            let module = Module::of(known.desc);
            if !module.is_meta() {
                homes.entry(gv).or_insert(module.path);
            }
        }
        Kinds { by_type, homes }
    }

    /// Returns the kinds that a type is registered as, sorted.
    pub fn of(&self, desc: &'static StructDesc) -> &[&'a GroupVersionKind] {
        self.by_type.get(&address(desc)).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Tables are told apart by where they stand: each type has exactly one.
fn address(desc: &'static StructDesc) -> usize {
    std::ptr::from_ref(desc) as usize
}

/// Whether properties list the allowed values of strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enums {
    /// They say nothing of values.
    #[default]
    Hidden,
    /// They list them, as a server does that has the feature `OpenAPIEnums`.
    Shown,
}

/// Adds the models that a struct's fields refer to. Inlined and transparent structs are not models
/// themselves.
fn collect(desc: &'static StructDesc, queue: &mut Vec<Model>) {
    for field in desc.fields.iter().filter(|field| field.exists(desc.retired)) {
        match bottom(&field.shape) {
            Shape::Struct(inner) if field.inline || inner().is_transparent() => collect(inner(), queue),
            Shape::Struct(inner) => queue.push(Model::Struct(inner())),
            Shape::Leaf(leaf) => queue.push(Model::Leaf(leaf)),
            _ => {}
        }
    }
}

fn bottom(shape: &Shape) -> &Shape {
    match shape {
        Shape::Option(inner) | Shape::List(inner) | Shape::Map(inner) => bottom(inner),
        other => other,
    }
}

/// Module path of a type, split: `rhumb_api::core` and `v1`.
struct Module {
    path: &'static str,
    version: &'static str,
}

impl Module {
    fn of(desc: &'static StructDesc) -> Self {
        let version = desc.version();
        let path = desc
            .module
            .match_indices(version)
            .find_map(|(at, _)| desc.module.get(..at)?.strip_suffix("::"))
            .unwrap_or(desc.module);
        Module { path, version }
    }

    fn is_meta(&self) -> bool {
        self.path == "rhumb_meta" || self.path.starts_with("rhumb_meta::")
    }
}

/// Builds the definitions of one version's document.
pub struct Models<'a> {
    kinds: &'a Kinds<'a>,
    gv: &'a GroupVersion,
    /// The module that the version's own types stand in, without the version.
    home: &'static str,
    dialect: Dialect,
    enums: Enums,
}

impl<'a> Models<'a> {
    /// Creates a builder of a version's definitions, which need not have kinds of its own.
    pub fn new(kinds: &'a Kinds<'a>, gv: &'a GroupVersion, dialect: Dialect) -> Self {
        let home = kinds.homes.get(gv).copied().unwrap_or_default();
        Models { kinds, gv, home, dialect, enums: Enums::Hidden }
    }

    /// Sets whether enum values are listed.
    pub fn enums(mut self, enums: Enums) -> Self {
        self.enums = enums;
        self
    }

    /// Adds definitions and everything that they refer to.
    pub fn reach(&self, from: impl IntoIterator<Item = Model>, known: &mut BTreeMap<String, Model>) {
        let mut queue: Vec<Model> = from.into_iter().collect();
        while let Some(model) = queue.pop() {
            if let Entry::Vacant(place) = known.entry(self.name(model)) {
                place.insert(model);
                if let Model::Struct(desc) = model {
                    collect(desc, &mut queue);
                }
            }
        }
    }

    /// Returns a definition's name in this version's document.
    pub fn name(&self, model: Model) -> String {
        let desc = match model {
            Model::Leaf(leaf) => return leaf.model.to_owned(),
            Model::Struct(desc) => desc,
        };
        let module = Module::of(desc);
        if module.path == "rhumb_meta" {
            return format!("io.k8s.apimachinery.pkg.apis.meta.{}.{}", module.version, desc.name);
        }
        let version = self.version_in_name(&module);
        let path = match module.path.strip_prefix("rhumb_api::") {
            // These live in repositories of their own.
            Some("apiextensions") => "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions".to_owned(),
            Some("apiregistration") => "io.k8s.kube-aggregator.pkg.apis.apiregistration".to_owned(),
            Some(group) => format!("io.k8s.api.{group}"),
            // Whose group it is says the domain, as in the names that custom resources have.
            None if module.path == self.home => reversed(&self.gv.group),
            None => module.path.to_owned(),
        };
        format!("{}.{version}.{}", path.replace("::", "."), desc.name)
    }

    fn version_in_name(&self, module: &Module) -> &str {
        if module.path == self.home { &self.gv.version } else { module.version }
    }

    /// Returns the `$ref` to a definition.
    pub fn reference(&self, model: Model) -> String {
        let folder = match self.dialect {
            Dialect::V2 => "#/definitions/",
            Dialect::V3 => "#/components/schemas/",
        };
        format!("{folder}{}", self.name(model))
    }

    /// Returns the schema of a definition.
    pub fn definition(&self, model: Model) -> Json {
        match model {
            Model::Leaf(leaf) => self.leaf(leaf),
            Model::Struct(desc) => self.structure(desc),
        }
    }

    fn leaf(&self, leaf: &LeafDesc) -> Json {
        let mut out = Map::new();
        match (self.dialect, leaf.one_of) {
            (Dialect::V3, [_, ..]) => {
                let types: Vec<Json> = leaf.one_of.iter().map(|name| json!({ "type": name })).collect();
                out.insert("oneOf".into(), types.into());
            }
            _ if leaf.json_type.is_empty() => {}
            _ => drop(out.insert("type".into(), leaf.json_type.into())),
        }
        if !leaf.format.is_empty() {
            out.insert("format".into(), leaf.format.into());
        }
        Json::Object(out)
    }

    fn structure(&self, desc: &'static StructDesc) -> Json {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut out = Map::new();
        if !desc.doc.is_empty() {
            out.insert("description".into(), desc.doc.into());
        }
        if desc.is_union() {
            // Version 2 has no words for "one of these", so neither document says more of a union.
            return Json::Object(out);
        }
        self.properties(desc, &mut properties, &mut required);
        out.insert("type".into(), "object".into());
        if !properties.is_empty() {
            out.insert("properties".into(), Json::Object(properties));
        }
        if !required.is_empty() {
            out.insert("required".into(), required.into());
        }
        if desc.atomic {
            out.insert("x-kubernetes-map-type".into(), "atomic".into());
        }
        let kinds = self.kinds(desc);
        if !kinds.is_empty() {
            out.insert("x-kubernetes-group-version-kind".into(), kinds.into());
        }
        Json::Object(out)
    }

    /// Returns the kinds that a model stands for under its name. What every version has stands for a kind in each; a
    /// document of version 3 is about one version, and names that one and the core one.
    fn kinds(&self, desc: &'static StructDesc) -> Vec<Json> {
        let module = Module::of(desc);
        let version = self.version_in_name(&module);
        let kinds = self.kinds.of(desc).iter();
        kinds
            .filter(|gvk| match (module.is_meta(), self.dialect) {
                (false, _) => gvk.version == version,
                (true, Dialect::V2) => true,
                (true, Dialect::V3) => {
                    gvk.group_version() == *self.gv || (gvk.group.is_empty() && gvk.version == "v1")
                }
            })
            .map(|gvk| json!({ "group": gvk.group, "kind": gvk.kind, "version": gvk.version }))
            .collect()
    }

    fn properties(
        &self,
        desc: &'static StructDesc,
        out: &mut Map<String, Json>,
        required: &mut Vec<&'static str>,
    ) {
        // Kubernetes marks no values in the types that all versions share.
        let enums = if Module::of(desc).is_meta() { Enums::Hidden } else { self.enums };
        for field in desc.fields.iter().filter(|field| field.exists(desc.retired)) {
            if field.inline {
                if let Shape::Struct(inner) = field.shape {
                    self.properties(inner(), out, required);
                }
                continue;
            }
            if field.presence.is_required() {
                required.push(field.json);
            }
            out.insert(field.json.to_owned(), self.property(field, enums));
        }
    }

    fn property(&self, field: &FieldDesc, enums: Enums) -> Json {
        let mut out = self.shape(&field.shape);
        if !field.doc.is_empty() {
            out.insert("description".into(), field.doc.into());
        }
        if self.dialect == Dialect::V3 {
            let shown = matches!(field.presence, Presence::Required | Presence::Shown);
            if let Some(default) = field.default.and_then(|text| serde_json::from_str(text).ok()) {
                out.insert("default".into(), default);
            } else if let Some(zero) = zero(&field.shape)
                && (shown || zero.is_object())
            {
                out.insert("default".into(), zero);
            }
        }
        if enums == Enums::Shown && !field.values.is_empty() {
            let mut values = field.values.to_vec();
            values.sort_unstable();
            let elements = ["items", "additionalProperties"].into_iter().find(|name| out.contains_key(*name));
            match elements.and_then(|name| out.get_mut(name)).and_then(Json::as_object_mut) {
                Some(elements) => drop(elements.insert("enum".into(), values.into())),
                None => drop(out.insert("enum".into(), values.into())),
            }
        }
        match field.list_type {
            ListType::Unspecified => {}
            ListType::Atomic => drop(out.insert("x-kubernetes-list-type".into(), "atomic".into())),
            ListType::Set => drop(out.insert("x-kubernetes-list-type".into(), "set".into())),
            ListType::Map(keys) => {
                out.insert("x-kubernetes-list-type".into(), "map".into());
                out.insert("x-kubernetes-list-map-keys".into(), keys.into());
            }
        }
        for (name, value) in [
            ("x-kubernetes-map-type", if field.atomic { "atomic" } else { "" }),
            ("x-kubernetes-patch-strategy", field.patch_strategy),
            ("x-kubernetes-patch-merge-key", field.patch_merge_key),
        ] {
            if !value.is_empty() {
                out.insert(name.into(), value.into());
            }
        }
        Json::Object(out)
    }

    /// Returns the schema of list items or map values: like a required field, except that a lone reference needs no
    /// wrapping.
    fn element(&self, shape: &Shape) -> Json {
        match shape {
            Shape::Leaf(leaf) => return json!({ "$ref": self.reference(Model::Leaf(leaf)) }),
            Shape::Struct(desc) if desc().is_union() => {
                return json!({ "$ref": self.reference(Model::Struct(desc())) });
            }
            _ => {}
        }
        let mut out = self.shape(shape);
        if self.dialect == Dialect::V3
            && let Some(zero) = zero(shape)
        {
            out.insert("default".into(), zero);
        }
        Json::Object(out)
    }

    fn shape(&self, shape: &Shape) -> Map<String, Json> {
        let simple = |name: &str, format: &str| {
            let mut out = Map::new();
            out.insert("type".into(), name.into());
            if !format.is_empty() {
                out.insert("format".into(), format.into());
            }
            out
        };
        match shape {
            Shape::Bool => simple("boolean", ""),
            Shape::Int32 => simple("integer", "int32"),
            Shape::Int64 => simple("integer", "int64"),
            Shape::Double => simple("number", "double"),
            Shape::Str => simple("string", ""),
            Shape::Bytes => simple("string", "byte"),
            Shape::Option(inner) => self.shape(inner),
            Shape::List(inner) => {
                let mut out = simple("array", "");
                out.insert("items".into(), self.element(inner));
                out
            }
            Shape::Map(inner) => {
                let mut out = simple("object", "");
                out.insert("additionalProperties".into(), self.element(inner));
                out
            }
            Shape::Struct(desc) if desc().is_transparent() => {
                desc().fields.first().map(|field| self.shape(&field.shape)).unwrap_or_default()
            }
            Shape::Struct(desc) => self.referring(Model::Struct(desc())),
            Shape::Leaf(leaf) => self.referring(Model::Leaf(leaf)),
            Shape::Json => Map::new(),
        }
    }

    fn referring(&self, model: Model) -> Map<String, Json> {
        let reference = json!({ "$ref": self.reference(model) });
        let mut out = Map::new();
        match self.dialect {
            // In version 3 nothing may stand beside a reference, so it is wrapped.
            Dialect::V3 => drop(out.insert("allOf".into(), json!([reference]))),
            Dialect::V2 => drop(out.insert("$ref".into(), self.reference(model).into())),
        }
        out
    }
}

/// Returns the parts of a domain from the last to the first.
fn reversed(domain: &str) -> String {
    let mut parts: Vec<&str> = domain.split('.').collect();
    parts.reverse();
    parts.join(".")
}

/// Returns the default of something that is always there; options and leaves have none.
fn zero(shape: &Shape) -> Option<Json> {
    match shape {
        Shape::Bool => Some(Json::Bool(false)),
        Shape::Int32 | Shape::Int64 => Some(0.into()),
        Shape::Double => Some(0.into()),
        Shape::Str => Some("".into()),
        Shape::Struct(desc) if matches!(desc().form, JsonForm::Object) => Some(json!({})),
        _ => None,
    }
}
