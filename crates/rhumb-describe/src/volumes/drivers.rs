//! Volume sources of clouds and drivers.

use std::collections::BTreeMap;
use std::fmt::Display;

use rhumb_api::core::v1::{
    AWSElasticBlockStoreVolumeSource, AzureDiskVolumeSource, AzureFilePersistentVolumeSource,
    AzureFileVolumeSource, CSIPersistentVolumeSource, CSIVolumeSource, CinderPersistentVolumeSource,
    CinderVolumeSource, FlexPersistentVolumeSource, FlexVolumeSource, FlockerVolumeSource,
    GCEPersistentDiskVolumeSource, PhotonPersistentDiskVolumeSource, PortworxVolumeSource,
    ScaleIOPersistentVolumeSource, ScaleIOVolumeSource, StorageOSPersistentVolumeSource,
    StorageOSVolumeSource, VsphereVirtualDiskVolumeSource,
};

use super::fields;
use crate::Lines;
use crate::go_text::{local_reference, map, secret_reference};
use crate::parts::{LONGEST_ANNOTATION, shortened};

const AZURE_FILE: &str = "AzureFile (an Azure File Service mount on the host and bind mount to the pod)";
const CINDER: &str = "Cinder (a Persistent Disk resource in OpenStack)";
const CSI: &str = "CSI (a Container Storage Interface (CSI) volume source)";
const FLEX: &str =
    "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)";
const SCALE_IO: &str = "ScaleIO (a persistent volume backed by a block device in ScaleIO)";
const STORAGEOS: &str = "StorageOS (a StorageOS Persistent Disk resource)";

pub(super) fn gce(out: &mut Lines, source: &GCEPersistentDiskVolumeSource) {
    let what = "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)";
    disk(out, what, ("PDName", &source.pd_name), &source.fs_type, source.partition, source.read_only);
}

pub(super) fn aws(out: &mut Lines, source: &AWSElasticBlockStoreVolumeSource) {
    let what = "AWSElasticBlockStore (a Persistent Disk resource in AWS)";
    disk(out, what, ("VolumeID", &source.volume_id), &source.fs_type, source.partition, source.read_only);
}

/// Writes a cloud disk with its partition.
fn disk(out: &mut Lines, what: &str, name: (&str, &String), fs_type: &str, partition: i32, read_only: bool) {
    let values: [(&str, &dyn Display); 4] =
        [(name.0, name.1), ("FSType", &fs_type), ("Partition", &partition), ("ReadOnly", &read_only)];
    fields(out, what, &values);
}

pub(super) fn azure_disk(out: &mut Lines, source: &AzureDiskVolumeSource) {
    let what = "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)";
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let values: [(&str, &dyn Display); 2] = [("DiskName", &source.disk_name), ("DiskURI", &source.disk_uri)];
    fields(out, what, &values);
    // Here kubectl has a blank after the colon.
    out.row(2, &[&"Kind: ", &text(&source.kind)]);
    out.field(2, "FSType", text(&source.fs_type));
    out.field(2, "CachingMode", text(&source.caching_mode));
    out.field(2, "ReadOnly", source.read_only.unwrap_or_default());
}

pub(super) fn vsphere(out: &mut Lines, source: &VsphereVirtualDiskVolumeSource) {
    let what = "vSphereVolume (a Persistent Disk resource in vSphere)";
    let values: [(&str, &dyn Display); 3] = [
        ("VolumePath", &source.volume_path),
        ("FSType", &source.fs_type),
        ("StoragePolicyName", &source.storage_policy_name),
    ];
    fields(out, what, &values);
}

pub(super) fn photon(out: &mut Lines, source: &PhotonPersistentDiskVolumeSource) {
    let what = "PhotonPersistentDisk (a Persistent Disk resource in photon platform)";
    fields(out, what, &[("PdID", &source.pd_id), ("FSType", &source.fs_type)]);
}

pub(super) fn portworx(out: &mut Lines, source: &PortworxVolumeSource) {
    fields(out, "PortworxVolume (a Portworx Volume resource)", &[("VolumeID", &source.volume_id)]);
}

/// Common fields of both Cinder sources.
macro_rules! cinder_source {
    ($name:ident, $source:ty, $reference:ident) => {
        pub(super) fn $name(out: &mut Lines, source: &$source) {
            let values: [(&str, &dyn Display); 4] = [
                ("VolumeID", &source.volume_id),
                ("FSType", &source.fs_type),
                ("ReadOnly", &source.read_only),
                ("SecretRef", &$reference(source.secret_ref.as_deref())),
            ];
            fields(out, CINDER, &values);
        }
    };
}

cinder_source!(cinder, CinderVolumeSource, local_reference);
cinder_source!(persistent_cinder, CinderPersistentVolumeSource, secret_reference);

/// Common fields of both ScaleIO sources; the second also has the secret's namespace.
macro_rules! scale_io_source {
    ($name:ident, $source:ident: $type:ty $(, $label:literal: $value:expr)*) => {
        pub(super) fn $name(out: &mut Lines, $source: &$type) {
            let values: &[(&str, &dyn Display)] = &[
                ("Gateway", &$source.gateway),
                ("System", &$source.system),
                ("Protection Domain", &$source.protection_domain),
                ("Storage Pool", &$source.storage_pool),
                ("Storage Mode", &$source.storage_mode),
                ("VolumeName", &$source.volume_name),
                $(($label, &$value),)*
                ("FSType", &$source.fs_type),
                ("ReadOnly", &$source.read_only),
            ];
            fields(out, SCALE_IO, values);
        }
    };
}

scale_io_source!(scale_io, source: ScaleIOVolumeSource);
scale_io_source!(
    persistent_scale_io,
    source: ScaleIOPersistentVolumeSource,
    "SecretName": source.secret_ref.as_deref().map_or("", |secret| &secret.name),
    "SecretNamespace": source.secret_ref.as_deref().map_or("", |secret| &secret.namespace)
);

/// Common fields of both StorageOS sources.
macro_rules! storageos_source {
    ($name:ident, $source:ty) => {
        pub(super) fn $name(out: &mut Lines, source: &$source) {
            let values: [(&str, &dyn Display); 4] = [
                ("VolumeName", &source.volume_name),
                ("VolumeNamespace", &source.volume_namespace),
                ("FSType", &source.fs_type),
                ("ReadOnly", &source.read_only),
            ];
            fields(out, STORAGEOS, &values);
        }
    };
}

storageos_source!(storageos, StorageOSVolumeSource);
storageos_source!(persistent_storageos, StorageOSPersistentVolumeSource);

pub(super) fn azure_file(out: &mut Lines, source: &AzureFileVolumeSource) {
    let values: [(&str, &dyn Display); 3] = [
        ("SecretName", &source.secret_name),
        ("ShareName", &source.share_name),
        ("ReadOnly", &source.read_only),
    ];
    fields(out, AZURE_FILE, &values);
}

pub(super) fn persistent_azure_file(out: &mut Lines, source: &AzureFilePersistentVolumeSource) {
    let namespace = source.secret_namespace.as_deref().unwrap_or_default();
    let values: [(&str, &dyn Display); 4] = [
        ("SecretName", &source.secret_name),
        ("SecretNamespace", &namespace),
        ("ShareName", &source.share_name),
        ("ReadOnly", &source.read_only),
    ];
    fields(out, AZURE_FILE, &values);
}

/// Common fields of both flex volume sources.
macro_rules! flex_source {
    ($name:ident, $source:ty, $reference:ident) => {
        pub(super) fn $name(out: &mut Lines, source: &$source) {
            let values: [(&str, &dyn Display); 5] = [
                ("Driver", &source.driver),
                ("FSType", &source.fs_type),
                ("SecretRef", &$reference(source.secret_ref.as_deref())),
                ("ReadOnly", &source.read_only),
                ("Options", &map(&source.options)),
            ];
            fields(out, FLEX, &values);
        }
    };
}

flex_source!(flex, FlexVolumeSource, local_reference);
flex_source!(persistent_flex, FlexPersistentVolumeSource, secret_reference);

pub(super) fn flocker(out: &mut Lines, source: &FlockerVolumeSource) {
    let what = "Flocker (a Flocker volume mounted by the Flocker agent)";
    fields(out, what, &[("DatasetName", &source.dataset_name), ("DatasetUUID", &source.dataset_uuid)]);
}

pub(super) fn csi(out: &mut Lines, source: &CSIVolumeSource) {
    let values: [(&str, &dyn Display); 3] = [
        ("Driver", &source.driver),
        ("FSType", &source.fs_type.as_deref().unwrap_or_default()),
        ("ReadOnly", &(source.read_only == Some(true))),
    ];
    fields(out, CSI, &values);
    attributes(out, &source.volume_attributes);
}

pub(super) fn persistent_csi(out: &mut Lines, source: &CSIPersistentVolumeSource) {
    let values: [(&str, &dyn Display); 4] = [
        ("Driver", &source.driver),
        ("FSType", &source.fs_type),
        ("VolumeHandle", &source.volume_handle),
        ("ReadOnly", &source.read_only),
    ];
    fields(out, CSI, &values);
    attributes(out, &source.volume_attributes);
}

/// Writes the attributes of a CSI volume. Every part of a line is indented, not only its start.
fn attributes(out: &mut Lines, attributes: &BTreeMap<String, String>) {
    out.put(2, "VolumeAttributes:\t");
    if attributes.is_empty() {
        out.end("<none>");
    }
    for (index, (key, value)) in attributes.iter().enumerate() {
        if index > 0 {
            out.put(2, "");
            out.put(2, "\t");
        }
        out.line(2, shortened(&format!("{key}={value}"), LONGEST_ANNOTATION));
    }
}
