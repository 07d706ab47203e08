//! Validation of persistent volumes. Where their bytes are is checked in `persistent_volume_sources`.

use rhumb_api::core::v1::{
    NodeSelectorRequirement, NodeSelectorTerm, PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity,
};
use rhumb_meta::validation::{NamePart, is_valid_label_value, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::affinity::{LabelValues, node_selector};
use super::line_diff::unified;
use super::persistent_volume_sources::sources;
use super::pod_update::pretty;
use super::quota_resources::basic_amount;
use crate::internal_form::internal;
use crate::meta::{Scope, object_meta, object_meta_update, positive_quantity};

const MOUNT_OPTIONS: &str = "volume.beta.kubernetes.io/mount-options";
const ACCESS_MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const RECLAIM_POLICIES: &[&str] = &["Delete", "Recycle", "Retain"];
const VOLUME_MODES: &[&str] = &["Block", "Filesystem"];
/// Labels that got other names when they became stable.
const STABLE_LABELS: &[(&str, &str)] = &[
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
];

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<PersistentVolume>(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(volume: &PersistentVolume, _: &Context, errors: &mut FieldErrors) {
    whole(volume, LabelValues::Checked, errors);
    mount_options(volume, errors);
}

fn update(new: &PersistentVolume, old: &PersistentVolume, _: &Context, errors: &mut FieldErrors) {
    let old_affinity = old.spec.node_affinity.as_deref();
    let values =
        if has_bad_label_value(old_affinity) { LabelValues::Unchecked } else { LabelValues::Checked };
    // A server checks the new form twice, and tells of everything twice.
    whole(new, values, errors);
    mount_options(new, errors);
    whole(new, values, errors);
    let (source, before) = (source_that_stays(new, old), &old.spec.persistent_volume_source);
    let spec = FieldPath::new("spec");
    if source != *before {
        let detail = format!(
            "spec.persistentvolumesource is immutable after creation\n{}",
            unified(&pretty(before), &pretty(&source))
        );
        errors.forbidden(&spec.child("persistentvolumesource"), &detail);
    }
    if new.spec.volume_mode != old.spec.volume_mode {
        errors.invalid(&FieldPath::new("volumeMode"), &new.spec.volume_mode, "field is immutable");
    }
    let affinity = new.spec.node_affinity.as_deref();
    if old_affinity.is_some() && !is_same_affinity(affinity, old_affinity) {
        let detail = "field is immutable, except for updating from beta label to GA";
        let shown = internal(&new.spec.node_affinity);
        errors.invalid(&FieldPath::new("nodeAffinity"), &shown, detail);
    }
    if old.spec.volume_attributes_class_name.is_some() && new.spec.volume_attributes_class_name.is_none() {
        let detail = "update from non-nil value to nil is forbidden";
        errors.forbidden(&spec.child("volumeAttributesClassName"), detail);
    }
}

fn status(new: &PersistentVolume, old: &PersistentVolume, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.metadata.resource_version.is_empty() {
        errors.required(&FieldPath::new("resourceVersion"), "");
    }
}

/// Reports whether the stored volume has values that no label can have; they may stay.
fn has_bad_label_value(affinity: Option<&VolumeNodeAffinity>) -> bool {
    let selector = affinity.and_then(|affinity| affinity.required.as_deref());
    let terms = selector.into_iter().flat_map(|selector| &selector.node_selector_terms);
    let mut values =
        terms.flat_map(|term| &term.match_expressions).flat_map(|requirement| &requirement.values);
    values.any(|value| !is_valid_label_value(value).is_empty())
}

/// Returns the source without the one thing that may be added to it later.
fn source_that_stays(
    new: &PersistentVolume,
    old: &PersistentVolume,
) -> rhumb_api::core::v1::PersistentVolumeSource {
    let mut source = new.spec.persistent_volume_source.clone();
    if let (Some(csi), Some(before)) = (&mut source.csi, &old.spec.persistent_volume_source.csi)
        && before.controller_expand_secret_ref.is_none()
    {
        csi.controller_expand_secret_ref = None;
    }
    source
}

/// Reports whether the nodes are the same, where a label may have got its stable name.
fn is_same_affinity(new: Option<&VolumeNodeAffinity>, old: Option<&VolumeNodeAffinity>) -> bool {
    let terms = |affinity: Option<&VolumeNodeAffinity>| {
        affinity
            .map(|affinity| affinity.required.as_ref().map(|selector| selector.node_selector_terms.clone()))
    };
    match (terms(new), terms(old)) {
        (Some(Some(new)), Some(Some(old))) => {
            new.len() == old.len() && new.iter().zip(&old).all(|(new, old)| is_same_term(new, old))
        }
        (new, old) => new == old,
    }
}

fn is_same_term(new: &NodeSelectorTerm, old: &NodeSelectorTerm) -> bool {
    let same = |new: &[NodeSelectorRequirement], old: &[NodeSelectorRequirement]| {
        new.len() == old.len()
            && new.iter().zip(old).all(|(new, old)| {
                let renamed = STABLE_LABELS.contains(&(old.key.as_str(), new.key.as_str()));
                (new.key == old.key || renamed) && new.operator == old.operator && new.values == old.values
            })
    };
    same(&new.match_expressions, &old.match_expressions) && same(&new.match_fields, &old.match_fields)
}

/// Old mount options, which some sources never read.
fn mount_options(volume: &PersistentVolume, errors: &mut FieldErrors) {
    let source = &volume.spec.persistent_volume_source;
    let reads_them = source.gce_persistent_disk.is_some()
        || source.aws_elastic_block_store.is_some()
        || source.glusterfs.is_some()
        || source.nfs.is_some()
        || source.rbd.is_some()
        || source.quobyte.is_some()
        || source.iscsi.is_some()
        || source.cinder.is_some()
        || source.cephfs.is_some()
        || source.azure_file.is_some()
        || source.vsphere_volume.is_some()
        || source.azure_disk.is_some()
        || source.photon_persistent_disk.is_some();
    if !reads_them && volume.metadata.annotations.contains_key(MOUNT_OPTIONS) {
        let path = FieldPath::new("metadata").child("annotations").child(MOUNT_OPTIONS);
        errors.forbidden(&path, "may not specify mount options for this volume type");
    }
}

fn whole(volume: &PersistentVolume, values: LabelValues, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&volume.metadata, Scope::Cluster, name_is_dns_subdomain, &path, errors);
    spec(&volume.spec, &volume.metadata.name, values, &FieldPath::new("spec"), errors);
}

fn spec(
    spec: &PersistentVolumeSpec,
    name: &str,
    values: LabelValues,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let modes = path.child("accessModes");
    if spec.access_modes.is_empty() {
        errors.required(&modes, "");
    }
    access_modes(&spec.access_modes, &modes, errors);
    capacity(spec, &path.child("capacity"), errors);
    let policy = spec.persistent_volume_reclaim_policy.as_str();
    let reclaim = path.child("persistentVolumeReclaimPolicy");
    if !policy.is_empty() && !RECLAIM_POLICIES.contains(&policy) {
        errors.not_supported(&reclaim, &Named(policy), RECLAIM_POLICIES);
    }
    if let Some(affinity) = &spec.node_affinity {
        let path = path.child("nodeAffinity").child("required");
        match &affinity.required {
            Some(selector) => node_selector(selector, values, &path, errors),
            None => errors.required(&path, "must specify required node constraints"),
        }
    }
    sources(spec, name, path, errors);
    let host_path = spec.persistent_volume_source.host_path.as_deref();
    if policy == "Recycle" && host_path.is_some_and(|source| is_root(&source.path)) {
        errors.forbidden(&reclaim, "may not be 'recycle' for a hostPath mount of '/'");
    }
    let class = &spec.storage_class_name;
    if !class.is_empty() {
        let found = name_is_dns_subdomain(class, NamePart::Whole);
        errors.invalid_each(&path.child("storageClassName"), class, found);
    }
    volume_mode(spec.volume_mode.as_deref(), &path.child("volumeMode"), errors);
    if let Some(class) = &spec.volume_attributes_class_name {
        let at = path.child("volumeAttributesClassName");
        if class.is_empty() {
            errors.required(&at, "an empty string is disallowed");
        } else {
            errors.invalid_each(&at, class, name_is_dns_subdomain(class, NamePart::Whole));
        }
        if spec.persistent_volume_source.csi.is_none() {
            errors.required(&path.child("csi"), "has to be specified when using volumeAttributesClassName");
        }
    }
}

fn capacity(spec: &PersistentVolumeSpec, path: &FieldPath, errors: &mut FieldErrors) {
    if spec.capacity.is_empty() {
        errors.required(path, "");
    }
    if spec.capacity.len() != 1 || !spec.capacity.contains_key("storage") {
        errors.not_supported(path, &spec.capacity, &["storage"]);
    }
    for (name, amount) in &spec.capacity {
        basic_amount(amount, &path.key(name), errors);
        positive_quantity(amount, &path.key(name), errors);
    }
}

/// Reports whether a path leads to the root, however it is written.
fn is_root(path: &str) -> bool {
    let mut depth = 0usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = depth.saturating_sub(1),
            _ => depth += 1,
        }
    }
    path.starts_with('/') && depth == 0
}

/// Who may use a volume at once; one pod alone can't go with others.
pub(crate) fn access_modes(modes: &[String], path: &FieldPath, errors: &mut FieldErrors) {
    let (mut one_pod, mut others) = (false, false);
    for mode in modes {
        if mode == "ReadWriteOncePod" {
            one_pod = true;
        } else if ACCESS_MODES.contains(&mode.as_str()) {
            others = true;
        } else {
            errors.not_supported(path, &Named(mode), ACCESS_MODES);
        }
    }
    if one_pod && others {
        errors.forbidden(path, "may not use ReadWriteOncePod with other access modes");
    }
}

/// A file system or a raw device.
fn volume_mode(mode: Option<&str>, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(mode) = mode.filter(|mode| !VOLUME_MODES.contains(mode)) {
        errors.not_supported(path, &Named(mode), VOLUME_MODES);
    }
}
