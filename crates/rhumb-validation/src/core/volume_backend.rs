//! Validation of volumes on the node, in the network and in clouds.

use rhumb_api::core::v1::{
    AWSElasticBlockStoreVolumeSource, AzureDiskVolumeSource, AzureFileVolumeSource, CSIVolumeSource,
    CephFSVolumeSource, CinderVolumeSource, EmptyDirVolumeSource, FCVolumeSource, FlexVolumeSource,
    FlockerVolumeSource, GCEPersistentDiskVolumeSource, GitRepoVolumeSource, GlusterfsVolumeSource,
    HostPathVolumeSource, ISCSIVolumeSource, LocalObjectReference, NFSVolumeSource,
    PhotonPersistentDiskVolumeSource, PortworxVolumeSource, QuobyteVolumeSource, RBDVolumeSource,
    ScaleIOVolumeSource, StorageOSVolumeSource, VsphereVirtualDiskVolumeSource,
};
use rhumb_meta::validation::{NamePart, inclusive_range_error, is_dns1123_subdomain, name_is_dns_subdomain};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named};

use super::file_path::{local_descending, without_backsteps};
use crate::meta::dns_label;

const HOST_PATH_TYPES: [&str; 8] =
    ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
const MANAGED_DISK: &str =
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const BLOB_DISK: &str = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
const MAX_DRIVER: usize = 63;

/// A required text.
fn required(value: &str, field: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if value.is_empty() {
        errors.required(&path.child(field), "");
    }
}

fn named_secret(secret: Option<&LocalObjectReference>, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(secret) = secret {
        required(&secret.name, "name", &path.child("secretRef"), errors);
    }
}

fn partition(partition: i32, path: &FieldPath, errors: &mut FieldErrors) {
    if !(0..=255).contains(&partition) {
        errors.invalid(&path.child("partition"), &partition, &inclusive_range_error(1, 255));
    }
}

pub(super) fn empty_dir(source: &EmptyDirVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    if source.size_limit.as_ref().is_some_and(|limit| limit.sign() < 0) {
        errors.forbidden(&path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity");
    }
}

/// A path on the node.
pub(crate) fn host_path(source: &HostPathVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    if source.path.is_empty() {
        return errors.required(&path.child("path"), "");
    }
    without_backsteps(&source.path, &path.child("path"), errors);
    if let Some(kind) = source.type_.as_deref()
        && !HOST_PATH_TYPES.contains(&kind)
    {
        errors.not_supported(&path.child("type"), &Named(kind), &HOST_PATH_TYPES);
    }
}

pub(super) fn git_repo(source: &GitRepoVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.repository, "repository", path, errors);
    local_descending(&source.directory, &path.child("directory"), errors);
}

/// A disk of Google's cloud.
pub(crate) fn gce_disk(source: &GCEPersistentDiskVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.pd_name, "pdName", path, errors);
    partition(source.partition, path, errors);
}

/// A disk of Amazon's cloud.
pub(crate) fn aws_block_store(
    source: &AWSElasticBlockStoreVolumeSource,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    required(&source.volume_id, "volumeID", path, errors);
    partition(source.partition, path, errors);
}

/// A directory of an NFS server.
pub(crate) fn nfs(source: &NFSVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.server, "server", path, errors);
    required(&source.path, "path", path, errors);
    if !source.path.starts_with('/') {
        errors.invalid(&path.child("path"), &source.path, "must be an absolute path");
    }
}

pub(super) fn iscsi(source: &ISCSIVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.target_portal, "targetPortal", path, errors);
    required(&source.iqn, "iqn", path, errors);
    if !source.iqn.is_empty()
        && let Some(problem) = initiator_problem(&source.iqn)
    {
        errors.invalid(&path.child("iqn"), &source.iqn, problem);
    }
    if !(0..=255).contains(&source.lun) {
        errors.invalid(&path.child("lun"), &source.lun, &inclusive_range_error(0, 255));
    }
    if (source.chap_auth_discovery || source.chap_auth_session) && source.secret_ref.is_none() {
        errors.required(&path.child("secretRef"), "");
    }
    if let Some(name) = &source.initiator_name
        && let Some(problem) = initiator_problem(name)
    {
        errors.invalid(&path.child("initiatorname"), name, problem);
    }
}

/// Returns what is wrong with the name of an iSCSI initiator or target, which comes in three forms.
pub(crate) fn initiator_problem(name: &str) -> Option<&'static str> {
    let is_valid = match name.get(..3) {
        Some("iqn") => is_iqn(name),
        Some("eui") => is_number(name, 16),
        Some("naa") => is_number(name, 32),
        _ => return Some("must be valid format starting with iqn, eui, or naa"),
    };
    (!is_valid).then_some("must be valid format")
}

/// Reports whether a name has any character after its prefix and then as many letters or digits.
fn is_number(name: &str, digits: usize) -> bool {
    let mut rest = name.chars().skip(3);
    rest.next().is_some_and(|c| c != '\n')
        && rest.clone().count() == digits
        && rest.all(|c| c.is_ascii_alphanumeric())
}

/// `iqn.2001-04.com.example:storage`, also behind something else that starts with the prefix.
fn is_iqn(name: &str) -> bool {
    name.match_indices("iqn.").any(|(at, prefix)| {
        let Some(rest) = name.get(at + prefix.len()..) else { return false };
        let Some((date, rest)) = rest.split_at_checked(8) else { return false };
        let is_date = date.bytes().enumerate().all(|(position, byte)| match position {
            4 => byte == b'-',
            7 => byte == b'.',
            _ => byte.is_ascii_digit(),
        });
        let Some((authority, own)) = rest.split_once(':') else { return false };
        let is_separator =
            |c: char| matches!(c, ',' | ';' | '*' | '&' | '$' | '|') || " \t\n\r\u{c}".contains(c);
        is_date
            && !authority.is_empty()
            && authority.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'))
            && !own.is_empty()
            && !own.contains(is_separator)
    })
}

pub(super) fn glusterfs(source: &GlusterfsVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.endpoints, "endpoints", path, errors);
    required(&source.path, "path", path, errors);
}

/// A dataset of Flocker.
pub(crate) fn flocker(source: &FlockerVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    match (source.dataset_name.is_empty(), source.dataset_uuid.is_empty()) {
        (true, true) => errors.required(path, "one of datasetName and datasetUUID is required"),
        (false, false) => {
            let detail = "datasetName and datasetUUID can not be specified simultaneously";
            errors.invalid(path, "resource", detail);
        }
        _ => {}
    }
    if source.dataset_name.contains('/') {
        errors.invalid(&path.child("datasetName"), &source.dataset_name, "must not contain '/'");
    }
}

pub(super) fn rbd(source: &RBDVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    if source.monitors.is_empty() {
        errors.required(&path.child("monitors"), "");
    }
    required(&source.image, "image", path, errors);
}

pub(super) fn cinder(source: &CinderVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.volume_id, "volumeID", path, errors);
    named_secret(source.secret_ref.as_deref(), path, errors);
}

pub(super) fn cephfs(source: &CephFSVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    if source.monitors.is_empty() {
        errors.required(&path.child("monitors"), "");
    }
}

/// A volume of Quobyte.
pub(crate) fn quobyte(source: &QuobyteVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    let pairs = "must be a host:port pair or multiple pairs separated by commas";
    let registry = path.child("registry");
    if source.registry.is_empty() {
        errors.required(&registry, pairs);
    } else if source.tenant.len() >= 65 {
        let detail = "must be a UUID and may not exceed a length of 64 characters";
        errors.required(&path.child("tenant"), detail);
    } else {
        for _ in source.registry.split(',').filter(|pair| !is_host_and_port(pair)) {
            errors.invalid(&registry, &source.registry, pairs);
        }
    }
    required(&source.volume, "volume", path, errors);
}

fn is_host_and_port(pair: &str) -> bool {
    let Some((host, port)) = pair.rsplit_once(':') else { return false };
    let host = match host.strip_prefix('[') {
        Some(inner) => inner.strip_suffix(']').filter(|inner| !inner.contains(']')),
        None => Some(host).filter(|host| !host.contains(':')),
    };
    host.is_some_and(|host| !host.contains(['[', ']'])) && !port.contains(['[', ']'])
}

/// A disk of a Fibre Channel.
pub(crate) fn fibre_channel(source: &FCVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("targetWWNs");
    match (source.target_ww_ns.is_empty(), source.wwids.is_empty()) {
        (true, true) => errors.required(&at, "must specify either targetWWNs or wwids, but not both"),
        (false, false) => {
            let detail = "targetWWNs and wwids can not be specified simultaneously";
            errors.invalid(&at, &source.target_ww_ns, detail);
        }
        _ => {}
    }
    if !source.target_ww_ns.is_empty() {
        match source.lun {
            None => errors.required(&path.child("lun"), "lun is required if targetWWNs is specified"),
            Some(lun) if !(0..=255).contains(&lun) => {
                errors.invalid(&path.child("lun"), &lun, &inclusive_range_error(0, 255));
            }
            Some(_) => {}
        }
    }
}

pub(super) fn flex_volume(source: &FlexVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.driver, "driver", path, errors);
    for key in source.options.keys() {
        let namespace = key.split_once('/').map_or(key.as_str(), |(namespace, _)| namespace);
        let domain = format!(".{}", namespace.to_lowercase());
        if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
            let at = path.child("options").key(key);
            errors.invalid(&at, key, "kubernetes.io and k8s.io namespaces are reserved");
        }
    }
}

pub(super) fn azure_file(source: &AzureFileVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.secret_name, "secretName", path, errors);
    required(&source.share_name, "shareName", path, errors);
}

/// A disk of Microsoft's cloud.
pub(crate) fn azure_disk(source: &AzureDiskVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.disk_name, "diskName", path, errors);
    required(&source.disk_uri, "diskURI", path, errors);
    if let Some(mode) = source.caching_mode.as_deref()
        && !matches!(mode, "None" | "ReadOnly" | "ReadWrite")
    {
        errors.not_supported(&path.child("cachingMode"), &Named(mode), &["None", "ReadOnly", "ReadWrite"]);
    }
    let Some(kind) = source.kind.as_deref() else { return };
    if !matches!(kind, "Dedicated" | "Managed" | "Shared") {
        errors.not_supported(&path.child("kind"), &Named(kind), &["Dedicated", "Managed", "Shared"]);
    }
    if kind == "Managed" && !source.disk_uri.starts_with("/subscriptions/") {
        errors.not_supported(&path.child("diskURI"), &source.disk_uri, &[MANAGED_DISK]);
    }
    if kind != "Managed" && !source.disk_uri.starts_with("https://") {
        errors.not_supported(&path.child("diskURI"), &source.disk_uri, &[BLOB_DISK]);
    }
}

/// A disk of vSphere.
pub(crate) fn vsphere(source: &VsphereVirtualDiskVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.volume_path, "volumePath", path, errors);
}

/// A disk of Photon.
pub(crate) fn photon(source: &PhotonPersistentDiskVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.pd_id, "pdID", path, errors);
}

/// A volume of Portworx.
pub(crate) fn portworx(source: &PortworxVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.volume_id, "volumeID", path, errors);
}

/// The name of a volume of StorageOS, and the namespace if one is given.
pub(super) fn storage_os_names(name: &str, namespace: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if name.is_empty() {
        errors.required(&path.child("volumeName"), "");
    } else {
        dns_label(name, &path.child("volumeName"), errors);
    }
    if !namespace.is_empty() {
        dns_label(namespace, &path.child("volumeNamespace"), errors);
    }
}

pub(super) fn storage_os(source: &StorageOSVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    storage_os_names(&source.volume_name, &source.volume_namespace, path, errors);
    named_secret(source.secret_ref.as_deref(), path, errors);
}

pub(super) fn scale_io(source: &ScaleIOVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    required(&source.gateway, "gateway", path, errors);
    required(&source.system, "system", path, errors);
    required(&source.volume_name, "volumeName", path, errors);
}

pub(super) fn csi(source: &CSIVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    csi_driver_name(&source.driver, &path.child("driver"), errors);
    if let Some(secret) = &source.node_publish_secret_ref {
        let name = &secret.name;
        if name.is_empty() {
            errors.required(&path.child("nodePublishSecretRef").child("name"), "");
        } else {
            errors.invalid_each(&path.child("name"), name, name_is_dns_subdomain(name, NamePart::Whole));
        }
    }
}

/// The name of a CSI driver: a domain, in any case.
pub(crate) fn csi_driver_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if name.is_empty() {
        return errors.required(path, "");
    }
    if name.len() > MAX_DRIVER {
        errors.too_long(path, MAX_DRIVER);
    }
    errors.invalid_each(path, name, is_dns1123_subdomain(&name.to_lowercase()));
}
