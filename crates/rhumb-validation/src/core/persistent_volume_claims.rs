//! The rules of claims of storage.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{
    PersistentVolumeClaim, PersistentVolumeClaimSpec, TypedLocalObjectReference, TypedObjectReference,
};
use rhumb_meta::Quantity;
use rhumb_meta::v1::LabelSelector;
use rhumb_meta::validation::{
    NamePart, is_dns1123_subdomain, is_qualified_name, name_is_dns_label, name_is_dns_subdomain,
};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Shown};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::persistent_volumes::{access_modes, volume_mode};
use super::resource_names::{basic_amount, is_native, resource_amount};
use crate::internal_form;
use crate::meta::{
    LabelSelectorOptions, Scope, immutable_annotation, label_selector, object_meta, object_meta_update,
    positive_quantity,
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

/// What stays valid because the stored claim has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClaimOptions {
    /// Selectors may have values that no label can have.
    pub invalid_selector_values: bool,
    /// Sources of data may be of groups that can't exist.
    pub invalid_source_groups: bool,
}

impl ClaimOptions {
    fn after(old: &PersistentVolumeClaim) -> Self {
        let spec = &old.spec;
        let source_has_group =
            spec.data_source.as_ref().is_some_and(|source| source.api_group.is_some());
        let reference_has_group =
            spec.data_source_ref.as_ref().is_some_and(|source| source.api_group.is_some());
        ClaimOptions {
            invalid_selector_values: spec.selector.as_deref().is_some_and(|selector| {
                let mut errors = FieldErrors::default();
                self::selector(selector, false, &FieldPath::root(), &mut errors);
                !errors.is_empty()
            }),
            invalid_source_groups: source_has_group || reference_has_group,
        }
    }
}

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

/// What a claim asks for.
pub fn claim_spec(
    spec: &PersistentVolumeClaimSpec,
    options: ClaimOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let modes = path.child("accessModes");
    if spec.access_modes.is_empty() {
        errors.required(&modes, "at least 1 access mode is required");
    }
    if let Some(selector) = &spec.selector {
        self::selector(selector, options.invalid_selector_values, &path.child("selector"), errors);
    }
    access_modes(&spec.access_modes, &modes, errors);
    let storage = path.child("resources").key("storage");
    match spec.resources.requests.get("storage") {
        None => errors.required(&storage, ""),
        Some(size) if size.sign() <= 0 => positive_quantity(size, &storage, errors),
        Some(size) => resource_amount("storage", size, &storage, errors),
    }
    class_name(spec.storage_class_name.as_deref(), &path.child("storageClassName"), errors);
    volume_mode(spec.volume_mode.as_deref(), &path.child("volumeMode"), errors);
    data_sources(spec, options, path, errors);
    let class = spec.volume_attributes_class_name.as_deref();
    class_name(class, &path.child("volumeAttributesClassName"), errors);
}

fn selector(selector: &LabelSelector, invalid_values: bool, path: &FieldPath, errors: &mut FieldErrors) {
    let options =
        LabelSelectorOptions { allow_invalid_label_value: invalid_values, ..LabelSelectorOptions::default() };
    label_selector(selector, options, path, errors);
}

fn class_name(name: Option<&str>, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        errors.invalid_each(path, name, name_is_dns_subdomain(name, NamePart::Whole));
    }
}

/// Where the data comes from, said in an old field and in a new one, which must agree.
fn data_sources(
    spec: &PersistentVolumeClaimSpec,
    options: ClaimOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let (old, new) = (spec.data_source.as_deref(), spec.data_source_ref.as_deref());
    if let Some(TypedLocalObjectReference { api_group, kind, name }) = old {
        data_source(api_group.as_deref(), kind, name, options, &path.child("dataSource"), errors);
    }
    let Some(TypedObjectReference { api_group, kind, name, namespace }) = new else { return };
    let at = path.child("dataSourceRef");
    data_source(api_group.as_deref(), kind, name, options, &at, errors);
    let namespace = namespace.as_deref().filter(|namespace| !namespace.is_empty());
    if let Some(namespace) = namespace {
        let found = name_is_dns_label(namespace, NamePart::Whole);
        errors.invalid_each(&at.child("namespace"), namespace, found);
    }
    let Some(old) = old else { return };
    // What is shown as the value is a path, of which JSON shows nothing.
    let shown = Shown("{}".to_owned());
    if namespace.is_some() {
        errors.invalid(path, &shown, "may not be specified when dataSourceRef.namespace is specified");
    } else if (&old.api_group, &old.kind, &old.name) != (api_group, kind, name) {
        errors.invalid(path, &shown, "must match dataSourceRef");
    }
}

fn data_source(
    group: Option<&str>,
    kind: &str,
    name: &str,
    options: ClaimOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if name.is_empty() {
        errors.required(&path.child("name"), "");
    }
    if kind.is_empty() {
        errors.required(&path.child("kind"), "");
    }
    let group = group.unwrap_or_default();
    if group.is_empty() && kind != "PersistentVolumeClaim" {
        errors.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
    }
    if !group.is_empty() && !options.invalid_source_groups {
        errors.invalid_each(&path.child("apiGroup"), group, is_dns1123_subdomain(group));
    }
}

fn update(new: &PersistentVolumeClaim, old: &PersistentVolumeClaim, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta_update(&new.metadata, &old.metadata, &metadata, errors);
    whole(new, ClaimOptions::after(old), errors);
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
        let difference = internal_form::difference(&before, &after);
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

/// Whether the class moves unchanged from the annotation to the field.
fn class_moves_from_annotation(new: &PersistentVolumeClaim, old: &PersistentVolumeClaim) -> bool {
    let annotation = |claim: &PersistentVolumeClaim| claim.metadata.annotations.get(CLASS_ANNOTATION).cloned();
    let Some(class) = annotation(old) else { return false };
    old.spec.storage_class_name.is_none()
        && new.spec.storage_class_name.as_ref() == Some(&class)
        && annotation(new).is_none_or(|annotation| annotation == class)
}

/// Whether a claim without a class gets one.
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
            resource_amount("storage", amount, &path.key(name), errors);
        }
    }
}

/// Of Kubernetes' own resources claims have storage only.
fn resource_key(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let found = is_qualified_name(name);
    if found.is_empty() && is_native(name) && name != "storage" {
        errors.not_supported(path, name, &["storage"]);
    }
    errors.invalid_each(path, name, found);
}
