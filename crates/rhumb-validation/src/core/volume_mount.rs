//! Validation of volume mounts and devices.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::core::v1::{Container, VolumeDevice, VolumeMount, VolumeSource};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::file_path::{goes_up, local_descending};

/// The volumes of a pod by name.
pub(super) type Volumes<'a> = BTreeMap<&'a str, &'a VolumeSource>;

/// Where a container mounts its volumes.
pub(super) fn mounts(container: &Container, volumes: &Volumes, path: &FieldPath, errors: &mut FieldErrors) {
    let devices: BTreeMap<&str, &str> =
        container.volume_devices.iter().map(|d| (d.name.as_str(), d.device_path.as_str())).collect();
    let device_paths: BTreeSet<&str> = devices.values().copied().collect();
    let mut seen = BTreeSet::new();
    for (index, mount) in container.volume_mounts.iter().enumerate().wanted() {
        let at = path.index(index);
        let (name, mount_path) = (at.child("name"), at.child("mountPath"));
        if mount.name.is_empty() {
            errors.required(&name, "");
        }
        if !volumes.contains_key(mount.name.as_str()) {
            errors.not_found(&name, &mount.name);
        }
        if mount.mount_path.is_empty() {
            errors.required(&mount_path, "");
        }
        if !seen.insert(mount.mount_path.as_str()) {
            errors.invalid(&mount_path, &mount.mount_path, "must be unique");
        }
        if devices.contains_key(mount.name.as_str()) {
            errors.invalid(&name, &mount.name, "must not already exist in volumeDevices");
        }
        if device_paths.contains(mount.mount_path.as_str()) {
            let detail = "must not already exist as a path in volumeDevices";
            errors.invalid(&mount_path, &mount.mount_path, detail);
        }
        // What follows stands at the list and not at the mount.
        if !mount.sub_path.is_empty() {
            local_descending(&mount.sub_path, &path.child("subPath"), errors);
        }
        if !mount.sub_path_expr.is_empty() {
            if !mount.sub_path.is_empty() {
                let detail = "subPathExpr and subPath are mutually exclusive";
                errors.invalid(&at.child("subPathExpr"), &mount.sub_path_expr, detail);
            }
            local_descending(&mount.sub_path_expr, &path.child("subPathExpr"), errors);
        }
        propagation(mount, container, &path.child("mountPropagation"), errors);
        recursive_read_only(mount, &path.child("recursiveReadOnly"), errors);
    }
}

fn propagation(mount: &VolumeMount, container: &Container, path: &FieldPath, errors: &mut FieldErrors) {
    let Some(mode) = mount.mount_propagation.as_deref() else { return };
    if !matches!(mode, "Bidirectional" | "HostToContainer" | "None") {
        errors.not_supported(path, &Named(mode), &["Bidirectional", "HostToContainer", "None"]);
    }
    let is_privileged = container.security_context.as_deref().is_some_and(|sc| sc.privileged == Some(true));
    if mode == "Bidirectional" && !is_privileged {
        let detail = "Bidirectional mount propagation is available only to privileged containers";
        errors.forbidden(path, detail);
    }
}

fn recursive_read_only(mount: &VolumeMount, path: &FieldPath, errors: &mut FieldErrors) {
    match mount.recursive_read_only.as_deref() {
        None | Some("Disabled") => {}
        Some("Enabled" | "IfPossible") => {
            if !mount.read_only {
                errors.forbidden(path, "may only be specified when readOnly is true");
            }
            if mount.mount_propagation.as_deref().is_some_and(|mode| mode != "None") {
                let detail = "may only be specified when mountPropagation is None or not specified";
                errors.forbidden(path, detail);
            }
        }
        Some(other) => {
            errors.not_supported(path, &Named(other), &["Disabled", "Enabled", "IfPossible"]);
        }
    }
}

/// The volumes that a container sees as block devices.
pub(super) fn devices(container: &Container, volumes: &Volumes, path: &FieldPath, errors: &mut FieldErrors) {
    let mounts: BTreeMap<&str, &str> =
        container.volume_mounts.iter().map(|m| (m.name.as_str(), m.mount_path.as_str())).collect();
    let mount_paths: BTreeSet<&str> = mounts.values().copied().collect();
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for (index, VolumeDevice { name, device_path }) in container.volume_devices.iter().enumerate().wanted() {
        let at = path.index(index);
        let (name_at, path_at) = (at.child("name"), at.child("devicePath"));
        let volume = volumes.get(name.as_str());
        if name.is_empty() {
            errors.required(&name_at, "");
        }
        if names.contains(name.as_str()) {
            errors.invalid(&name_at, name, "must be unique");
        }
        match volume {
            Some(source) if source.persistent_volume_claim.is_none() && source.ephemeral.is_none() => {
                let detail =
                    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                errors.invalid(&name_at, name, detail);
            }
            Some(_) => {}
            None => errors.not_found(&name_at, name),
        }
        if device_path.is_empty() {
            errors.required(&path_at, "");
        }
        if paths.contains(device_path.as_str()) {
            errors.invalid(&path_at, device_path, "must be unique");
        }
        if goes_up(device_path) {
            errors.invalid(&path_at, device_path, "can not contain backsteps ('..')");
        } else {
            paths.insert(device_path.as_str());
        }
        if mounts.contains_key(name.as_str()) {
            errors.invalid(&name_at, name, "must not already exist in volumeMounts");
        }
        if mount_paths.contains(device_path.as_str()) {
            errors.invalid(&path_at, device_path, "must not already exist as a path in volumeMounts");
        }
        if !name.is_empty() {
            names.insert(name.as_str());
        }
    }
}
