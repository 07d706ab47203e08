//! Network volume sources.

use std::fmt::Display;

use rhumb_api::core::v1::{
    CephFSPersistentVolumeSource, CephFSVolumeSource, FCVolumeSource, GlusterfsPersistentVolumeSource,
    GlusterfsVolumeSource, ISCSIPersistentVolumeSource, ISCSIVolumeSource, NFSVolumeSource,
    QuobyteVolumeSource, RBDPersistentVolumeSource, RBDVolumeSource,
};

use super::fields;
use crate::Lines;
use crate::go_text::{list, local_reference, secret_reference};

const CEPHFS: &str = "CephFS (a CephFS mount on the host that shares a pod's lifetime)";
const GLUSTERFS: &str = "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)";
const ISCSI: &str = "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine \
                     and then exposed to the pod)";
const RBD: &str = "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)";

pub(super) fn nfs(out: &mut Lines, source: &NFSVolumeSource) {
    let what = "NFS (an NFS mount that lasts the lifetime of a pod)";
    let values: [(&str, &dyn Display); 3] =
        [("Server", &source.server), ("Path", &source.path), ("ReadOnly", &source.read_only)];
    fields(out, what, &values);
}

pub(super) fn quobyte(out: &mut Lines, source: &QuobyteVolumeSource) {
    let what = "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)";
    let values: [(&str, &dyn Display); 3] =
        [("Registry", &source.registry), ("Volume", &source.volume), ("ReadOnly", &source.read_only)];
    fields(out, what, &values);
}

/// Common fields of both iSCSI sources.
macro_rules! iscsi_source {
    ($name:ident, $source:ty, $reference:ident) => {
        pub(super) fn $name(out: &mut Lines, source: &$source) {
            let initiator = source.initiator_name.as_deref().unwrap_or("<none>");
            fields(
                out,
                ISCSI,
                &[("TargetPortal", &source.target_portal), ("IQN", &source.iqn), ("Lun", &source.lun)],
            );
            // Here kubectl forgot the colon.
            out.row(2, &[&"ISCSIInterface", &source.iscsi_interface]);
            out.field(2, "FSType", &source.fs_type);
            out.field(2, "ReadOnly", source.read_only);
            out.field(2, "Portals", list(&source.portals));
            out.field(2, "DiscoveryCHAPAuth", source.chap_auth_discovery);
            out.field(2, "SessionCHAPAuth", source.chap_auth_session);
            out.field(2, "SecretRef", $reference(source.secret_ref.as_deref()));
            out.field(2, "InitiatorName", initiator);
        }
    };
}

iscsi_source!(iscsi, ISCSIVolumeSource, local_reference);
iscsi_source!(persistent_iscsi, ISCSIPersistentVolumeSource, secret_reference);

pub(super) fn glusterfs(out: &mut Lines, source: &GlusterfsVolumeSource) {
    let values: [(&str, &dyn Display); 3] =
        [("EndpointsName", &source.endpoints), ("Path", &source.path), ("ReadOnly", &source.read_only)];
    fields(out, GLUSTERFS, &values);
}

pub(super) fn persistent_glusterfs(out: &mut Lines, source: &GlusterfsPersistentVolumeSource) {
    let namespace = source.endpoints_namespace.as_deref().unwrap_or("<unset>");
    let values: [(&str, &dyn Display); 4] = [
        ("EndpointsName", &source.endpoints),
        ("EndpointsNamespace", &namespace),
        ("Path", &source.path),
        ("ReadOnly", &source.read_only),
    ];
    fields(out, GLUSTERFS, &values);
}

/// Common fields of both RBD sources.
macro_rules! rbd_source {
    ($name:ident, $source:ty, $reference:ident) => {
        pub(super) fn $name(out: &mut Lines, source: &$source) {
            let values: [(&str, &dyn Display); 8] = [
                ("CephMonitors", &list(&source.monitors)),
                ("RBDImage", &source.image),
                ("FSType", &source.fs_type),
                ("RBDPool", &source.pool),
                ("RadosUser", &source.user),
                ("Keyring", &source.keyring),
                ("SecretRef", &$reference(source.secret_ref.as_deref())),
                ("ReadOnly", &source.read_only),
            ];
            fields(out, RBD, &values);
        }
    };
}

rbd_source!(rbd, RBDVolumeSource, local_reference);
rbd_source!(persistent_rbd, RBDPersistentVolumeSource, secret_reference);

/// Common fields of both CephFS sources.
macro_rules! cephfs_source {
    ($name:ident, $source:ty, $reference:ident) => {
        pub(super) fn $name(out: &mut Lines, source: &$source) {
            let values: [(&str, &dyn Display); 6] = [
                ("Monitors", &list(&source.monitors)),
                ("Path", &source.path),
                ("User", &source.user),
                ("SecretFile", &source.secret_file),
                ("SecretRef", &$reference(source.secret_ref.as_deref())),
                ("ReadOnly", &source.read_only),
            ];
            fields(out, CEPHFS, &values);
        }
    };
}

cephfs_source!(cephfs, CephFSVolumeSource, local_reference);
cephfs_source!(persistent_cephfs, CephFSPersistentVolumeSource, secret_reference);

pub(super) fn fibre_channel(out: &mut Lines, source: &FCVolumeSource) {
    let lun = source.lun.map_or_else(|| "<none>".to_owned(), |lun| lun.to_string());
    let values: [(&str, &dyn Display); 4] = [
        ("TargetWWNs", &source.target_ww_ns.join(", ")),
        ("LUN", &lun),
        ("FSType", &source.fs_type),
        ("ReadOnly", &source.read_only),
    ];
    fields(out, "FC (a Fibre Channel disk)", &values);
}
