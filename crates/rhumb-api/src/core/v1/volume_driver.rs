//! Where the bytes of a PersistentVolume are, for the sources that pods' own volumes say differently.

use std::collections::BTreeMap;

use rhumb_schema::Schema;

use super::*;

/// An Azure file share.
#[derive(Clone, Default, Schema)]
pub struct AzureFilePersistentVolumeSource {
    /// The secret with the storage account's name and key.
    #[field(1, required)]
    pub secret_name: String,
    /// The share's name.
    #[field(2, required)]
    pub share_name: String,
    /// Whether it's mounted read-only.
    #[field(3)]
    pub read_only: bool,
    /// The secret's namespace. Defaults to that of the pod.
    #[field(4, shown)]
    pub secret_namespace: Option<String>,
}

/// A volume of a CSI driver.
#[derive(Clone, Default, Schema)]
pub struct CSIPersistentVolumeSource {
    /// The driver's name.
    #[field(1, required)]
    pub driver: String,
    /// What the driver calls the volume. Can't change.
    #[field(2, required)]
    pub volume_handle: String,
    /// Whether it's published read-only.
    #[field(3)]
    pub read_only: bool,
    /// The file system to mount, such as ext4.
    #[field(4)]
    pub fs_type: String,
    /// Settings of the volume for the driver.
    #[field(5)]
    pub volume_attributes: BTreeMap<String, String>,
    /// A secret for attaching and detaching it.
    #[field(6)]
    pub controller_publish_secret_ref: Option<Box<SecretReference>>,
    /// A secret for staging it on a node.
    #[field(7)]
    pub node_stage_secret_ref: Option<Box<SecretReference>>,
    /// A secret for mounting it into a pod.
    #[field(8)]
    pub node_publish_secret_ref: Option<Box<SecretReference>>,
    /// A secret for growing it.
    #[field(9)]
    pub controller_expand_secret_ref: Option<Box<SecretReference>>,
    /// A secret for growing it on a node.
    #[field(10)]
    pub node_expand_secret_ref: Option<Box<SecretReference>>,
}

/// A CephFS directory. No longer supported.
#[derive(Clone, Default, Schema)]
pub struct CephFSPersistentVolumeSource {
    /// The monitors to ask.
    #[field(1, required, list = "atomic")]
    pub monitors: Vec<String>,
    /// The directory. Defaults to /.
    #[field(2)]
    pub path: String,
    /// The user. Defaults to admin.
    #[field(3)]
    pub user: String,
    /// A file on the node with the user's key.
    #[field(4)]
    pub secret_file: String,
    /// A secret with the user's key, instead of secretFile.
    #[field(5)]
    pub secret_ref: Option<Box<SecretReference>>,
    /// Whether it's mounted read-only.
    #[field(6)]
    pub read_only: bool,
}

/// An OpenStack Cinder volume.
#[derive(Clone, Default, Schema)]
pub struct CinderPersistentVolumeSource {
    /// What Cinder calls it.
    #[field(1, json = "volumeID", required)]
    pub volume_id: String,
    /// The file system to mount. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
    /// Whether it's mounted read-only.
    #[field(3)]
    pub read_only: bool,
    /// A secret with OpenStack's credentials.
    #[field(4)]
    pub secret_ref: Option<Box<SecretReference>>,
}

/// A volume of a driver that is a program on the node.
#[derive(Clone, Default, Schema)]
pub struct FlexPersistentVolumeSource {
    /// The driver's name.
    #[field(1, required)]
    pub driver: String,
    /// The file system to mount. The driver has its own default.
    #[field(2)]
    pub fs_type: String,
    /// A secret for the driver.
    #[field(3)]
    pub secret_ref: Option<Box<SecretReference>>,
    /// Whether it's mounted read-only.
    #[field(4)]
    pub read_only: bool,
    /// More settings for the driver.
    #[field(5)]
    pub options: BTreeMap<String, String>,
}

/// A Glusterfs volume. No longer supported.
#[derive(Clone, Default, Schema)]
pub struct GlusterfsPersistentVolumeSource {
    /// The Endpoints with the servers' addresses.
    #[field(1, required)]
    pub endpoints: String,
    /// The volume's path.
    #[field(2, required)]
    pub path: String,
    /// Whether it's mounted read-only.
    #[field(3)]
    pub read_only: bool,
    /// The namespace of the Endpoints. Defaults to that of the claim.
    #[field(4)]
    pub endpoints_namespace: Option<String>,
}

/// An iSCSI disk.
#[derive(Clone, Default, Schema)]
pub struct ISCSIPersistentVolumeSource {
    /// The portal's address, with a port unless it's 860 or 3260.
    #[field(1, required)]
    pub target_portal: String,
    /// The target's name.
    #[field(2, required)]
    pub iqn: String,
    /// The disk's number.
    #[field(3, required)]
    pub lun: i32,
    /// The interface to use. Defaults to default, which is TCP.
    #[field(4, default = "default")]
    pub iscsi_interface: String,
    /// The file system to mount, such as ext4.
    #[field(5)]
    pub fs_type: String,
    /// Whether it's mounted read-only.
    #[field(6)]
    pub read_only: bool,
    /// More portals.
    #[field(7, list = "atomic")]
    pub portals: Vec<String>,
    /// Whether CHAP is used for discovery.
    #[field(8)]
    pub chap_auth_discovery: bool,
    /// Whether CHAP is used for the session.
    #[field(11)]
    pub chap_auth_session: bool,
    /// The secret for CHAP.
    #[field(10)]
    pub secret_ref: Option<Box<SecretReference>>,
    /// The name of this side. Makes a new interface.
    #[field(12)]
    pub initiator_name: Option<String>,
}

/// A Ceph RBD image. No longer supported.
#[derive(Clone, Default, Schema)]
pub struct RBDPersistentVolumeSource {
    /// The monitors to ask.
    #[field(1, required, list = "atomic")]
    pub monitors: Vec<String>,
    /// The image's name.
    #[field(2, required)]
    pub image: String,
    /// The file system to mount, such as ext4.
    #[field(3)]
    pub fs_type: String,
    /// The pool. Defaults to rbd.
    #[field(4, default = "rbd")]
    pub pool: String,
    /// The user. Defaults to admin.
    #[field(5, default = "admin")]
    pub user: String,
    /// The file with the user's key. Defaults to /etc/ceph/keyring.
    #[field(6, default = "/etc/ceph/keyring")]
    pub keyring: String,
    /// A secret with the user's key, instead of keyring.
    #[field(7)]
    pub secret_ref: Option<Box<SecretReference>>,
    /// Whether it's mounted read-only.
    #[field(8)]
    pub read_only: bool,
}

/// A ScaleIO volume. No longer supported.
#[derive(Clone, Default, Schema)]
pub struct ScaleIOPersistentVolumeSource {
    /// The gateway's address.
    #[field(1, required)]
    pub gateway: String,
    /// The name of the storage system.
    #[field(2, required)]
    pub system: String,
    /// The secret with the credentials.
    #[field(3, required)]
    pub secret_ref: Option<Box<SecretReference>>,
    /// Whether the gateway is spoken to by TLS.
    #[field(4)]
    pub ssl_enabled: bool,
    /// The protection domain.
    #[field(5)]
    pub protection_domain: String,
    /// The pool.
    #[field(6)]
    pub storage_pool: String,
    /// ThickProvisioned or ThinProvisioned, the default.
    #[field(7, default = "ThinProvisioned")]
    pub storage_mode: String,
    /// The volume's name in the storage system.
    #[field(8)]
    pub volume_name: String,
    /// The file system to mount. Defaults to xfs.
    #[field(9, default = "xfs")]
    pub fs_type: String,
    /// Whether it's mounted read-only.
    #[field(10)]
    pub read_only: bool,
}

/// A StorageOS volume. No longer supported.
#[derive(Clone, Default, Schema)]
pub struct StorageOSPersistentVolumeSource {
    /// The volume's name.
    #[field(1)]
    pub volume_name: String,
    /// Its namespace in StorageOS. Defaults to that of the pod.
    #[field(2)]
    pub volume_namespace: String,
    /// The file system to mount. Defaults to ext4.
    #[field(3)]
    pub fs_type: String,
    /// Whether it's mounted read-only.
    #[field(4)]
    pub read_only: bool,
    /// The secret with the credentials.
    #[field(5)]
    pub secret_ref: Option<Box<ObjectReference>>,
}
