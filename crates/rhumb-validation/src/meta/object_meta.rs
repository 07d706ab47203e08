//! Validation of object metadata on create and update.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_meta::v1::{ManagedFieldsEntry, OwnerReference};
use rhumb_meta::validation::{
    NamePart, NameRule, TOTAL_ANNOTATION_SIZE_LIMIT, annotations_size_error, is_annotation_key,
    is_qualified_name, name_is_dns_label,
};
use rhumb_meta::{GroupVersionKind, ObjectMeta};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::{field_manager, immutable_field, labels, nonnegative};

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";
const MAX_SUBRESOURCE: usize = 256;

/// Where objects of a kind live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In namespaces.
    Namespaced,
    /// In the cluster as a whole.
    Cluster,
}

impl Scope {
    /// Returns where an object lives that has passed the check of its namespace against the request's.
    pub fn of(metadata: &ObjectMeta) -> Self {
        if metadata.namespace.is_empty() { Scope::Cluster } else { Scope::Namespaced }
    }
}

/// The metadata of a new object of a built-in kind, whose finalizers must be standard ones or qualified.
pub fn object_meta(
    metadata: &ObjectMeta,
    scope: Scope,
    name: NameRule,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    common_object_meta(metadata, scope, name, path, errors);
    qualified_finalizers(metadata, path, errors);
}

/// The metadata of a changed object of a built-in kind.
pub fn object_meta_update(new: &ObjectMeta, old: &ObjectMeta, path: &FieldPath, errors: &mut FieldErrors) {
    common_object_meta_update(new, old, path, errors);
    qualified_finalizers(new, path, errors);
}

fn qualified_finalizers(metadata: &ObjectMeta, path: &FieldPath, errors: &mut FieldErrors) {
    let path = path.child("finalizers");
    for (index, finalizer) in metadata.finalizers.iter().enumerate().wanted() {
        standard_or_qualified(finalizer, &path.index(index), errors);
    }
}

/// The metadata of any new object.
pub fn common_object_meta(
    metadata: &ObjectMeta,
    scope: Scope,
    name: NameRule,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if !metadata.generate_name.is_empty() {
        let found = name(&metadata.generate_name, NamePart::Prefix);
        errors.invalid_each(&path.child("generateName"), &metadata.generate_name, found);
    }
    if metadata.name.is_empty() {
        errors.required(&path.child("name"), "name or generateName is required");
    } else {
        let found = name(&metadata.name, NamePart::Whole);
        errors.invalid_each(&path.child("name"), &metadata.name, found);
    }
    rest(metadata, scope, path, errors);
}

/// The metadata of any new object whose name is checked by a function of its own; the prefix it was made from isn't.
pub fn object_meta_with(
    metadata: &ObjectMeta,
    scope: Scope,
    name: fn(&str, &FieldPath, &mut FieldErrors),
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let at = path.child("name");
    if metadata.name.is_empty() {
        if !metadata.generate_name.is_empty() {
            let prefix = quoted(&metadata.generate_name);
            errors
                .internal(&at, &format!("generateName was specified ({prefix}), but no name was generated"));
        }
        errors.required(&at, "name or generateName is required");
    } else {
        name(&metadata.name, &at, errors);
    }
    rest(metadata, scope, path, errors);
}

fn rest(metadata: &ObjectMeta, scope: Scope, path: &FieldPath, errors: &mut FieldErrors) {
    let namespace = path.child("namespace");
    match (scope, metadata.namespace.as_str()) {
        (Scope::Namespaced, "") => errors.required(&namespace, ""),
        (Scope::Namespaced, name) => {
            errors.invalid_each(&namespace, name, name_is_dns_label(name, NamePart::Whole));
        }
        (Scope::Cluster, "") => {}
        (Scope::Cluster, _) => errors.forbidden(&namespace, "not allowed on this type"),
    }
    nonnegative(metadata.generation, &path.child("generation"), errors);
    labels(&metadata.labels, &path.child("labels"), errors);
    annotations(&metadata.annotations, &path.child("annotations"), errors);
    owner_references(&metadata.owner_references, &path.child("ownerReferences"), errors);
    finalizers(&metadata.finalizers, &path.child("finalizers"), errors);
    managed_fields(&metadata.managed_fields, &path.child("managedFields"), errors);
}

/// The metadata of any changed object.
pub fn common_object_meta_update(
    new: &ObjectMeta,
    old: &ObjectMeta,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if old.deletion_timestamp.is_some() {
        no_new_finalizers(&new.finalizers, &old.finalizers, &path.child("finalizers"), errors);
    }
    if new.resource_version.is_empty() {
        errors.invalid(&path.child("resourceVersion"), "", "must be specified for an update");
    }
    if new.generation < old.generation {
        errors.invalid(&path.child("generation"), &new.generation, "must not be decremented");
    }
    immutable_field(&new.name, &old.name, &path.child("name"), errors);
    immutable_field(&new.namespace, &old.namespace, &path.child("namespace"), errors);
    if new.uid != old.uid {
        errors.invalid(&path.child("uid"), &Named(&new.uid), "field is immutable");
    }
    let at = path.child("creationTimestamp");
    immutable_field(&new.creation_timestamp, &old.creation_timestamp, &at, errors);
    let at = path.child("deletionTimestamp");
    immutable_field(&new.deletion_timestamp, &old.deletion_timestamp, &at, errors);
    let at = path.child("deletionGracePeriodSeconds");
    immutable_field(&new.deletion_grace_period_seconds, &old.deletion_grace_period_seconds, &at, errors);
    labels(&new.labels, &path.child("labels"), errors);
    annotations(&new.annotations, &path.child("annotations"), errors);
    owner_references(&new.owner_references, &path.child("ownerReferences"), errors);
    managed_fields(&new.managed_fields, &path.child("managedFields"), errors);
}

/// The annotations of an object: their keys and their size.
pub fn annotations(annotations: &BTreeMap<String, String>, path: &FieldPath, errors: &mut FieldErrors) {
    for key in annotations.keys().wanted() {
        errors.invalid_each(path, key, is_annotation_key(key));
    }
    if annotations_size_error(annotations).is_some() {
        errors.too_long(path, TOTAL_ANNOTATION_SIZE_LIMIT);
    }
}

/// An annotation that keeps its value; an absent one counts as empty.
pub fn immutable_annotation(
    new: &ObjectMeta,
    old: &ObjectMeta,
    key: &str,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let value = |metadata: &ObjectMeta| metadata.annotations.get(key).cloned().unwrap_or_default();
    immutable_field(&value(new), &value(old), &path.child("annotations").child(key), errors);
}

/// A label that must be there with a value.
pub fn required_label(
    metadata: &ObjectMeta,
    key: &str,
    value: &str,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let (at, detail) = (path.child("labels").key(key), format!("must be '{value}'"));
    match metadata.labels.get(key) {
        None => errors.required(&at, &detail),
        Some(actual) if actual != value => errors.invalid(&at, &metadata.labels, &detail),
        Some(_) => {}
    }
}

/// The owners of an object: each complete, none of them an event, one controller at most.
pub fn owner_references(references: &[OwnerReference], path: &FieldPath, errors: &mut FieldErrors) {
    let mut controller: Option<String> = None;
    for reference in references.iter().wanted() {
        owner_reference(reference, path, errors);
        if reference.controller == Some(true) {
            let current = format!("{}/{}", reference.kind, reference.name);
            match &controller {
                // One of these shows them all, so that there is no more to say.
                Some(_) if errors.is_full() => errors.forbidden(path, ""),
                Some(first) => {
                    let detail = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for \
                         {first} and {current}"
                    );
                    errors.invalid(path, &references.to_vec(), &detail);
                }
                None => controller = Some(current),
            }
        }
    }
}

fn owner_reference(reference: &OwnerReference, path: &FieldPath, errors: &mut FieldErrors) {
    let gvk = GroupVersionKind::from_api_version_and_kind(&reference.api_version, &reference.kind);
    if gvk.version.is_empty() {
        errors.invalid(&path.child("apiVersion"), &reference.api_version, "version must not be empty");
    }
    if gvk.kind.is_empty() {
        errors.invalid(&path.child("kind"), &reference.kind, "must not be empty");
    }
    if reference.name.is_empty() {
        errors.invalid(&path.child("name"), &reference.name, "must not be empty");
    }
    if reference.uid.is_empty() {
        errors.invalid(&path.child("uid"), &reference.uid, "must not be empty");
    }
    if gvk == GroupVersionKind::new("", "v1", "Event") {
        errors.invalid(path, reference, &format!("{gvk} is disallowed from being an owner"));
    }
}

/// The finalizers of an object: their names, and that they don't contradict each other.
pub fn finalizers(finalizers: &[String], path: &FieldPath, errors: &mut FieldErrors) {
    for finalizer in finalizers.iter().wanted() {
        finalizer_name(finalizer, path, errors);
    }
    let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
    if has(ORPHAN) && has(FOREGROUND) {
        let detail = format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set");
        errors.invalid(path, &finalizers.to_vec(), &detail);
    }
}

/// The name of a finalizer.
pub fn finalizer_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, name, is_qualified_name(name));
}

/// The name of a finalizer that is a standard one or qualified by a domain.
pub fn standard_finalizer_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    finalizer_name(name, path, errors);
    standard_or_qualified(name, path, errors);
}

fn standard_or_qualified(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if !name.contains('/') && !matches!(name, "kubernetes" | ORPHAN | FOREGROUND) {
        let detail = "name is neither a standard finalizer name nor is it fully qualified";
        errors.invalid(path, name, detail);
    }
}

/// An object that is being deleted gets no further finalizers.
pub fn no_new_finalizers(new: &[String], old: &[String], path: &FieldPath, errors: &mut FieldErrors) {
    let old: BTreeSet<&String> = old.iter().collect();
    let extra: BTreeSet<&String> = new.iter().filter(|name| !old.contains(name)).collect();
    if !extra.is_empty() {
        let names: Vec<String> = extra.into_iter().map(quoted).collect();
        let detail = format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            names.join(", ")
        );
        errors.forbidden(path, &detail);
    }
}

/// Who set which fields.
pub fn managed_fields(entries: &[ManagedFieldsEntry], path: &FieldPath, errors: &mut FieldErrors) {
    for (index, entry) in entries.iter().enumerate().wanted() {
        let path = path.index(index);
        if !matches!(entry.operation.as_str(), "Apply" | "Update") {
            errors.invalid(&path.child("operation"), &Named(&entry.operation), "must be `Apply` or `Update`");
        }
        if !matches!(entry.fields_type.as_str(), "" | "FieldsV1") {
            errors.invalid(&path.child("fieldsType"), &entry.fields_type, "must be `FieldsV1`");
        }
        field_manager(&entry.manager, &path.child("manager"), errors);
        if entry.subresource.len() > MAX_SUBRESOURCE {
            errors.too_long(&path.child("subresource"), MAX_SUBRESOURCE);
        }
    }
}
