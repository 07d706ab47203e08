//! Volume sources.
//!
//! Pods and PersistentVolumes mostly say the same of a source, each with a type of its own; what they have
//! in common is written once, by the fields that are shown.

mod drivers;
mod network;
mod persistent;

use std::fmt::Display;

use rhumb_api::core::v1::{
    DownwardAPIVolumeSource, EmptyDirVolumeSource, HostPathVolumeSource, PersistentVolumeClaim,
    ProjectedVolumeSource, Volume, VolumeSource,
};

use crate::Lines;
use crate::kinds::claim;

pub(crate) use persistent::persistent_volume_source;

/// Writes the volumes of a pod.
pub(crate) fn volumes(out: &mut Lines, space: &str, volumes: &[Volume]) {
    if volumes.is_empty() {
        out.line(0, format_args!("{space}Volumes:\t<none>"));
        return;
    }
    out.line(0, format_args!("{space}Volumes:"));
    let indent = if space.is_empty() { "" } else { " " };
    for volume in volumes {
        out.line(1, format_args!("{indent}{}:", volume.name));
        if !source(out, &volume.volume_source) {
            out.line(1, "<unknown>");
        }
    }
}

/// Writes the fields of a source, after what it is.
fn fields(out: &mut Lines, what: &str, fields: &[(&str, &dyn Display)]) {
    out.field(2, "Type", what);
    for (title, value) in fields {
        out.field(2, title, value);
    }
}

/// Writes the source of a pod's volume; false if it is none that is known.
fn source(out: &mut Lines, source: &VolumeSource) -> bool {
    if let Some(path) = &source.host_path {
        host_path(out, path);
    } else if let Some(directory) = &source.empty_dir {
        empty_dir(out, directory);
    } else if let Some(disk) = &source.gce_persistent_disk {
        drivers::gce(out, disk);
    } else if let Some(disk) = &source.aws_elastic_block_store {
        drivers::aws(out, disk);
    } else if let Some(git) = &source.git_repo {
        let what = "GitRepo (a volume that is pulled from git when the pod is created)";
        fields(out, what, &[("Repository", &git.repository), ("Revision", &git.revision)]);
    } else if let Some(secret) = &source.secret {
        let optional = secret.optional == Some(true);
        let what = "Secret (a volume populated by a Secret)";
        fields(out, what, &[("SecretName", &secret.secret_name), ("Optional", &optional)]);
    } else if let Some(map) = &source.config_map {
        let optional = map.optional == Some(true);
        let what = "ConfigMap (a volume populated by a ConfigMap)";
        fields(out, what, &[("Name", &map.local_object_reference.name), ("Optional", &optional)]);
    } else if let Some(nfs) = &source.nfs {
        network::nfs(out, nfs);
    } else if let Some(iscsi) = &source.iscsi {
        network::iscsi(out, iscsi);
    } else if let Some(gluster) = &source.glusterfs {
        network::glusterfs(out, gluster);
    } else if let Some(claim) = &source.persistent_volume_claim {
        let what = "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)";
        fields(out, what, &[("ClaimName", &claim.claim_name), ("ReadOnly", &claim.read_only)]);
    } else if let Some(ephemeral) = &source.ephemeral {
        let what = "EphemeralVolume (an inline specification for a volume that gets created and deleted with \
                    the pod)";
        fields(out, what, &[]);
        if let Some(template) = &ephemeral.volume_claim_template {
            let template = PersistentVolumeClaim {
                metadata: template.metadata.clone(),
                spec: template.spec.clone(),
                ..Default::default()
            };
            out.nested(2, |out| claim::claim_template(out, &template));
        }
    } else if let Some(rbd) = &source.rbd {
        network::rbd(out, rbd);
    } else if let Some(quobyte) = &source.quobyte {
        network::quobyte(out, quobyte);
    } else if let Some(downward) = &source.downward_api {
        downward_api(out, downward);
    } else if let Some(disk) = &source.azure_disk {
        drivers::azure_disk(out, disk);
    } else if let Some(disk) = &source.vsphere_volume {
        drivers::vsphere(out, disk);
    } else if let Some(cinder) = &source.cinder {
        drivers::cinder(out, cinder);
    } else if let Some(disk) = &source.photon_persistent_disk {
        drivers::photon(out, disk);
    } else if let Some(volume) = &source.portworx_volume {
        drivers::portworx(out, volume);
    } else if let Some(volume) = &source.scale_io {
        drivers::scale_io(out, volume);
    } else if let Some(ceph) = &source.cephfs {
        network::cephfs(out, ceph);
    } else if let Some(volume) = &source.storageos {
        drivers::storageos(out, volume);
    } else if let Some(channel) = &source.fc {
        network::fibre_channel(out, channel);
    } else if let Some(file) = &source.azure_file {
        drivers::azure_file(out, file);
    } else if let Some(flex) = &source.flex_volume {
        drivers::flex(out, flex);
    } else if let Some(flocker) = &source.flocker {
        drivers::flocker(out, flocker);
    } else if let Some(projected) = &source.projected {
        self::projected(out, projected);
    } else if let Some(csi) = &source.csi {
        drivers::csi(out, csi);
    } else if let Some(image) = &source.image {
        let what = "Image (a container image or OCI artifact)";
        fields(out, what, &[("Reference", &image.reference), ("PullPolicy", &image.pull_policy)]);
    } else {
        return false;
    }
    true
}

fn host_path(out: &mut Lines, source: &HostPathVolumeSource) {
    let kind = source.type_.as_deref().unwrap_or("<none>");
    let what = "HostPath (bare host directory volume)";
    fields(out, what, &[("Path", &source.path), ("HostPathType", &kind)]);
}

fn empty_dir(out: &mut Lines, source: &EmptyDirVolumeSource) {
    let limit = source.size_limit.as_ref().filter(|limit| limit.sign() > 0);
    let limit = limit.map_or_else(|| "<unset>".to_owned(), ToString::to_string);
    let what = "EmptyDir (a temporary directory that shares a pod's lifetime)";
    fields(out, what, &[("Medium", &source.medium), ("SizeLimit", &limit)]);
}

fn downward_api(out: &mut Lines, source: &DownwardAPIVolumeSource) {
    fields(out, "DownwardAPI (a volume populated by information about the pod)", &[]);
    out.line(2, "Items:");
    for item in &source.items {
        if let Some(field) = &item.field_ref {
            out.line(3, format_args!("{} -> {}", field.field_path, item.path));
        }
        if let Some(field) = &item.resource_field_ref {
            out.line(3, format_args!("{} -> {}", field.resource, item.path));
        }
    }
}

fn projected(out: &mut Lines, source: &ProjectedVolumeSource) {
    fields(out, "Projected (a volume that contains injected data from multiple sources)", &[]);
    for source in &source.sources {
        if let Some(secret) = &source.secret {
            out.field(2, "SecretName", &secret.local_object_reference.name);
            out.field(2, "Optional", secret.optional == Some(true));
        } else if source.downward_api.is_some() {
            out.field(2, "DownwardAPI", true);
        } else if let Some(map) = &source.config_map {
            out.field(2, "ConfigMapName", &map.local_object_reference.name);
            out.field(2, "Optional", map.optional == Some(true));
        } else if let Some(token) = &source.service_account_token {
            out.field(2, "TokenExpirationSeconds", token.expiration_seconds.unwrap_or_default());
        }
    }
}
