//! A custom kind: what is asked of it is in its definition's schemas.
//!
//! Objects are trees that carry the version they are in; conversion changes that label and drops what the other
//! version doesn't know. So the hub form is the tree in whatever version it came from: that of the request for what a
//! client sends, the stored one for what is read. Whoever looks at two of them brings the old one into the version of
//! the new.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use rhumb_api::autoscaling::v1::Scale;
use rhumb_codec::{
    CodecError, Decoded, Format, JsonSerializer, Serializer, StrictError, Strictness, YamlSerializer,
};
use rhumb_meta::v1::{DeleteOptions, ObjectMeta, Table, TypeMeta};
use rhumb_meta::validation::{NamePart, is_qualified_name, name_is_dns_subdomain, name_is_path_segment};
use rhumb_meta::{GroupVersion, GroupVersionKind, Object, Time, downcast};
use rhumb_patch::apply;
use rhumb_schema::StructDesc;
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{FieldError, FieldErrors, FieldPath, FieldProblem, Shown};
use rhumb_scheme::{NotRegistered, ObjectCreater, Unstructured};
use rhumb_store::{Revision, StoreError};
use rhumb_strategy::{Context, Facts, ResetPath, keep_system_metadata};
use rhumb_structural::rules::RuleSet;
use rhumb_structural::{DefaultsTooLarge, Malformed};
use rhumb_validation::apiextensions::embedded_metadata;
use rhumb_validation::meta::{Scope, common_object_meta, common_object_meta_update};
use serde_json::{Value as Json, json};

use super::definition::{DefinedVersion, Definition};
use super::version::{Source, Version};
use crate::base::failure::{Failure, Outcome};
use crate::base::memory::snug;
use crate::registry::Model;
use crate::registry::model::Incoming;
use crate::registry::reading::{lines, told_kind, unreadable};
use crate::registry::tree::tree_of;

/// A custom kind.
pub(crate) struct Custom {
    namespaced: bool,
    versions: Vec<Version>,
    /// The place of the version that objects are stored in.
    stored: usize,
    source: Arc<Source>,
    terminating: AtomicBool,
}

impl Custom {
    /// The kind of a definition; `None` if that says not how objects are stored.
    pub(crate) fn new(definition: &Definition, source: Arc<Source>) -> Option<Self> {
        let kind = &definition.accepted.kind;
        let version = |defined: &DefinedVersion| {
            let kind = GroupVersionKind::new(definition.group.clone(), defined.name.clone(), kind.clone());
            Version::new(kind, defined.clone())
        };
        Some(Custom {
            namespaced: definition.namespaced,
            stored: definition.versions.iter().position(|version| version.storage)?,
            versions: definition.versions.iter().map(version).collect(),
            source,
            terminating: AtomicBool::new(definition.terminating),
        })
    }

    /// Says whether objects are being removed.
    pub(crate) fn set_terminating(&self, terminating: bool) {
        self.terminating.store(terminating, Ordering::Relaxed);
    }

    /// The versions.
    pub(crate) fn all(&self) -> &[Version] {
        &self.versions
    }

    fn version(&self, name: &str) -> Option<&Version> {
        let own = self.versions.iter().find(|version| version.defined.name == name);
        own.or_else(|| self.versions.get(self.stored))
    }

    /// The version that a tree is in. A version that the definition no longer has counts as the stored one.
    fn version_of(&self, tree: &Json) -> Outcome<&Version> {
        let text = tree.get("apiVersion").and_then(Json::as_str).unwrap_or_default();
        let name = text.rsplit_once('/').map_or(text, |(_, version)| version);
        self.version(name).ok_or_else(|| Failure::internal("the kind has no versions"))
    }

    /// The tree in a version: under another label, and without what that version doesn't know.
    fn converted(&self, mut tree: Json, version: &GroupVersionKind) -> Outcome<Json> {
        let label = version.api_version();
        if tree.get("apiVersion").and_then(Json::as_str) == Some(label.as_str()) {
            return Ok(tree);
        }
        if let Some(map) = tree.as_object_mut() {
            map.insert("apiVersion".to_owned(), label.into());
        }
        let target = self.version_of(&tree)?;
        if let Some(schema) = target.schema(&self.source) {
            schema.settle(&mut tree, Malformed::Drop).map_err(Failure::internal)?;
        }
        Ok(tree)
    }

    /// The tree of another object in the version of this one.
    fn beside<'a>(&self, tree: &'a Json, other: &Json) -> Outcome<Cow<'a, Json>> {
        let (own, wanted) = (self.version_of(tree)?, self.version_of(other)?);
        if own.kind == wanted.kind {
            return Ok(Cow::Borrowed(tree));
        }
        self.converted(tree.clone(), &wanted.kind).map(Cow::Owned)
    }

    /// Brings a tree that was read into its usual form. Gives what was dropped, for warnings.
    fn settle(&self, tree: &mut Json, expected: &GroupVersionKind) -> Result<Vec<String>, String> {
        let schema = self.version(&expected.version).and_then(|version| version.schema(&self.source));
        let Some(schema) = schema else { return Ok(Vec::new()) };
        let unknown = schema.settle(tree, Malformed::Refuse).map_err(|error| error.to_string())?;
        Ok(unknown.iter().map(|path| format!("unknown field {}", quoted(path))).collect())
    }

    fn default(&self, tree: &mut Json) -> Outcome<()> {
        if let Some(schema) = self.version_of(tree)?.schema(&self.source) {
            // What is larger could not be stored either.
            let too_large =
                |error: DefaultsTooLarge| StoreError::TooLarge { size: error.limit, limit: error.limit };
            schema.default(tree).map_err(too_large)?;
        }
        Ok(())
    }
}

/// Makes trees of any kind.
struct Trees;

impl ObjectCreater for Trees {
    fn new_object(&self, _: &GroupVersionKind) -> Result<Box<dyn Object>, NotRegistered> {
        Ok(Box::new(Unstructured::default()))
    }
}

/// The tree of an object, which is one already.
fn tree(object: Box<dyn Object>) -> Json {
    match downcast::<Unstructured>(object) {
        Ok(object) => object.into_tree(),
        Err(other) => tree_of(&*other),
    }
}

/// A look at the tree of an object.
fn seen(object: &dyn Object) -> &Json {
    const NOTHING: &Json = &Json::Null;
    object.downcast_ref::<Unstructured>().map_or(NOTHING, Unstructured::tree)
}

fn boxed(tree: Json) -> Outcome<Box<dyn Object>> {
    match Unstructured::new(tree) {
        Some(object) => Ok(Box::new(object)),
        None => Err(Failure::internal("the object is none")),
    }
}

fn as_written(object: &mut dyn Object) -> Option<&mut serde_json::Map<String, Json>> {
    match object.view_mut() {
        rhumb_schema::ViewMut::Json(Json::Object(map)) => Some(map),
        _ => None,
    }
}

/// Refuses an object of another kind in the same version, which is a rule of the kind rather than of reading.
fn expect_kind(told: &GroupVersionKind, expected: &GroupVersionKind, tree: &Json) -> Outcome<()> {
    if told.kind == expected.kind || told.group_version() != expected.group_version() {
        return Ok(());
    }
    let mut errors = FieldErrors::default();
    errors.invalid(&FieldPath::new("kind"), told.kind.as_ref(), &format!("must be {}", expected.kind));
    let name = tree.pointer("/metadata/name").and_then(Json::as_str).unwrap_or_default();
    Err(Failure::invalid(told, name, &errors))
}

/// The finalizers that Kubernetes itself has without a domain.
const STANDARD_FINALIZERS: &[&str] = &["orphan", "foregroundDeletion", "kubernetes"];

/// What is worth a warning in the name of a finalizer.
fn finalizer_warnings(name: &str, found: &mut Vec<String>) {
    let shown = quoted(name);
    for problem in is_qualified_name(name) {
        found.push(format!("metadata.finalizers: {shown}: {problem}"));
    }
    if !name.contains('/') && !STANDARD_FINALIZERS.contains(&name) {
        let path = if name.contains('.') { " including a path (/)" } else { "" };
        found.push(format!(
            "metadata.finalizers: {shown}: prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers"
        ));
    }
}

/// Evaluates rules in CEL, unless the object is so wrong that they could not be understood.
fn check_rules(rules: Option<&RuleSet>, new: &Json, old: Option<&Json>, errors: &mut FieldErrors) {
    let Some(rules) = rules else { return };
    let is_in_the_way = |error: &FieldError| {
        matches!(
            error.problem,
            FieldProblem::NotSupported
                | FieldProblem::Required
                | FieldProblem::TooLong
                | FieldProblem::TooMany
                | FieldProblem::TypeInvalid
        )
    };
    if errors.0.iter().any(is_in_the_way) {
        let detail = "some validation rules were not checked because the object was invalid; correct the \
                      existing errors to complete validation";
        return errors.invalid(&FieldPath::root(), &Shown("null".to_owned()), detail);
    }
    errors.extend(rules.validate(new, old).errors);
}

const STATUS: &[ResetPath] = &[&["status"]];
const METADATA_AND_SPEC: &[ResetPath] = &[&["metadata"], &["spec"]];

impl Model for Custom {
    fn read(
        &self,
        expected: &GroupVersionKind,
        body: &[u8],
        format: Format,
        strictness: Strictness,
    ) -> Outcome<Incoming> {
        let noted = if strictness == Strictness::Ignore { Strictness::Ignore } else { Strictness::Warn };
        let decoded = match format {
            Format::Yaml => YamlSerializer { strictness: noted }.decode(body, Some(expected), &Trees),
            _ => JsonSerializer { strictness: noted, ..JsonSerializer::default() }.decode(
                body,
                Some(expected),
                &Trees,
            ),
        };
        let told = told_kind(body, format);
        let Decoded { object, warnings, .. } = decoded.map_err(|error| {
            let shown = told.as_ref().filter(|_| !matches!(error, CodecError::TypeMeta(_)));
            unreadable(expected, body, &error, shown)
        })?;
        let told = told.unwrap_or_default();
        if told.kind.is_empty() {
            let sent = String::from_utf8_lossy(body).into_owned();
            return Err(unreadable(expected, body, &CodecError::MissingKind(sent), None));
        }
        let mut tree = tree(object);
        expect_kind(&told, expected, &tree)?;
        if told != *expected {
            return Ok(Incoming { object: boxed(tree)?, gvk: told, warnings });
        }
        let refuse = |why: String| {
            let version = quoted(expected.version.as_bytes());
            let kind = &expected.kind;
            Failure::bad_request(format!("{kind} in version {version} cannot be handled as a {kind}: {why}"))
        };
        let unknown = self.settle(&mut tree, expected).map_err(refuse)?;
        let mut found = warnings;
        found.extend(unknown);
        match strictness {
            Strictness::Ignore => found.clear(),
            Strictness::Strict if !found.is_empty() => return Err(refuse(StrictError(found).to_string())),
            _ => found = found.iter().flat_map(|warning| lines(warning)).collect(),
        }
        Ok(Incoming { object: boxed(tree)?, gvk: told, warnings: found })
    }

    fn read_tree(
        &self,
        expected: &GroupVersionKind,
        mut tree: Json,
        strictness: Strictness,
    ) -> Outcome<Incoming> {
        let text = |key: &str| tree.get(key).and_then(Json::as_str).unwrap_or_default();
        let told = GroupVersionKind::from_api_version_and_kind(text("apiVersion"), text("kind"));
        expect_kind(&told, expected, &tree)?;
        if told != *expected {
            let mut errors = FieldErrors::default();
            let label = expected.api_version();
            errors.invalid(&FieldPath::new("apiVersion"), text("apiVersion"), &format!("must be {label}"));
            let name = tree.pointer("/metadata/name").and_then(Json::as_str).unwrap_or_default();
            return Err(Failure::invalid(&told, name, &errors));
        }
        let unknown = self.settle(&mut tree, expected).map_err(Failure::bad_request)?;
        let warnings = match strictness {
            Strictness::Ignore => Vec::new(),
            Strictness::Strict if !unknown.is_empty() => {
                return Err(Failure::bad_request(StrictError(unknown).to_string()));
            }
            _ => unknown,
        };
        Ok(Incoming { object: boxed(tree)?, gvk: told, warnings })
    }

    fn to_hub(&self, external: Box<dyn Object>) -> Outcome<Box<dyn Object>> {
        let mut tree = tree(external);
        self.default(&mut tree)?;
        boxed(tree)
    }

    fn external(&self, hub: Box<dyn Object>, version: &GroupVersionKind) -> Outcome<Box<dyn Object>> {
        boxed(self.converted(tree(hub), version)?)
    }

    fn store(&self, mut hub: Box<dyn Object>) -> Outcome<Bytes> {
        hub.edit_metadata(&mut |meta| {
            meta.resource_version.clear();
            meta.self_link.clear();
        });
        let stored = self.versions.get(self.stored).map(|version| version.kind.clone()).unwrap_or_default();
        let object = self.external(hub, &stored)?;
        let mut out = Vec::new();
        JsonSerializer::default().encode(&*object, &mut out).map_err(Failure::internal)?;
        Ok(snug(out))
    }

    fn load(&self, value: &[u8], revision: Revision) -> Outcome<Box<dyn Object>> {
        let mut tree = rhumb_schema::text::parse_tree(value).map_err(Failure::internal)?;
        if let Some(schema) = self.version_of(&tree)?.schema(&self.source) {
            schema.settle(&mut tree, Malformed::Drop).map_err(Failure::internal)?;
            // A default that came later doesn't make an object unreadable.
            schema.default(&mut tree).ok();
        }
        let mut object = boxed(tree)?;
        object.edit_metadata(&mut |meta| {
            meta.resource_version = revision.to_string();
            // Servers of old did not count.
            meta.generation = meta.generation.max(1);
        });
        Ok(object)
    }

    fn begin_create(&self, _: &mut dyn Object) {}

    fn begin_update(&self, _: &mut dyn Object, _: &dyn Object) {}

    fn prepare_create(&self, object: &mut dyn Object, _: &Context<'_>) -> Vec<String> {
        let has_status = self.version_of(seen(object)).is_ok_and(|version| version.defined.has_status);
        if has_status && let Some(map) = as_written(object) {
            map.remove("status");
        }
        object.edit_metadata(&mut |meta| meta.generation = 1);
        Vec::new()
    }

    /// Shows what storing does to an object that came in another version.
    fn canonicalize(&self, object: &mut dyn Object) {
        let Some(stored) = self.versions.get(self.stored) else { return };
        let Ok(own) = self.version_of(seen(object)).map(|version| version.kind.clone()) else { return };
        if own == stored.kind {
            return;
        }
        let there = self.converted(seen(object).clone(), &stored.kind);
        let back = there.and_then(|mut tree| {
            self.default(&mut tree)?;
            self.converted(tree, &own)
        });
        if let (Ok(Json::Object(back)), Some(map)) = (back, as_written(object)) {
            *map = back;
        }
    }

    fn prepare_update(
        &self,
        new: &mut dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
        _: &Context<'_>,
    ) {
        let generation = old.metadata().map(|meta| meta.generation).unwrap_or_default();
        let Ok(before) = self.beside(seen(old), seen(new)).map(Cow::into_owned) else { return };
        let has_status = self.version_of(seen(new)).is_ok_and(|version| version.defined.has_status);
        let managed = new.metadata().map(|meta| meta.managed_fields.clone()).unwrap_or_default();
        let Some(map) = as_written(new) else { return };
        if subresource == Some("status") {
            let status = map.remove("status");
            if let Json::Object(before) = before {
                *map = before;
            }
            match status {
                Some(status) => map.insert("status".to_owned(), status),
                None => map.remove("status"),
            };
            let mut managed = Some(managed);
            new.edit_metadata(&mut |meta| meta.managed_fields = managed.take().unwrap_or_default());
            return;
        }
        if has_status {
            match before.get("status") {
                Some(status) => map.insert("status".to_owned(), status.clone()),
                None => map.remove("status"),
            };
        }
        let rest = |tree: &serde_json::Map<String, Json>| {
            let mut rest = tree.clone();
            rest.remove("metadata");
            rest
        };
        let changed = before.as_object().is_none_or(|before| rest(before) != rest(map));
        let next = if changed { generation.saturating_add(1) } else { generation };
        new.edit_metadata(&mut |meta| meta.generation = next);
        keep_system_metadata(new, old);
    }

    fn validate_create(&self, object: &dyn Object, _: &GroupVersion) -> FieldErrors {
        let mut errors = FieldErrors::default();
        let Some(metadata) = object.metadata() else { return errors };
        let path = FieldPath::new("metadata");
        let scope = if self.namespaced { Scope::Namespaced } else { Scope::Cluster };
        common_object_meta(&metadata, scope, name_is_dns_subdomain, &path, &mut errors);
        let tree = seen(object);
        if let Ok(version) = self.version_of(tree)
            && let Some(schema) = version.schema(&self.source)
        {
            errors.extend(schema.validate(tree, None, version.defined.scale.as_ref(), embedded_metadata));
            check_rules(version.rules(&self.source), tree, None, &mut errors);
        }
        if errors.is_empty() && !name_is_path_segment(&metadata.name, NamePart::Whole).is_empty() {
            common_object_meta(&metadata, scope, name_is_path_segment, &path, &mut errors);
        }
        errors
    }

    fn validate_update(
        &self,
        new: &dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
        _: &GroupVersion,
    ) -> FieldErrors {
        let mut errors = FieldErrors::default();
        let (Some(metadata), Some(before)) = (new.metadata(), old.metadata()) else { return errors };
        let path = FieldPath::new("metadata");
        common_object_meta(&metadata, Scope::of(&metadata), name_is_path_segment, &path, &mut errors);
        common_object_meta_update(&metadata, &before, &path, &mut errors);
        // Kubernetes checks this twice, and tells what it finds twice.
        common_object_meta_update(&metadata, &before, &path, &mut errors);
        let tree = seen(new);
        let (Ok(version), Ok(before)) = (self.version_of(tree), self.beside(seen(old), tree)) else {
            return errors;
        };
        let scale = version.defined.scale.as_ref();
        if let Some(schema) = version.schema(&self.source) {
            errors.extend(match subresource {
                Some("status") => schema.validate_status(tree, &before, scale),
                _ => schema.validate(tree, Some(&before), scale, embedded_metadata),
            });
            check_rules(version.rules(&self.source), tree, Some(&before), &mut errors);
        }
        errors
    }

    fn warnings(&self, new: &dyn Object, old: Option<&dyn Object>, subresource: Option<&str>) -> Vec<String> {
        if subresource == Some("status") {
            return Vec::new();
        }
        let finalizers =
            |object: &dyn Object| object.metadata().map(|meta| meta.finalizers.clone()).unwrap_or_default();
        let before = old.map(finalizers).unwrap_or_default();
        let mut added = finalizers(new);
        let before: HashSet<String> = before.into_iter().collect();
        added.retain(|name| !before.contains(name));
        added.sort();
        added.dedup();
        let mut found = Vec::new();
        added.iter().for_each(|name| finalizer_warnings(name, &mut found));
        found
    }

    fn facts(&self) -> Facts {
        Facts::CUSTOM
    }

    fn check_graceful_delete(&self, _: &dyn Object, _: &mut DeleteOptions) -> bool {
        false
    }

    fn fields(&self, hub: &dyn Object) -> Vec<(String, String)> {
        let tree = seen(hub);
        let mut found: Vec<(String, String)> = Vec::new();
        for (name, path) in self.versions.iter().flat_map(|version| &version.defined.fields) {
            if !found.iter().any(|(known, _)| known == name) {
                found.push((name.clone(), path.selectable(tree)));
            }
        }
        found
    }

    fn field_label(&self, version: &GroupVersionKind, label: &str, value: &str) -> Outcome<(String, String)> {
        let own = self.version(&version.version).map(|version| version.defined.fields.as_slice());
        let is_known = match label {
            "metadata.name" => true,
            "metadata.namespace" => self.namespaced,
            _ => own.unwrap_or_default().iter().any(|(name, _)| name == label),
        };
        if is_known {
            return Ok((label.to_owned(), value.to_owned()));
        }
        Err(Failure::bad_request(format!("field label not supported: {label}")))
    }

    fn table(
        &self,
        version: &GroupVersionKind,
        hubs: Vec<Box<dyn Object>>,
        options: &rhumb_print::Options,
        now: Time,
    ) -> Outcome<Table> {
        let own =
            self.version(&version.version).ok_or_else(|| Failure::internal("there is no such version"))?;
        let objects: Outcome<Vec<_>> = hubs.into_iter().map(|hub| self.external(hub, version)).collect();
        let objects = objects?;
        let rows = objects.iter().map(|object| (&**object, seen(&**object)));
        Ok(own.columns(&self.source).table(rows, options, now))
    }

    fn strategic(&self, _: &GroupVersionKind) -> Option<&'static StructDesc> {
        None
    }

    fn apply_type(&self, version: &GroupVersionKind) -> Option<apply::Type<'_>> {
        let own = self.versions.iter().find(|own| own.kind == *version)?;
        Some(own.apply(&self.source).root())
    }

    fn versions(&self) -> Vec<GroupVersionKind> {
        self.versions.iter().map(|version| version.kind.clone()).collect()
    }

    fn convert_tree(&self, tree: &Json, version: &GroupVersionKind) -> Outcome<Json> {
        // Nothing is dropped: who set a field that another version doesn't know is told so.
        let mut tree = tree.clone();
        if let Some(map) = tree.as_object_mut() {
            map.insert("apiVersion".to_owned(), version.api_version().into());
        }
        Ok(tree)
    }

    fn empty_tree(&self, version: &GroupVersionKind) -> Json {
        json!({"apiVersion": version.api_version(), "kind": version.kind})
    }

    fn reset_fields(&self, version: &GroupVersionKind, subresource: Option<&str>) -> &'static [ResetPath] {
        let has_status = self.version(&version.version).is_some_and(|version| version.defined.has_status);
        match subresource {
            Some("status") => METADATA_AND_SPEC,
            None if has_status => STATUS,
            _ => &[],
        }
    }

    fn scale(&self, hub: &dyn Object) -> Option<Outcome<Scale>> {
        let tree = seen(hub);
        let paths = self.scale_paths(tree)?;
        let values = match paths.read(tree) {
            Ok(values) => values,
            Err(why) => return Some(Err(Failure::internal(why))),
        };
        let Some(wanted) = values.spec_replicas else {
            let why = format!("the spec replicas field {} does not exist", quoted(&paths.spec_replicas));
            return Some(Err(Failure::internal(why)));
        };
        let meta = hub.metadata().map(Cow::into_owned).unwrap_or_default();
        let mut scale = Scale {
            type_meta: TypeMeta { api_version: "autoscaling/v1".to_owned(), kind: "Scale".to_owned() },
            metadata: ObjectMeta {
                name: meta.name,
                namespace: meta.namespace,
                uid: meta.uid,
                resource_version: meta.resource_version,
                creation_timestamp: meta.creation_timestamp,
                ..ObjectMeta::default()
            },
            ..Scale::default()
        };
        // Beyond these bounds the rules let nothing in.
        scale.spec.replicas = i32::try_from(wanted).unwrap_or(i32::MAX);
        scale.status.replicas = i32::try_from(values.status_replicas).unwrap_or(i32::MAX);
        scale.status.selector = values.label_selector;
        Some(Ok(scale))
    }

    fn set_scale(&self, hub: &mut dyn Object, scale: &Scale) -> bool {
        let Some(paths) = self.scale_paths(seen(hub)).cloned() else { return false };
        match hub.view_mut() {
            rhumb_schema::ViewMut::Json(tree) => paths.set_replicas(tree, scale.spec.replicas).is_ok(),
            _ => false,
        }
    }

    fn items_carry_kind(&self) -> bool {
        true
    }

    fn is_custom(&self) -> bool {
        true
    }

    fn creation_refused(&self) -> Option<&'static str> {
        let terminating = self.terminating.load(Ordering::Relaxed);
        terminating.then_some("create not allowed while custom resource definition is terminating")
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Json, Format::Yaml]
    }
}

impl Custom {
    /// Where the numbers of an object's scale stand: in its own version, or in one that can be scaled.
    fn scale_paths(&self, tree: &Json) -> Option<&rhumb_structural::scale::ScalePaths> {
        let own = self.version_of(tree).ok().and_then(|version| version.defined.scale.as_ref());
        own.or_else(|| self.versions.iter().find_map(|version| version.defined.scale.as_ref()))
    }
}
