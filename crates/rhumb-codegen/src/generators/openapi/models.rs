//! Definitions of types.
//!
//! Names, formats and extensions are those that a server makes of the types' tables at run time; a test holds both
//! against each other.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::generators::api_version::{self, ApiVersion};
use crate::generators::not_found;
use crate::generators::said::{self, ListType};
use crate::namer::version::is_version;
use crate::problem::{Outcome, Place, Problem, Problems};
use crate::universe::{Builtin, Kind, Leaf, Member, Type, TypeName, TypeRef, Universe};

/// OpenAPI version of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// OpenAPI 2.
    V2,
    /// OpenAPI 3.
    V3,
}

/// A type with a definition of its own.
#[derive(Clone, Copy)]
enum Model<'a> {
    Declared(&'a Type),
    Leaf(Leaf),
}

/// Builds the definitions of one version's document.
pub(crate) struct Models<'a> {
    universe: &'a Universe,
    version: &'a ApiVersion,
    /// The module that the version's own types stand in, without the version.
    home: String,
    dialect: Dialect,
    /// Whether values are listed.
    pub(crate) enums: bool,
    problems: Problems,
}

/// Module path of a type, split: `rhumb_api::core` and `v1`.
struct Module<'a> {
    path: &'a str,
    version: &'a str,
}

impl<'a> Module<'a> {
    fn of(path: &'a str) -> Self {
        let version = path.rsplit("::").find(|part| is_version(part)).unwrap_or(path);
        let home = path
            .match_indices(version)
            .find_map(|(at, _)| path.get(..at)?.strip_suffix("::"))
            .unwrap_or(path);
        Module { path: home, version }
    }

    fn is_meta(&self) -> bool {
        self.path == "rhumb_meta" || self.path.starts_with("rhumb_meta::")
    }
}

impl<'a> Models<'a> {
    /// Creates a builder of the definitions of a package's types.
    pub(crate) fn new(
        universe: &'a Universe,
        package: &str,
        version: &'a ApiVersion,
        dialect: Dialect,
    ) -> Self {
        let home = Module::of(package).path.to_owned();
        Models { universe, version, home, dialect, enums: false, problems: Problems::default() }
    }

    /// Returns the definitions of types and of all that they refer to, by name.
    ///
    /// # Errors
    /// What has no form in such a document.
    pub(crate) fn all(mut self, starts: &[&'a Type]) -> Outcome<BTreeMap<String, Json>> {
        let mut definitions = BTreeMap::new();
        let mut queue: Vec<Model<'a>> = starts.iter().map(|ty| Model::Declared(ty)).collect();
        while let Some(model) = queue.pop() {
            let name = self.name(model);
            if definitions.contains_key(&name) {
                continue;
            }
            let definition = match model {
                Model::Leaf(leaf) => self.leaf(leaf),
                Model::Declared(ty) => {
                    self.problems.0.extend(self.universe.problems_of(ty));
                    self.collect(ty, &mut queue);
                    self.declared(ty)
                }
            };
            definitions.insert(name, definition);
        }
        self.problems.or(definitions)
    }

    /// Adds the models that a type's members refer to. Inlined and transparent structs are none themselves.
    fn collect(&self, ty: &'a Type, queue: &mut Vec<Model<'a>>) {
        let retired = said::schema_words(ty).retired;
        for member in ty.members.iter().filter(|member| said::exists(member, retired)) {
            match self.bottom(&member.ty) {
                TypeRef::Leaf(Leaf::Tree | Leaf::Bytes) => {}
                TypeRef::Leaf(leaf) => queue.push(Model::Leaf(*leaf)),
                TypeRef::Named(name) => {
                    let Some(inner) = self.universe.get(name) else { continue };
                    if member.is_inline() || said::schema_words(inner).transparent {
                        self.collect(inner, queue);
                    } else if !matches!(inner.kind, Kind::Enum(_)) {
                        queue.push(Model::Declared(inner));
                    }
                }
                _ => {}
            }
        }
    }

    fn bottom(&self, ty: &'a TypeRef) -> &'a TypeRef {
        match self.universe.underlying(ty) {
            TypeRef::Option(inner)
            | TypeRef::Boxed(inner)
            | TypeRef::Slice(inner)
            | TypeRef::Map(_, inner) => self.bottom(inner),
            other => other,
        }
    }

    fn name(&self, model: Model<'_>) -> String {
        let ty = match model {
            Model::Leaf(leaf) => return leaf_facts(leaf).0.to_owned(),
            Model::Declared(ty) => ty,
        };
        let module = Module::of(&ty.module);
        if module.path == "rhumb_meta" {
            return format!("io.k8s.apimachinery.pkg.apis.meta.{}.{}", module.version, ty.name.name);
        }
        let version = self.version_in_name(&module);
        let path = match module.path.strip_prefix("rhumb_api::") {
            // These live in repositories of their own.
            Some("apiextensions") => "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions".to_owned(),
            Some("apiregistration") => "io.k8s.kube-aggregator.pkg.apis.apiregistration".to_owned(),
            Some(group) => format!("io.k8s.api.{group}"),
            None => module.path.to_owned(),
        };
        format!("{}.{version}.{}", path.replace("::", "."), ty.name.name)
    }

    fn version_in_name<'b>(&'b self, module: &Module<'b>) -> &'b str {
        if module.path == self.home { &self.version.version } else { module.version }
    }

    fn reference(&self, model: Model<'_>) -> String {
        let folder = match self.dialect {
            Dialect::V2 => "#/definitions/",
            Dialect::V3 => "#/components/schemas/",
        };
        format!("{folder}{}", self.name(model))
    }

    fn leaf(&self, leaf: Leaf) -> Json {
        let (_, json_type, format, one_of) = leaf_facts(leaf);
        let mut out = Map::new();
        match (self.dialect, one_of) {
            (Dialect::V3, [_, ..]) => {
                let types: Vec<Json> = one_of.iter().map(|name| json!({ "type": name })).collect();
                out.insert("oneOf".into(), types.into());
            }
            _ => drop(out.insert("type".into(), json_type.into())),
        }
        if !format.is_empty() {
            out.insert("format".into(), format.into());
        }
        Json::Object(out)
    }

    fn declared(&mut self, ty: &'a Type) -> Json {
        let mut out = Map::new();
        if matches!(ty.kind, Kind::Leaf) {
            // It writes itself; its tags may say as what.
            for (key, tag) in
                [("type", "kubebuilder:validation:Type"), ("format", "kubebuilder:validation:Format")]
            {
                if let Some(value) = ty.tags.value(tag) {
                    out.insert(key.into(), value.into());
                }
            }
            return Json::Object(out);
        }
        if !ty.doc.is_empty() {
            out.insert("description".into(), ty.doc.as_str().into());
        }
        if said::schema_words(ty).union {
            // Version 2 has no words for "one of these", so neither document says more of a union.
            return Json::Object(out);
        }
        let mut properties = Map::new();
        let mut required = Vec::new();
        self.properties(ty, &mut properties, &mut required);
        out.insert("type".into(), "object".into());
        if !properties.is_empty() {
            out.insert("properties".into(), Json::Object(properties));
        }
        if !required.is_empty() {
            out.insert("required".into(), required.into());
        }
        if self.problems.take(said::is_atomic_type(ty)) == Some(true) {
            out.insert("x-kubernetes-map-type".into(), "atomic".into());
        }
        if let Some(kind) = self.kind(ty) {
            out.insert("x-kubernetes-group-version-kind".into(), json!([kind]));
        }
        Json::Object(out)
    }

    /// Returns the kind that a definition stands for under its name. What all groups share is no kind of one.
    fn kind(&self, ty: &Type) -> Option<Json> {
        let module = Module::of(&ty.module);
        if !ty.is_object() || module.is_meta() {
            return None;
        }
        let of = api_version::of_type(self.universe, ty)?;
        let version = self.version_in_name(&module);
        Some(json!({ "group": of.group, "kind": api_version::kind(ty), "version": version }))
    }

    fn properties(&mut self, ty: &'a Type, out: &mut Map<String, Json>, required: &mut Vec<&'a str>) {
        let retired = said::schema_words(ty).retired;
        for member in ty.members.iter().filter(|member| said::exists(member, retired)) {
            if member.is_inline() {
                if let Some(inner) = member.ty.name().and_then(|name| self.universe.get(name)) {
                    self.properties(inner, out, required);
                }
                continue;
            }
            if member.is_required() {
                required.push(&member.json);
            }
            let property = self.property(ty, member);
            out.insert(member.json.clone(), property);
        }
    }

    fn property(&mut self, ty: &'a Type, member: &'a Member) -> Json {
        let mut out = self.shape(&member.ty, &member.place);
        if !member.doc.is_empty() {
            out.insert("description".into(), member.doc.as_str().into());
        }
        let default = self.problems.take(said::default(member)).flatten();
        if self.dialect == Dialect::V3 {
            let presence = member.field.as_ref().and_then(|field| field.presence);
            let shown = matches!(presence, Some("Required" | "Shown"))
                || (presence.is_none() && member.is_required());
            if let Some(default) = default {
                out.insert("default".into(), default);
            } else if let Some(zero) = self.zero(&member.ty)
                && (shown || zero.is_object())
            {
                out.insert("default".into(), zero);
            }
        }
        // Kubernetes marks no values in the types that all versions share.
        if self.enums && !Module::of(&ty.module).is_meta() {
            self.values(ty, member, &mut out);
        }
        match self.problems.take(said::list_type(member)).flatten() {
            None => {}
            Some(ListType::Atomic) => drop(out.insert("x-kubernetes-list-type".into(), "atomic".into())),
            Some(ListType::Set) => drop(out.insert("x-kubernetes-list-type".into(), "set".into())),
            Some(ListType::Map(keys)) => {
                out.insert("x-kubernetes-list-type".into(), "map".into());
                out.insert("x-kubernetes-list-map-keys".into(), keys.into());
            }
        }
        if self.problems.take(said::is_atomic(member)) == Some(true) {
            out.insert("x-kubernetes-map-type".into(), "atomic".into());
        }
        let field = member.field.as_ref();
        for (name, attribute, tag) in [
            ("x-kubernetes-patch-strategy", field.and_then(|field| field.merge.as_ref()), "patchStrategy"),
            (
                "x-kubernetes-patch-merge-key",
                field.and_then(|field| field.merge_key.as_ref()),
                "patchMergeKey",
            ),
        ] {
            let tag = member.tags.value(tag).map(str::to_owned);
            if let Some(value) = attribute.map(syn::LitStr::value).or(tag).filter(|value| !value.is_empty()) {
                out.insert(name.into(), value.into());
            }
        }
        Json::Object(out)
    }

    fn values(&mut self, ty: &Type, member: &Member, out: &mut Map<String, Json>) {
        let mut values = self.problems.take(said::values(self.universe, ty, member)).unwrap_or_default();
        if values.is_empty() {
            return;
        }
        values.sort_unstable();
        let elements = ["items", "additionalProperties"].into_iter().find(|name| out.contains_key(*name));
        match elements.and_then(|name| out.get_mut(name)).and_then(Json::as_object_mut) {
            Some(elements) => drop(elements.insert("enum".into(), values.into())),
            None => drop(out.insert("enum".into(), values.into())),
        }
    }

    /// Returns the schema of list items or map values: like a required member, except that a lone reference needs no
    /// wrapping.
    fn element(&mut self, ty: &'a TypeRef, place: &Place) -> Json {
        match self.universe.underlying(ty) {
            TypeRef::Leaf(leaf) if !matches!(leaf, Leaf::Tree | Leaf::Bytes) => {
                return json!({ "$ref": self.reference(Model::Leaf(*leaf)) });
            }
            TypeRef::Named(name) => {
                if let Some(inner) = self.universe.get(name)
                    && (said::schema_words(inner).union || matches!(inner.kind, Kind::Leaf))
                {
                    return json!({ "$ref": self.reference(Model::Declared(inner)) });
                }
            }
            _ => {}
        }
        let mut out = self.shape(ty, place);
        if self.dialect == Dialect::V3
            && let Some(zero) = self.zero(ty)
        {
            out.insert("default".into(), zero);
        }
        Json::Object(out)
    }

    fn shape(&mut self, ty: &'a TypeRef, place: &Place) -> Map<String, Json> {
        match self.universe.underlying(ty) {
            TypeRef::Builtin(builtin) => match builtin {
                Builtin::Bool => simple("boolean", ""),
                Builtin::Int32 => simple("integer", "int32"),
                Builtin::Int64 | Builtin::Uint32 | Builtin::Uint64 => simple("integer", "int64"),
                Builtin::Double => simple("number", "double"),
                Builtin::Text => simple("string", ""),
            },
            TypeRef::Leaf(Leaf::Bytes) => simple("string", "byte"),
            TypeRef::Leaf(Leaf::Tree) => Map::new(),
            TypeRef::Leaf(leaf) => self.referring(Model::Leaf(*leaf)),
            TypeRef::Option(inner) | TypeRef::Boxed(inner) => self.shape(inner, place),
            TypeRef::Slice(inner) => {
                let mut out = simple("array", "");
                out.insert("items".into(), self.element(inner, place));
                out
            }
            TypeRef::Map(_, inner) => {
                let mut out = simple("object", "");
                out.insert("additionalProperties".into(), self.element(inner, place));
                out
            }
            TypeRef::Named(name) => self.named(name, place),
            TypeRef::Instance(name, _) => {
                let what = format!(
                    "{} has parameters, and so no name in OpenAPI; declare a type without, or inline it",
                    name.name
                );
                self.problems.push(Problem::at(place, what));
                Map::new()
            }
            // These were reported with the type.
            TypeRef::Parameter(_) | TypeRef::Unknown(_) => Map::new(),
        }
    }

    fn named(&mut self, name: &TypeName, place: &Place) -> Map<String, Json> {
        let Some(ty) = self.universe.get(name) else {
            self.problems.push(not_found(name, place));
            return Map::new();
        };
        if let Kind::Enum(variants) = &ty.kind {
            let mut out = simple("string", "");
            if self.enums {
                let mut names: Vec<&str> = variants.iter().map(|variant| &*variant.name).collect();
                names.sort_unstable();
                out.insert("enum".into(), names.into());
            }
            return out;
        }
        if said::schema_words(ty).transparent {
            return ty.members.first().map(|member| self.shape(&member.ty, place)).unwrap_or_default();
        }
        self.referring(Model::Declared(ty))
    }

    fn referring(&self, model: Model<'_>) -> Map<String, Json> {
        let mut out = Map::new();
        match self.dialect {
            // In version 3 nothing may stand beside a reference, so it is wrapped.
            Dialect::V3 => drop(out.insert("allOf".into(), json!([{ "$ref": self.reference(model) }]))),
            Dialect::V2 => drop(out.insert("$ref".into(), self.reference(model).into())),
        }
        out
    }

    /// Returns the default of something that is always there; options and leaves have none.
    fn zero(&self, ty: &TypeRef) -> Option<Json> {
        match self.universe.underlying(ty) {
            TypeRef::Builtin(Builtin::Bool) => Some(Json::Bool(false)),
            TypeRef::Builtin(Builtin::Text) => Some("".into()),
            TypeRef::Builtin(_) => Some(0.into()),
            TypeRef::Boxed(inner) => self.zero(inner),
            TypeRef::Named(name) => {
                let ty = self.universe.get(name)?;
                let words = said::schema_words(ty);
                (matches!(ty.kind, Kind::Struct) && !words.transparent && !words.union).then(|| json!({}))
            }
            _ => None,
        }
    }
}

fn simple(name: &str, format: &str) -> Map<String, Json> {
    let mut out = Map::new();
    out.insert("type".into(), name.into());
    if !format.is_empty() {
        out.insert("format".into(), format.into());
    }
    out
}

/// Returns the name of a leaf's definition, its type, its format, and the types of version 3 where there are several.
fn leaf_facts(leaf: Leaf) -> (&'static str, &'static str, &'static str, &'static [&'static str]) {
    match leaf {
        Leaf::Quantity => {
            ("io.k8s.apimachinery.pkg.api.resource.Quantity", "string", "", &["string", "number"])
        }
        Leaf::IntOrString => (
            "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
            "string",
            "int-or-string",
            &["integer", "string"],
        ),
        Leaf::Time => ("io.k8s.apimachinery.pkg.apis.meta.v1.Time", "string", "date-time", &[]),
        Leaf::MicroTime => ("io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", "string", "date-time", &[]),
        Leaf::Duration => ("io.k8s.apimachinery.pkg.apis.meta.v1.Duration", "string", "", &[]),
        Leaf::FieldsV1 => ("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", "object", "", &[]),
        Leaf::RawJson | Leaf::Tree | Leaf::Bytes => {
            ("io.k8s.apimachinery.pkg.runtime.RawExtension", "object", "", &[])
        }
    }
}
