//! Validation of pod volumes, each of exactly one type.

use std::collections::BTreeSet;

use rhumb_api::core::v1::{EphemeralVolumeSource, ImageVolumeSource, Volume, VolumeSource};
use rhumb_meta::ObjectMeta;
use rhumb_meta::validation::{NamePart, name_is_dns_subdomain};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};

use super::claim_template::claim_template;
use super::container::pull_policy;
use super::pod_options::PodOptions;
use super::volume_backend as backend;
use super::volume_mount::Volumes;
use super::volume_projected::{config_map, downward_api, projected, secret};
use crate::meta::dns_label;

/// Checks the volumes and returns those that are in order, by name.
pub(super) fn volumes<'a>(
    volumes: &'a [Volume],
    pod: Option<&ObjectMeta>,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) -> Volumes<'a> {
    let pod_name = pod.map(|metadata| metadata.name.as_str()).filter(|name| !name.is_empty());
    let created: BTreeSet<String> = match pod_name {
        Some(pod) => {
            let ephemeral = volumes.iter().filter(|volume| volume.volume_source.ephemeral.is_some());
            ephemeral.map(|volume| format!("{pod}-{}", volume.name)).collect()
        }
        None => BTreeSet::new(),
    };
    let mut valid = Volumes::new();
    for (index, volume) in volumes.iter().enumerate().wanted() {
        let at = path.index(index);
        let name = at.child("name");
        let before = errors.len();
        volume_source(volume, pod_name, &at, options, errors);
        if volume.name.is_empty() {
            errors.required(&name, "");
        } else {
            dns_label(&volume.name, &name, errors);
        }
        if valid.contains_key(volume.name.as_str()) {
            errors.duplicate(&name, &volume.name);
        }
        if errors.len() == before {
            valid.insert(&volume.name, &volume.volume_source);
        }
        if let Some(claim) = &volume.volume_source.persistent_volume_claim
            && created.contains(&claim.claim_name)
        {
            let at = at.child("persistentVolumeClaim").child("claimName");
            let detail = "must not reference a PVC that gets created for an ephemeral volume";
            errors.invalid(&at, &claim.claim_name, detail);
        }
    }
    valid
}

/// Counts the types that a volume has, and checks the first of them.
struct Types<'a> {
    path: &'a FieldPath,
    errors: &'a mut FieldErrors,
    has_one: bool,
}

impl Types<'_> {
    fn one<T>(
        &mut self,
        source: &Option<Box<T>>,
        field: &str,
        check: impl FnOnce(&T, &FieldPath, &mut FieldErrors),
    ) {
        self.under(source, field, field, check);
    }

    /// For the types whose errors stand at another name than the field's.
    fn under<T>(
        &mut self,
        source: &Option<Box<T>>,
        field: &str,
        checked: &str,
        check: impl FnOnce(&T, &FieldPath, &mut FieldErrors),
    ) {
        let Some(source) = source else { return };
        if std::mem::replace(&mut self.has_one, true) {
            self.errors.forbidden(&self.path.child(field), "may not specify more than 1 volume type");
        } else {
            check(source, &self.path.child(checked), self.errors);
        }
    }
}

fn volume_source(
    volume: &Volume,
    pod: Option<&str>,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    let source: &VolumeSource = &volume.volume_source;
    let mut types = Types { path, errors, has_one: false };
    types.one(&source.empty_dir, "emptyDir", backend::empty_dir);
    types.one(&source.host_path, "hostPath", backend::host_path);
    types.one(&source.git_repo, "gitRepo", backend::git_repo);
    types.under(&source.gce_persistent_disk, "gcePersistentDisk", "persistentDisk", backend::gce_disk);
    types.one(&source.aws_elastic_block_store, "awsElasticBlockStore", backend::aws_block_store);
    types.one(&source.secret, "secret", secret);
    types.one(&source.nfs, "nfs", backend::nfs);
    types.one(&source.iscsi, "iscsi", backend::iscsi);
    if let Some(iscsi) = &source.iscsi
        && iscsi.initiator_name.is_some()
        && volume.name.len() + iscsi.target_portal.len() + 1 > 64
    {
        let detail = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if \
            iscsi.initiatorName is specified.";
        types.errors.invalid(&path.child("name"), &volume.name, detail);
    }
    types.one(&source.glusterfs, "glusterfs", backend::glusterfs);
    types.one(&source.flocker, "flocker", backend::flocker);
    types.one(&source.persistent_volume_claim, "persistentVolumeClaim", |claim, path, errors| {
        if claim.claim_name.is_empty() {
            errors.required(&path.child("claimName"), "");
        }
    });
    types.one(&source.rbd, "rbd", backend::rbd);
    types.one(&source.cinder, "cinder", backend::cinder);
    types.under(&source.cephfs, "cephFS", "cephfs", backend::cephfs);
    types.one(&source.quobyte, "quobyte", backend::quobyte);
    types.under(&source.downward_api, "downwarAPI", "downwardAPI", downward_api);
    types.one(&source.fc, "fc", backend::fibre_channel);
    types.one(&source.flex_volume, "flexVolume", backend::flex_volume);
    types.one(&source.config_map, "configMap", config_map);
    types.one(&source.azure_file, "azureFile", backend::azure_file);
    types.one(&source.vsphere_volume, "vsphereVolume", backend::vsphere);
    types.one(&source.photon_persistent_disk, "photonPersistentDisk", backend::photon);
    types.one(&source.portworx_volume, "portworxVolume", backend::portworx);
    types.one(&source.azure_disk, "azureDisk", backend::azure_disk);
    types.one(&source.storageos, "storageos", backend::storage_os);
    types
        .one(&source.projected, "projected", |volume, path, errors| projected(volume, path, options, errors));
    types.one(&source.scale_io, "scaleIO", backend::scale_io);
    types.one(&source.csi, "csi", backend::csi);
    types.one(&source.ephemeral, "ephemeral", |ephemeral, at, errors| {
        claim_of_pod(ephemeral, at, errors);
        if let Some(pod) = pod.filter(|_| !volume.name.is_empty()) {
            let claim = format!("{pod}-{}", volume.name);
            for problem in name_is_dns_subdomain(&claim, NamePart::Whole) {
                let detail = format!("PVC name {}: {problem}", quoted(&claim));
                errors.invalid(&path.child("name"), &volume.name, &detail);
            }
        }
    });
    types.one(&source.image, "image", |image, path, errors| image_volume(image, path, options, errors));
    if !types.has_one {
        errors.required(path, "must specify a volume type");
    }
}

fn claim_of_pod(ephemeral: &EphemeralVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    let path = path.child("volumeClaimTemplate");
    match &ephemeral.volume_claim_template {
        None => errors.required(&path, ""),
        Some(template) => claim_template(template, &path, errors),
    }
}

fn image_volume(image: &ImageVolumeSource, path: &FieldPath, options: &PodOptions, errors: &mut FieldErrors) {
    if options.is_pod && image.reference.is_empty() {
        errors.required(&path.child("reference"), "");
    }
    pull_policy(&image.pull_policy, &path.child("pullPolicy"), errors);
}
