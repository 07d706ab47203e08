//! Strategy of persistent volume claims, whose data source is in an old and a newer field.

use rhumb_api::core::v1::{
    PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeClaimStatus, TypedLocalObjectReference,
    TypedObjectReference,
};
use rhumb_scheme::validation::FieldPath;

use super::V1;
use crate::context::Context;
use crate::error::RegisterError;
use crate::parts::{fresh, has_status, keep_spec, keep_status};
use crate::pod::warnings::warn_fraction;
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(PersistentVolumeClaim: PersistentVolumeClaimSpec, PersistentVolumeClaimStatus);

const STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("", "PersistentVolumeClaim")
            .create(create)
            .update(update)
            .on_read(|claim: &mut PersistentVolumeClaim| fill_both(&mut claim.spec))
            .warn_create(warn)
            .warn_update(|new, _| warn(new))
            .resets(V1, STATUS)
            .on("status", Part::new(keep_spec).resets(V1, SPEC)),
    )?;
    Ok(())
}

fn create(claim: &mut PersistentVolumeClaim, context: &Context) {
    fresh(claim, context);
    settle(&mut claim.spec, None);
}

fn update(new: &mut PersistentVolumeClaim, old: &PersistentVolumeClaim, context: &Context) {
    keep_status(new, old, context);
    settle(&mut new.spec, Some(&old.spec));
}

fn settle(spec: &mut PersistentVolumeClaimSpec, old: Option<&PersistentVolumeClaimSpec>) {
    let has_ref = old.is_some_and(|old| old.data_source_ref.is_some());
    let has_source = old.is_some_and(|old| old.data_source.is_some());
    // Sources in other namespaces are a feature that is off.
    let reaches_out =
        |source: &TypedObjectReference| source.namespace.as_ref().is_some_and(|name| !name.is_empty());
    if !has_ref && spec.data_source_ref.as_deref().is_some_and(reaches_out) {
        spec.data_source_ref = None;
    }
    // The old field passes over what it doesn't know, as it always did.
    if !has_ref
        && !has_source
        && spec.data_source_ref.is_none()
        && !spec.data_source.as_deref().is_some_and(is_claim_or_snapshot)
    {
        spec.data_source = None;
    }
    fill_both(spec);
}

fn is_claim_or_snapshot(source: &TypedLocalObjectReference) -> bool {
    matches!(
        (source.kind.as_str(), source.api_group.as_deref().unwrap_or_default()),
        ("PersistentVolumeClaim", "") | ("VolumeSnapshot", "snapshot.storage.k8s.io")
    )
}

/// Sets each of the two fields from the other, where possible.
fn fill_both(spec: &mut PersistentVolumeClaimSpec) {
    match (&spec.data_source, &spec.data_source_ref) {
        (Some(source), None) => {
            spec.data_source_ref = Some(Box::new(TypedObjectReference {
                api_group: source.api_group.clone(),
                kind: source.kind.clone(),
                name: source.name.clone(),
                namespace: None,
            }));
        }
        (None, Some(source)) if source.namespace.as_ref().is_none_or(String::is_empty) => {
            spec.data_source = Some(Box::new(TypedLocalObjectReference {
                api_group: source.api_group.clone(),
                kind: source.kind.clone(),
                name: source.name.clone(),
            }));
        }
        _ => {}
    }
}

fn warn(claim: &PersistentVolumeClaim) -> Vec<String> {
    let mut warnings = Vec::new();
    if claim.metadata.annotations.contains_key(STORAGE_CLASS) {
        let path = FieldPath::new("metadata").child("annotations").key(STORAGE_CLASS);
        warnings.push(format!("{path}: deprecated since v1.8; use \"storageClassName\" attribute instead"));
    }
    warn_spec(&claim.spec, &FieldPath::new("spec"), &mut warnings);
    warnings
}

/// Warns of sizes that are no whole number of bytes.
pub(crate) fn warn_spec(spec: &PersistentVolumeClaimSpec, path: &FieldPath, warnings: &mut Vec<String>) {
    let path = path.child("resources");
    warn_fraction(&spec.resources.requests, "storage", &path.child("requests"), warnings);
    warn_fraction(&spec.resources.limits, "storage", &path.child("limits"), warnings);
}
