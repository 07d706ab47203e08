//! Validation of persistent volume sources: exactly one, with its fields.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{
    AzureFilePersistentVolumeSource, CSIPersistentVolumeSource, CephFSPersistentVolumeSource,
    CinderPersistentVolumeSource, FlexPersistentVolumeSource, GlusterfsPersistentVolumeSource,
    ISCSIPersistentVolumeSource, LocalVolumeSource, PersistentVolumeSpec, RBDPersistentVolumeSource,
    ScaleIOPersistentVolumeSource, SecretReference, StorageOSPersistentVolumeSource,
};
use rhumb_meta::validation::{NamePart, inclusive_range_error, name_is_dns_label};
use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::file_path::without_backsteps;
use super::volume_backend as backend;
use crate::meta::{dns_label, dns_subdomain};

/// The source of a volume with a name. Only the first one is looked at closely.
pub(crate) fn sources(spec: &PersistentVolumeSpec, name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let source = &spec.persistent_volume_source;
    let mut only = OnlyOne { path, errors, found: false };
    only.may_be(&source.host_path, "hostPath", backend::host_path);
    only.may_be_at(&source.gce_persistent_disk, "gcePersistentDisk", "persistentDisk", backend::gce_disk);
    only.may_be(&source.aws_elastic_block_store, "awsElasticBlockStore", backend::aws_block_store);
    only.may_be(&source.glusterfs, "glusterfs", glusterfs);
    only.may_be(&source.flocker, "flocker", backend::flocker);
    only.may_be(&source.nfs, "nfs", backend::nfs);
    only.may_be(&source.rbd, "rbd", rbd);
    only.may_be(&source.quobyte, "quobyte", backend::quobyte);
    only.may_be_at(&source.cephfs, "cephFS", "cephfs", cephfs);
    only.may_be(&source.iscsi, "iscsi", |source, path, errors| iscsi(source, name, path, errors));
    only.may_be(&source.cinder, "cinder", cinder);
    only.may_be(&source.fc, "fc", backend::fibre_channel);
    // Of all sources this one is looked at wherever it stands.
    if let Some(source) = &source.flex_volume {
        only.found = true;
        flex(source, &path.child("flexVolume"), only.errors);
    }
    only.may_be(&source.azure_file, "azureFile", azure_file);
    only.may_be(&source.vsphere_volume, "vsphereVolume", backend::vsphere);
    only.may_be(&source.photon_persistent_disk, "photonPersistentDisk", backend::photon);
    only.may_be(&source.portworx_volume, "portworxVolume", backend::portworx);
    only.may_be(&source.azure_disk, "azureDisk", backend::azure_disk);
    only.may_be(&source.scale_io, "scaleIO", scale_io);
    only.may_be(&source.local, "local", |source, at, errors| {
        local(source, at, errors);
        if spec.node_affinity.is_none() {
            errors.required(&path.child("nodeAffinity"), "Local volume requires node affinity");
        }
    });
    only.may_be(&source.storageos, "storageos", storage_os);
    only.may_be(&source.csi, "csi", csi);
    if !only.found {
        errors.required(path, "must specify a volume type");
    }
}

/// Sources as they are looked at one after the other.
struct OnlyOne<'a> {
    path: &'a FieldPath,
    errors: &'a mut FieldErrors,
    found: bool,
}

impl OnlyOne<'_> {
    fn may_be<T>(
        &mut self,
        source: &Option<Box<T>>,
        field: &str,
        check: impl FnOnce(&T, &FieldPath, &mut FieldErrors),
    ) {
        self.may_be_at(source, field, field, check);
    }

    /// For a source whose errors stand under another name than that it is one too many.
    fn may_be_at<T>(
        &mut self,
        source: &Option<Box<T>>,
        field: &str,
        at: &str,
        check: impl FnOnce(&T, &FieldPath, &mut FieldErrors),
    ) {
        let Some(source) = source else { return };
        if self.found {
            self.errors.forbidden(&self.path.child(field), "may not specify more than 1 volume type");
        } else {
            self.found = true;
            check(source, &self.path.child(at), self.errors);
        }
    }
}

/// Fields that must be there, and whether they are missing.
fn needs(fields: &[(bool, &str)], path: &FieldPath, errors: &mut FieldErrors) {
    for (_, field) in fields.iter().filter(|(missing, _)| *missing) {
        errors.required(&path.child(field), "");
    }
}

fn glusterfs(source: &GlusterfsPersistentVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    needs(&[(source.endpoints.is_empty(), "endpoints"), (source.path.is_empty(), "path")], path, errors);
    if let Some(namespace) = &source.endpoints_namespace {
        let path = path.child("endpointsNamespace");
        if namespace.is_empty() {
            let detail = "if the endpointnamespace is set, it must be a valid namespace name";
            errors.invalid(&path, namespace, detail);
        } else {
            errors.invalid_each(&path, namespace, name_is_dns_label(namespace, NamePart::Whole));
        }
    }
}

fn rbd(source: &RBDPersistentVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    needs(&[(source.monitors.is_empty(), "monitors"), (source.image.is_empty(), "image")], path, errors);
}

fn cephfs(source: &CephFSPersistentVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    needs(&[(source.monitors.is_empty(), "monitors")], path, errors);
}

fn scale_io(source: &ScaleIOPersistentVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    let missing = [
        (source.gateway.is_empty(), "gateway"),
        (source.system.is_empty(), "system"),
        (source.volume_name.is_empty(), "volumeName"),
    ];
    needs(&missing, path, errors);
}

fn iscsi(source: &ISCSIPersistentVolumeSource, name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    needs(&[(source.target_portal.is_empty(), "targetPortal")], path, errors);
    if source.initiator_name.is_some() && name.len() + 1 + source.target_portal.len() > 64 {
        let detail = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if \
            iscsi.initiatorName is specified.";
        errors.invalid(&path.child("targetportal"), &source.target_portal, detail);
    }
    if source.iqn.is_empty() {
        errors.required(&path.child("iqn"), "");
    } else if backend::initiator_problem(&source.iqn).is_some() {
        errors.invalid(&path.child("iqn"), &source.iqn, "must be valid format");
    }
    if !(0..=255).contains(&source.lun) {
        errors.invalid(&path.child("lun"), &source.lun, &inclusive_range_error(0, 255));
    }
    if (source.chap_auth_discovery || source.chap_auth_session) && source.secret_ref.is_none() {
        errors.required(&path.child("secretRef"), "");
    }
    if source.secret_ref.as_ref().is_some_and(|secret| secret.name.is_empty()) {
        errors.required(&path.child("secretRef").child("name"), "");
    }
    if let Some(name) = &source.initiator_name
        && backend::initiator_problem(name).is_some()
    {
        errors.invalid(&path.child("initiatorname"), name, "must be valid format");
    }
}

fn cinder(source: &CinderPersistentVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    needs(&[(source.volume_id.is_empty(), "volumeID")], path, errors);
    if let Some(secret) = &source.secret_ref {
        named_secret(&secret.name, &secret.namespace, &path.child("secretRef"), errors);
    }
}

/// A secret with its namespace, of whose names nothing more is asked.
fn named_secret(name: &str, namespace: &str, path: &FieldPath, errors: &mut FieldErrors) {
    needs(&[(name.is_empty(), "name"), (namespace.is_empty(), "namespace")], path, errors);
}

fn flex(source: &FlexPersistentVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    needs(&[(source.driver.is_empty(), "driver")], path, errors);
    reserved_options(&source.options, &path.child("options"), errors);
}

/// Options under Kubernetes' own domains are for Kubernetes to set.
fn reserved_options(options: &BTreeMap<String, String>, path: &FieldPath, errors: &mut FieldErrors) {
    for key in options.keys() {
        let domain = key.split_once('/').map_or(key.as_str(), |(domain, _)| domain);
        let domain = format!(".{}", domain.to_lowercase());
        if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
            errors.invalid(&path.key(key), key, "kubernetes.io and k8s.io namespaces are reserved");
        }
    }
}

fn azure_file(source: &AzureFilePersistentVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    let no_namespace = source.secret_namespace.as_deref() == Some("");
    needs(
        &[
            (source.secret_name.is_empty(), "secretName"),
            (source.share_name.is_empty(), "shareName"),
            (no_namespace, "secretNamespace"),
        ],
        path,
        errors,
    );
}

fn local(source: &LocalVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    let path = path.child("path");
    if source.path.is_empty() {
        errors.required(&path, "");
    } else {
        without_backsteps(&source.path, &path, errors);
    }
}

fn storage_os(source: &StorageOSPersistentVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    backend::storage_os_names(&source.volume_name, &source.volume_namespace, path, errors);
    if let Some(secret) = &source.secret_ref {
        named_secret(&secret.name, &secret.namespace, &path.child("secretRef"), errors);
    }
}

fn csi(source: &CSIPersistentVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    backend::csi_driver_name(&source.driver, &path.child("driver"), errors);
    needs(&[(source.volume_handle.is_empty(), "volumeHandle")], path, errors);
    for (secret, field) in [
        (&source.controller_publish_secret_ref, "controllerPublishSecretRef"),
        (&source.controller_expand_secret_ref, "controllerExpandSecretRef"),
        (&source.node_publish_secret_ref, "nodePublishSecretRef"),
        (&source.node_expand_secret_ref, "nodeExpandSecretRef"),
    ] {
        if let Some(secret) = secret {
            checked_secret(secret, &path.child(field), errors);
        }
    }
}

/// A secret with its namespace, whose names are checked.
fn checked_secret(secret: &SecretReference, path: &FieldPath, errors: &mut FieldErrors) {
    if secret.name.is_empty() {
        errors.required(&path.child("name"), "");
    } else {
        dns_subdomain(&secret.name, &path.child("name"), errors);
    }
    if secret.namespace.is_empty() {
        errors.required(&path.child("namespace"), "");
    } else {
        dns_label(&secret.namespace, &path.child("namespace"), errors);
    }
}
