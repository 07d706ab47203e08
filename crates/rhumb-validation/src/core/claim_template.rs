//! Claims of storage: what they ask for, and the templates from which pods' own claims are made.

use rhumb_api::core::v1::{PersistentVolumeClaimSpec, PersistentVolumeClaimTemplate};
use rhumb_meta::validation::{NamePart, is_dns1123_subdomain, name_is_dns_label, name_is_dns_subdomain};
use rhumb_meta::{ObjectMeta, Time};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Shown};

use super::resources::resource_quantity;
use crate::meta::{LabelSelectorOptions, annotations, label_selector, labels, positive_quantity};

const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/// What rules let pass because the stored claim has it already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClaimOptions {
    /// The selector may have values that no label can have.
    pub(crate) invalid_label_value_in_selector: bool,
    /// The source of data may be of a group that can't exist.
    pub(crate) invalid_group_of_source: bool,
}

/// The template of a claim that lives as long as its pod.
pub(crate) fn claim_template(
    template: &PersistentVolumeClaimTemplate,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    template_metadata(&template.metadata, &path.child("metadata"), errors);
    claim_spec(&template.spec, ClaimOptions::default(), &path.child("spec"), errors);
}

/// Metadata of a template, which has labels and annotations only.
pub(crate) fn template_metadata(metadata: &ObjectMeta, path: &FieldPath, errors: &mut FieldErrors) {
    annotations(&metadata.annotations, &path.child("annotations"), errors);
    labels(&metadata.labels, &path.child("labels"), errors);
    for (is_set, field) in [
        (!metadata.name.is_empty(), "name"),
        (!metadata.generate_name.is_empty(), "generateName"),
        (!metadata.namespace.is_empty(), "namespace"),
        (!metadata.self_link.is_empty(), "selfLink"),
        (!metadata.uid.is_empty(), "uID"),
        (!metadata.resource_version.is_empty(), "resourceVersion"),
        (metadata.generation != 0, "generation"),
        (metadata.creation_timestamp != Time::default(), "creationTimestamp"),
        (metadata.deletion_timestamp.is_some(), "deletionTimestamp"),
        (metadata.deletion_grace_period_seconds.is_some(), "deletionGracePeriodSeconds"),
        (!metadata.owner_references.is_empty(), "ownerReferences"),
        (!metadata.finalizers.is_empty(), "finalizers"),
        (!metadata.managed_fields.is_empty(), "managedFields"),
    ] {
        if is_set {
            errors.forbidden(&path.child(field), "cannot be set");
        }
    }
}

/// What a claim asks for.
pub(crate) fn claim_spec(
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
        let allow_invalid_label_value = options.invalid_label_value_in_selector;
        let options = LabelSelectorOptions { allow_invalid_label_value, ..LabelSelectorOptions::default() };
        label_selector(selector, options, &path.child("selector"), errors);
    }
    for mode in spec.access_modes.iter().filter(|mode| !ACCESS_MODES.contains(&mode.as_str())) {
        errors.not_supported(&modes, &Named(mode), &ACCESS_MODES);
    }
    let is_known = |mode: &&String| ACCESS_MODES.contains(&mode.as_str());
    let mut known = spec.access_modes.iter().filter(is_known);
    let mut alone = spec.access_modes.iter();
    if alone.any(|mode| mode == "ReadWriteOncePod") && known.any(|mode| mode != "ReadWriteOncePod") {
        errors.forbidden(&modes, "may not use ReadWriteOncePod with other access modes");
    }
    let at = path.child("resources").key("storage");
    match spec.resources.requests.get("storage") {
        None => errors.required(&at, ""),
        Some(size) if size.sign() <= 0 => positive_quantity(size, &at, errors),
        Some(size) => resource_quantity("storage", size, &at, errors),
    }
    class_name(spec.storage_class_name.as_deref(), &path.child("storageClassName"), errors);
    if let Some(mode) = spec.volume_mode.as_deref()
        && !matches!(mode, "Block" | "Filesystem")
    {
        errors.not_supported(&path.child("volumeMode"), &Named(mode), &["Block", "Filesystem"]);
    }
    data_sources(spec, options, path, errors);
    let class = spec.volume_attributes_class_name.as_deref();
    class_name(class, &path.child("volumeAttributesClassName"), errors);
}

fn class_name(name: Option<&str>, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        errors.invalid_each(path, name, name_is_dns_subdomain(name, NamePart::Whole));
    }
}

fn data_sources(
    spec: &PersistentVolumeClaimSpec,
    options: ClaimOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if let Some(source) = &spec.data_source {
        let at = path.child("dataSource");
        data_source(&source.name, &source.kind, source.api_group.as_deref(), options, &at, errors);
    }
    let namespace = spec.data_source_ref.as_deref().and_then(|source| source.namespace.as_deref());
    let namespace = namespace.filter(|namespace| !namespace.is_empty());
    if let Some(source) = &spec.data_source_ref {
        let at = path.child("dataSourceRef");
        data_source(&source.name, &source.kind, source.api_group.as_deref(), options, &at, errors);
        if let Some(namespace) = namespace {
            let found = name_is_dns_label(namespace, NamePart::Whole);
            errors.invalid_each(&at.child("namespace"), namespace, found);
        }
    }
    let (Some(source), Some(other)) = (&spec.data_source, &spec.data_source_ref) else { return };
    let is_same =
        source.api_group == other.api_group && source.kind == other.kind && source.name == other.name;
    // Kubernetes shows a path as the value, of which JSON shows nothing.
    let value = Shown("{}".to_owned());
    if namespace.is_some() {
        errors.invalid(path, &value, "may not be specified when dataSourceRef.namespace is specified");
    } else if !is_same {
        errors.invalid(path, &value, "must match dataSourceRef");
    }
}

fn data_source(
    name: &str,
    kind: &str,
    group: Option<&str>,
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
    if !group.is_empty() && !options.invalid_group_of_source {
        errors.invalid_each(&path.child("apiGroup"), group, is_dns1123_subdomain(group));
    }
}
