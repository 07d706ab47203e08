//! Kinds with a Rust type: what is asked of them is in the Scheme, their strategies and their rules.

use std::sync::Arc;

use bytes::Bytes;
use rhumb_api::autoscaling::v1::Scale;
use rhumb_api::resources::Served;
use rhumb_codec::{CodecError, Codecs, Format, JsonSerializer, ProtobufSerializer, Serializer, Strictness};
use rhumb_meta::v1::{DeleteOptions, Table};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_meta::{GroupKind, GroupVersion, GroupVersionKind, Object, Time};
use rhumb_patch::apply;
use rhumb_print::Printers;
use rhumb_schema::StructDesc;
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_scheme::{ConversionKind, ConvertError, Scheme, ToInternal, Unstructured};
use rhumb_store::Revision;
use rhumb_strategy::{Context, Facts, ResetPath, Strategies};
use rhumb_validation::meta::{Scope, common_object_meta};
use serde_json::Value as Json;

use super::deletion;
use super::model::{Incoming, Model};
use super::reading::{completed, lines, told_kind, unreadable};
use super::tree::tree_of;
use crate::base::failure::{Failure, Outcome};
use crate::base::memory::snug;
use crate::registry::group::{ApiGroup, Kinds, speaks_protobuf};
use crate::registry::tree::without_entries;
use crate::registry::unsupported;

/// A kind with a Rust type: a built-in one, or one of a group that the server's user brought.
pub(crate) struct BuiltIn {
    scheme: Arc<Scheme>,
    strategies: Arc<Strategies>,
    printers: Arc<Printers>,
    /// The resource in its most wanted version.
    served: Served,
    /// The version that objects are stored in, if they are.
    stored: Option<GroupVersionKind>,
    stored_as: Format,
    /// What requests and answers can be written in.
    formats: &'static [Format],
    /// Whether it came with the server.
    origin: Origin,
    kind: GroupKind,
}

/// Where a kind comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It is Kubernetes' own, and tests show that storing does not change it.
    Kubernetes,
    /// The server's user brought it. Nothing is known of it but what it says of itself.
    User,
}

impl BuiltIn {
    /// The kind of a resource, which a group may have brought.
    pub(crate) fn new(kinds: &Kinds, served: Served, brought: Option<&ApiGroup>) -> Self {
        let stored = served.storage_version().map(|place| place.with_kind(served.resource.kind));
        let stored_as = match (brought, &stored) {
            (Some(brought), Some(stored)) => brought.format_of(&kinds.scheme, stored),
            // These two are stored as text by Kubernetes, and other readers of the same store know nothing else.
            _ if matches!(served.group, "apiextensions.k8s.io" | "apiregistration.k8s.io") => Format::Json,
            _ => Format::Protobuf,
        };
        let formats: &[Format] = match brought {
            Some(_) if !speaks_protobuf(&kinds.scheme, &served.gvk()) => &[Format::Json, Format::Yaml],
            _ => &Format::ALL,
        };
        BuiltIn {
            scheme: Arc::clone(&kinds.scheme),
            strategies: Arc::clone(&kinds.strategies),
            printers: Arc::clone(&kinds.printers),
            stored,
            stored_as,
            formats,
            origin: if brought.is_some() { Origin::User } else { Origin::Kubernetes },
            kind: served.gvk().group_kind(),
            served,
        }
    }

    /// The bytes of an object, and the object in the version that they have it in.
    fn stored(&self, mut hub: Box<dyn Object>) -> Outcome<(Bytes, Box<dyn Object>)> {
        let stored = self.stored.as_ref().ok_or_else(|| Failure::internal("the kind is not stored"))?;
        hub.edit_metadata(&mut |meta| {
            meta.resource_version.clear();
            meta.self_link.clear();
        });
        let object = self.external(hub, stored)?;
        let mut out = Vec::new();
        match self.stored_as {
            Format::Protobuf => ProtobufSerializer.encode(&*object, &mut out),
            _ => JsonSerializer::default().encode(&*object, &mut out),
        }
        .map_err(Failure::internal)?;
        Ok((snug(out), object))
    }
}

fn conversion(error: ConvertError) -> Failure {
    Failure::internal(error)
}

impl Model for BuiltIn {
    fn read(
        &self,
        expected: &GroupVersionKind,
        body: &[u8],
        format: Format,
        strictness: Strictness,
    ) -> Outcome<Incoming> {
        let codecs = Codecs::new(Arc::clone(&self.scheme)).with_strictness(strictness);
        let decoded = codecs.serializer(format, false).decode(body, Some(expected), &*self.scheme).map_err(
            |error| {
                // Where the kind itself can't be read, messages don't name one.
                let untold = matches!(
                    error,
                    CodecError::TypeMeta(_) | CodecError::BadVersion(_) | CodecError::Yaml(_)
                );
                let told = if untold { None } else { completed(told_kind(body, format), expected) };
                unreadable(expected, body, &error, told.as_ref())
            },
        )?;
        let warnings = decoded.warnings.iter().flat_map(|warning| lines(warning)).collect();
        Ok(Incoming { object: decoded.object, gvk: decoded.gvk, warnings })
    }

    fn read_tree(
        &self,
        expected: &GroupVersionKind,
        tree: Json,
        strictness: Strictness,
    ) -> Outcome<Incoming> {
        let text = serde_json::to_vec(&tree).map_err(Failure::internal)?;
        self.read(expected, &text, Format::Json, strictness)
    }

    fn fill_in(&self, external: &mut dyn Object) {
        self.scheme.default(external);
    }

    fn to_hub(&self, mut external: Box<dyn Object>) -> Outcome<Box<dyn Object>> {
        self.scheme.default(&mut *external);
        self.scheme.move_to_version(external, &ToInternal).map_err(conversion)
    }

    fn external(&self, hub: Box<dyn Object>, version: &GroupVersionKind) -> Outcome<Box<dyn Object>> {
        let mut object = self.scheme.move_to_version(hub, &version.group_version()).map_err(conversion)?;
        object.set_gvk(version);
        Ok(object)
    }

    fn tree(&self, hub: &dyn Object, version: &GroupVersionKind) -> Outcome<Json> {
        if self.scheme.conversion_kind(version) != ConversionKind::SameType {
            return Ok(tree_of(&*self.external(without_entries(hub), version)?));
        }
        // Only the label is another one.
        let mut tree = rhumb_schema::to_tree_without(hub, &["metadata", "managedFields"]);
        if let Json::Object(fields) = &mut tree {
            fields.insert("apiVersion".to_owned(), version.api_version().into());
            fields.insert("kind".to_owned(), version.kind.as_ref().into());
        }
        debug_assert!(
            self.external(without_entries(hub), version).is_ok_and(|object| tree_of(&*object) == tree),
            "a {} has another form in {}",
            self.kind,
            version.version
        );
        Ok(tree)
    }

    fn store(&self, hub: Box<dyn Object>) -> Outcome<Bytes> {
        Ok(self.stored(hub)?.0)
    }

    fn keep(&self, hub: Box<dyn Object>) -> Outcome<(Bytes, Box<dyn Object>)> {
        let (value, object) = self.stored(hub)?;
        if self.origin == Origin::User || !self.served.is_stored_as_usual() {
            // The version that it is stored in may not be able to say everything.
            let mut kept = self.load(&value, Revision::ZERO)?;
            kept.edit_metadata(&mut |meta| meta.resource_version.clear());
            return Ok((value, kept));
        }
        // Reading the bytes would give the object that they were written from.
        let mut kept = self.to_hub(object)?;
        self.strategies.on_read(&mut *kept);
        debug_assert!(
            self.load(&value, Revision::ZERO).is_ok_and(|mut read| {
                read.edit_metadata(&mut |meta| meta.resource_version.clear());
                *read == *kept
            }),
            "a {} changed by being stored",
            self.kind
        );
        Ok((value, kept))
    }

    fn load(&self, value: &[u8], revision: Revision) -> Outcome<Box<dyn Object>> {
        let codecs = Codecs::new(Arc::clone(&self.scheme));
        let decoded = codecs.decode(value, None).map_err(Failure::internal)?;
        let mut hub = self.to_hub(decoded.object)?;
        self.strategies.on_read(&mut *hub);
        hub.edit_metadata(&mut |meta| meta.resource_version = revision.to_string());
        Ok(hub)
    }

    fn begin_create(&self, object: &mut dyn Object) {
        self.strategies.begin_create(object);
    }

    fn begin_update(&self, new: &mut dyn Object, old: &dyn Object) {
        self.strategies.begin_update(new, old);
    }

    fn prepare_create(&self, object: &mut dyn Object, context: &Context<'_>) -> Vec<String> {
        self.strategies.prepare_create(object, context)
    }

    fn canonicalize(&self, object: &mut dyn Object) {
        self.strategies.canonicalize(object);
    }

    fn prepare_update(
        &self,
        new: &mut dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
        context: &Context<'_>,
    ) {
        self.strategies.prepare_update(new, old, subresource, context);
    }

    fn validate_create(&self, object: &dyn Object, version: &GroupVersion) -> FieldErrors {
        let context = rhumb_scheme::validation::Context::new(version);
        let mut errors = rhumb_validation::validate_create(&self.scheme, object, &context);
        errors.extend(unsupported::find(object, None));
        if self.origin == Origin::User
            && errors.is_empty()
            && !self.scheme.has_rules(object)
            && let Some(metadata) = object.metadata()
        {
            // What holds for the names of custom resources.
            let path = FieldPath::new("metadata");
            common_object_meta(&metadata, Scope::of(&metadata), name_is_dns_subdomain, &path, &mut errors);
        }
        errors
    }

    fn validate_update(
        &self,
        new: &dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
        version: &GroupVersion,
    ) -> FieldErrors {
        let context = rhumb_scheme::validation::Context::new(version);
        let mut errors = rhumb_validation::validate_update(&self.scheme, new, old, subresource, &context);
        if subresource.is_none() {
            errors.extend(unsupported::find(new, Some(old)));
        }
        errors
    }

    fn warnings(&self, new: &dyn Object, old: Option<&dyn Object>, subresource: Option<&str>) -> Vec<String> {
        match old {
            Some(old) => self.strategies.warnings_update(new, old, subresource),
            None => self.strategies.warnings_create(new),
        }
    }

    fn facts(&self) -> Facts {
        self.strategies.facts(&self.kind)
    }

    fn check_graceful_delete(&self, object: &dyn Object, options: &mut DeleteOptions) -> bool {
        self.strategies.check_graceful_delete(object, options)
    }

    fn keeps_when_deleted(&self, object: &dyn Object) -> bool {
        deletion::keeps(object)
    }

    fn mark_deleted(&self, object: &mut dyn Object, now: Time) {
        deletion::mark(object, now);
    }

    fn fields(&self, hub: &dyn Object) -> Vec<(String, String)> {
        if self.served.resource.fields.is_empty() {
            return Vec::new();
        }
        let mut all = self.served.selectable_fields(hub);
        all.remove("metadata.name");
        all.remove("metadata.namespace");
        all.into_iter().collect()
    }

    fn field_label(&self, version: &GroupVersionKind, label: &str, value: &str) -> Outcome<(String, String)> {
        self.scheme
            .convert_field_label(version, label, value)
            .map_err(|error| Failure::bad_request(error.to_string()))
    }

    fn table(
        &self,
        version: &GroupVersionKind,
        hubs: Vec<Box<dyn Object>>,
        options: &rhumb_print::Options,
        now: Time,
    ) -> Outcome<Table> {
        let kind = format!("{}List", version.kind);
        let list_kind = GroupVersionKind::new(version.group.clone(), version.version.clone(), kind);
        let mut list = self.scheme.new_object(&list_kind).map_err(Failure::internal)?;
        for hub in hubs {
            let object = self.external(hub, version)?;
            list.push_item(object).map_err(|_| Failure::internal("the list takes other objects"))?;
        }
        self.printers.table(&self.scheme, &*list, options, now).map_err(Failure::internal)
    }

    fn strategic(&self, version: &GroupVersionKind) -> Option<&'static StructDesc> {
        self.scheme.known_type(version).map(|known| known.desc)
    }

    fn apply_type(&self, version: &GroupVersionKind) -> Option<apply::Type<'_>> {
        self.strategic(version).map(apply::Type::of)
    }

    fn hub_table(&self, version: &GroupVersionKind) -> Option<&'static StructDesc> {
        let is_same = self.scheme.conversion_kind(version) == ConversionKind::SameType;
        self.strategic(version).filter(|_| is_same)
    }

    fn versions(&self) -> Vec<GroupVersionKind> {
        let places = self.scheme.versions_for_group_kind(&self.kind);
        places.into_iter().map(|place| place.with_kind(self.kind.kind.clone())).collect()
    }

    fn convert_tree(&self, tree: &Json, version: &GroupVersionKind) -> Outcome<Json> {
        let object = Unstructured::new(tree.clone()).ok_or_else(|| Failure::internal("no object"))?;
        let hub = self.scheme.move_to_version(Box::new(object), &ToInternal).map_err(conversion)?;
        Ok(tree_of(&*self.external(hub, version)?))
    }

    fn empty_tree(&self, version: &GroupVersionKind) -> Json {
        self.scheme.new_object(version).map(|object| tree_of(&*object)).unwrap_or_default()
    }

    fn reset_fields(&self, version: &GroupVersionKind, subresource: Option<&str>) -> &'static [ResetPath] {
        self.strategies.reset_fields(&version.group_kind(), &version.group_version(), subresource)
    }

    fn scale(&self, hub: &dyn Object) -> Option<Outcome<Scale>> {
        Some(self.strategies.scale(hub)?.map_err(Failure::internal))
    }

    fn set_scale(&self, hub: &mut dyn Object, scale: &Scale) -> bool {
        self.strategies.set_scale(hub, scale)
    }

    fn formats(&self) -> &'static [Format] {
        self.formats
    }
}
