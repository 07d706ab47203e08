//! Validation of the `storagemigration.k8s.io` group.

use rhumb_api::storagemigration::v1beta1::StorageVersionMigration;
use rhumb_meta::validation::{is_dns1035_label, is_dns1123_subdomain, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::internal_form::internal;
use crate::meta::{Scope, conditions, object_meta, object_meta_update};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    let rules = Rules::create(create).update(update).on("status", status);
    builder.rules::<StorageVersionMigration>(rules)?;
    Ok(())
}

fn create(migration: &StorageVersionMigration, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&migration.metadata, Scope::Cluster, name_is_dns_subdomain, &metadata, errors);
    let resource = &migration.spec.resource;
    let path = FieldPath::new("spec").child("resource");
    let at = path.child("resource");
    if resource.resource.is_empty() {
        errors.required(&at, "resource is required to be set");
    } else {
        joined(&resource.resource, &is_dns1035_label(&resource.resource), &at, errors);
    }
    if !resource.group.is_empty() {
        joined(&resource.group, &is_dns1123_subdomain(&resource.group), &path.child("group"), errors);
    }
}

/// All that is wrong with a value as one error.
fn joined(value: &str, found: &[String], path: &FieldPath, errors: &mut FieldErrors) {
    if !found.is_empty() {
        errors.invalid(path, value, &found.join(","));
    }
}

fn update(
    new: &StorageVersionMigration,
    old: &StorageVersionMigration,
    context: &Context,
    errors: &mut FieldErrors,
) {
    create(new, context, errors);
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.spec != old.spec {
        errors.invalid(&FieldPath::new("spec"), &internal(&new.spec), "field is immutable");
    }
}

fn status(
    new: &StorageVersionMigration,
    old: &StorageVersionMigration,
    _: &Context,
    errors: &mut FieldErrors,
) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("status");
    let (version, before) = (&new.status.resource_version, &old.status.resource_version);
    let at = path.child("resourceVersion");
    if !version.is_empty() && !is_resource_version(version) {
        errors.invalid(&at, version, &format!("resource version is not well formed: {version}"));
    }
    let path = path.child("conditions");
    conditions(&new.status.conditions, &path, errors);
    if !before.is_empty() && before != version {
        errors.invalid(&at, version, "field is immutable");
    }
    if is_true(new, "Succeeded") && is_true(new, "Failed") {
        let detail = "Both success and failed conditions cannot be true at the same time";
        errors.invalid(&path, &new.status.conditions, detail);
    }
    for (condition, word) in [("Succeeded", "Success"), ("Failed", "Failed")] {
        if is_true(old, condition) && !is_true(new, condition) {
            let detail = format!("{word} condition cannot be set to false once it is true");
            errors.invalid(&path, &new.status.conditions, &detail);
        }
    }
}

/// Reports whether a text is the version of something stored: a number that doesn't start with zero.
fn is_resource_version(text: &str) -> bool {
    !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_true(migration: &StorageVersionMigration, condition: &str) -> bool {
    let found = migration.status.conditions.iter().find(|each| each.type_ == condition);
    found.is_some_and(|each| each.status == "True")
}
