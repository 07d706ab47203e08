//! Validation of claims of storage.

use std::collections::BTreeMap;

use rhumb_api::core::v1::PersistentVolumeClaim;
use rhumb_meta::Quantity;
use rhumb_meta::validation::{is_qualified_name, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::claim_template::{ClaimOptions, claim_spec};
use super::line_diff::unified;
use super::pod_update::pretty;
use super::quota_resources::basic_amount;
use super::resources::{is_native_resource, resource_quantity};
use crate::meta::{
    LabelSelectorOptions, Scope, immutable_annotation, label_selector, object_meta, object_meta_update,
};

/// Where the class stood before there was a field for it.
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";
const RESIZE_STATES: &[&str] = &[
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
];
const IMMUTABLE: &str = "spec is immutable after creation except resources.requests and \
    volumeAttributesClassName for bound claims";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<PersistentVolumeClaim>(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(claim: &PersistentVolumeClaim, _: &Context, errors: &mut FieldErrors) {
    whole(claim, ClaimOptions::default(), errors);
}

fn whole(claim: &PersistentVolumeClaim, options: ClaimOptions, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&claim.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    claim_spec(&claim.spec, options, &FieldPath::new("spec"), errors);
}

/// Returns what stays valid because the stored claim has it.
fn options_after(old: &PersistentVolumeClaim) -> ClaimOptions {
    let spec = &old.spec;
    let mut errors = FieldErrors::default();
    if let Some(selector) = &spec.selector {
        label_selector(selector, LabelSelectorOptions::default(), &FieldPath::root(), &mut errors);
    }
    let source = spec.data_source.as_ref().and_then(|source| source.api_group.as_ref());
    let reference = spec.data_source_ref.as_ref().and_then(|source| source.api_group.as_ref());
    ClaimOptions {
        invalid_label_value_in_selector: !errors.is_empty(),
        invalid_group_of_source: source.or(reference).is_some(),
    }
}

fn update(new: &PersistentVolumeClaim, old: &PersistentVolumeClaim, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta_update(&new.metadata, &old.metadata, &metadata, errors);
    whole(new, options_after(old), errors);
    let (mut after, mut before) = (new.spec.clone(), old.spec.clone());
    // The volume may be set once.
    if before.volume_name.is_empty() {
        before.volume_name.clone_from(&after.volume_name);
    }
    if class_moves_from_annotation(new, old) {
        after.storage_class_name = None;
    } else {
        immutable_annotation(&new.metadata, &old.metadata, CLASS_ANNOTATION, &metadata, errors);
        if class_is_chosen_later(new, old) {
            after.storage_class_name.clone_from(&before.storage_class_name);
        }
    }
    let size = |claim: &PersistentVolumeClaim| {
        claim.spec.resources.requests.get("storage").cloned().unwrap_or_default()
    };
    if new.status.phase == "Bound" {
        if !after.resources.requests.is_empty() {
            after.resources.requests.insert("storage".to_owned(), size(old));
        }
        after.volume_attributes_class_name.clone_from(&before.volume_attributes_class_name);
    }
    let spec = FieldPath::new("spec");
    if after != before {
        let difference = unified(&pretty(&before), &pretty(&after));
        errors.forbidden(&spec, &format!("{IMMUTABLE}\n{difference}"));
    }
    // Growing may be taken back as far as the volume hasn't grown yet.
    let has = old.status.capacity.get("storage").cloned().unwrap_or_default();
    if size(new) < size(old) && size(new) <= has {
        let path = spec.child("resources").child("requests").child("storage");
        errors.forbidden(&path, "field can not be less than status.capacity");
    }
    if new.spec.volume_mode != old.spec.volume_mode {
        errors.invalid(&FieldPath::new("volumeMode"), &new.spec.volume_mode, "field is immutable");
    }
    let class = new.spec.volume_attributes_class_name.as_deref();
    if class != old.spec.volume_attributes_class_name.as_deref()
        && old.status.current_volume_attributes_class_name.is_some()
        && let Some(what) = match class {
            None => Some("nil"),
            Some("") => Some("empty string"),
            Some(_) => None,
        }
    {
        let detail =
            format!("update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil");
        errors.forbidden(&spec.child("volumeAttributesClassName"), &detail);
    }
}

/// Reports whether the class moves unchanged from the annotation to the field.
fn class_moves_from_annotation(new: &PersistentVolumeClaim, old: &PersistentVolumeClaim) -> bool {
    let annotation =
        |claim: &PersistentVolumeClaim| claim.metadata.annotations.get(CLASS_ANNOTATION).cloned();
    let Some(class) = annotation(old) else { return false };
    old.spec.storage_class_name.is_none()
        && new.spec.storage_class_name.as_ref() == Some(&class)
        && annotation(new).is_none_or(|annotation| annotation == class)
}

/// Reports whether a claim without a class gets one.
fn class_is_chosen_later(new: &PersistentVolumeClaim, old: &PersistentVolumeClaim) -> bool {
    let annotation = old.metadata.annotations.get(CLASS_ANNOTATION);
    old.spec.storage_class_name.is_none()
        && new.spec.storage_class_name.is_some()
        && annotation.is_none_or(|annotation| new.spec.storage_class_name.as_ref() == Some(annotation))
}

fn status(new: &PersistentVolumeClaim, old: &PersistentVolumeClaim, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.metadata.resource_version.is_empty() {
        errors.required(&FieldPath::new("resourceVersion"), "");
    }
    if new.spec.access_modes.is_empty() {
        errors.required(&FieldPath::new("Spec").child("accessModes"), "");
    }
    let path = FieldPath::new("status");
    for (name, amount) in &new.status.capacity {
        basic_amount(amount, &path.child("capacity").key(name), errors);
    }
    let states = path.child("allocatedResourceStatuses");
    for (name, state) in &new.status.allocated_resource_statuses {
        resource_key(name, &states, errors);
        if !RESIZE_STATES.contains(&state.as_str()) {
            errors.not_supported(&states, &Named(name), RESIZE_STATES);
        }
    }
    allocated(&new.status.allocated_resources, &path.child("allocatedResources"), errors);
}

fn allocated(amounts: &BTreeMap<String, Quantity>, path: &FieldPath, errors: &mut FieldErrors) {
    for (name, amount) in amounts {
        let before = errors.len();
        resource_key(name, path, errors);
        if errors.len() > before {
            continue;
        }
        basic_amount(amount, &path.key(name), errors);
        if errors.len() == before {
            resource_quantity("storage", amount, &path.key(name), errors);
        }
    }
}

/// Of Kubernetes' own resources claims have storage only.
fn resource_key(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let found = is_qualified_name(name);
    if found.is_empty() && is_native_resource(name) && name != "storage" {
        errors.not_supported(path, name, &["storage"]);
    }
    errors.invalid_each(path, name, found);
}
