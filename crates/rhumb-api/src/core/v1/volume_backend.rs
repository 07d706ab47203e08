//! Where a volume's data can lie: network and cloud storage behind a pod's volumes, in `v1`.

use std::collections::BTreeMap;

use rhumb_schema::Schema;

use super::*;

/// An AWS EBS disk. Deprecated: served by the CSI driver ebs.csi.aws.com.
#[derive(Clone, Default, Schema)]
pub struct AWSElasticBlockStoreVolumeSource {
    /// The disk's ID.
    #[field(1, json = "volumeID", required)]
    pub volume_id: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
    /// The partition to mount; 0 for the whole disk.
    #[field(3)]
    pub partition: i32,
    /// Mount it read-only. Defaults to false.
    #[field(4)]
    pub read_only: bool,
}

/// An Azure disk. Deprecated: served by the CSI driver disk.csi.azure.com.
#[derive(Clone, Default, Schema)]
pub struct AzureDiskVolumeSource {
    /// The disk's name.
    #[field(1, required)]
    pub disk_name: String,
    /// The disk's URI in the storage account, or its resource ID if it's a managed disk.
    #[field(2, json = "diskURI", required)]
    pub disk_uri: String,
    /// How the node caches it: None, ReadOnly or ReadWrite (the default).
    #[field(3, default = "ReadWrite", values = AZURE_DATA_DISK_CACHING_MODES)]
    pub caching_mode: Option<String>,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(4, default = "ext4")]
    pub fs_type: Option<String>,
    /// Mount it read-only. Defaults to false.
    #[field(5, default = false)]
    pub read_only: Option<bool>,
    /// Shared (the default) or Dedicated for blobs, by how storage accounts are used; Managed for managed
    /// disks.
    #[field(6, default = "Shared", values = AZURE_DATA_DISK_KINDS)]
    pub kind: Option<String>,
}

/// An Azure file share. Deprecated: served by the CSI driver file.csi.azure.com.
#[derive(Clone, Default, Schema)]
pub struct AzureFileVolumeSource {
    /// The Secret with the storage account's name and key.
    #[field(1, required)]
    pub secret_name: String,
    /// The share's name.
    #[field(2, required)]
    pub share_name: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
}

/// A volume that a CSI driver makes for the pod and removes with it.
#[derive(Clone, Default, Schema)]
pub struct CSIVolumeSource {
    /// The driver, by the name of its CSIDriver object.
    #[field(1, required)]
    pub driver: String,
    /// Mount it read-only. Defaults to false.
    #[field(2)]
    pub read_only: Option<bool>,
    /// The file system. If empty, the driver chooses.
    #[field(3)]
    pub fs_type: Option<String>,
    /// Settings for the driver; it defines which there are.
    #[field(4)]
    pub volume_attributes: BTreeMap<String, String>,
    /// The Secret that the driver gets when it mounts the volume.
    #[field(5)]
    pub node_publish_secret_ref: Option<Box<LocalObjectReference>>,
}

/// A CephFS file system. No longer works: its plugin was removed in 1.31.
#[derive(Clone, Default, Schema)]
pub struct CephFSVolumeSource {
    /// The Ceph monitors' addresses.
    #[field(1, required, list = "atomic")]
    pub monitors: Vec<String>,
    /// The directory to mount. Defaults to /.
    #[field(2)]
    pub path: String,
    /// The Ceph user. Defaults to admin.
    #[field(3)]
    pub user: String,
    /// The file on the node with the user's key. Defaults to /etc/ceph/user.secret.
    #[field(4)]
    pub secret_file: String,
    /// The Secret with the user's key, in place of secretFile.
    #[field(5)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    /// Mount it read-only. Defaults to false.
    #[field(6)]
    pub read_only: bool,
}

/// An OpenStack Cinder disk. Deprecated: served by the CSI driver cinder.csi.openstack.org.
#[derive(Clone, Default, Schema)]
pub struct CinderVolumeSource {
    /// The disk's ID.
    #[field(1, json = "volumeID", required)]
    pub volume_id: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
    /// The Secret with what is needed to connect to OpenStack.
    #[field(4)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
}

/// A Fibre Channel disk. Give targetWWNs with lun, or wwids.
#[derive(Clone, Default, Schema)]
pub struct FCVolumeSource {
    /// The world wide names of the targets.
    #[field(1, json = "targetWWNs", list = "atomic")]
    pub target_ww_ns: Vec<String>,
    /// The logical unit's number at the targets.
    #[field(2)]
    pub lun: Option<i32>,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(3)]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(4)]
    pub read_only: bool,
    /// World wide identifiers of the disk itself.
    #[field(5, list = "atomic")]
    pub wwids: Vec<String>,
}

/// A volume of a driver program installed on the nodes. Deprecated: write a CSI driver instead.
#[derive(Clone, Default, Schema)]
pub struct FlexVolumeSource {
    /// The driver's name.
    #[field(1, required)]
    pub driver: String,
    /// The file system. The default depends on the driver.
    #[field(2)]
    pub fs_type: String,
    /// The Secret whose entries the driver gets.
    #[field(3)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    /// Mount it read-only. Defaults to false.
    #[field(4)]
    pub read_only: bool,
    /// Settings for the driver; it defines which there are.
    #[field(5)]
    pub options: BTreeMap<String, String>,
}

/// A Flocker dataset. No longer works: its plugin was removed in 1.25.
#[derive(Clone, Default, Schema)]
pub struct FlockerVolumeSource {
    /// The dataset's name. Deprecated.
    #[field(1)]
    pub dataset_name: String,
    /// The dataset's UUID.
    #[field(2, json = "datasetUUID")]
    pub dataset_uuid: String,
}

/// A Google Compute Engine disk. Deprecated: served by the CSI driver pd.csi.storage.gke.io.
#[derive(Clone, Default, Schema)]
pub struct GCEPersistentDiskVolumeSource {
    /// The disk's name.
    #[field(1, required)]
    pub pd_name: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
    /// The partition to mount; 0 for the whole disk.
    #[field(3)]
    pub partition: i32,
    /// Mount it read-only, which several pods can do at once. Defaults to false.
    #[field(4)]
    pub read_only: bool,
}

/// A clone of a Git repository. No longer works: disabled for its security holes. Use an init container.
#[derive(Clone, Default, Schema)]
pub struct GitRepoVolumeSource {
    /// The repository's URL.
    #[field(1, required)]
    pub repository: String,
    /// The commit to check out.
    #[field(2)]
    pub revision: String,
    /// The directory in the volume to clone into. Without it, one named after the repository.
    #[field(3)]
    pub directory: String,
}

/// A GlusterFS volume. No longer works: its plugin was removed in 1.26.
#[derive(Clone, Default, Schema)]
pub struct GlusterfsVolumeSource {
    /// The Endpoints object with the servers' addresses.
    #[field(1, required)]
    pub endpoints: String,
    /// The volume's name in GlusterFS.
    #[field(2, required)]
    pub path: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
}

/// An iSCSI disk.
#[derive(Clone, Default, Schema)]
pub struct ISCSIVolumeSource {
    /// The target's address, with a port unless it's 3260.
    #[field(1, required)]
    pub target_portal: String,
    /// The target's name, as in iqn.2020-01.com.example:disk1.
    #[field(2, required)]
    pub iqn: String,
    /// The logical unit's number.
    #[field(3, required)]
    pub lun: i32,
    /// The initiator's interface. Defaults to default, which is TCP.
    #[field(4, default = "default")]
    pub iscsi_interface: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(5)]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(6)]
    pub read_only: bool,
    /// Further addresses of the target, for several paths to it.
    #[field(7, list = "atomic")]
    pub portals: Vec<String>,
    /// Authenticate by CHAP when looking for targets.
    #[field(8)]
    pub chap_auth_discovery: bool,
    /// Authenticate by CHAP when logging in.
    #[field(11)]
    pub chap_auth_session: bool,
    /// The Secret with the CHAP user and password.
    #[field(10)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    /// The name to log in with. Defaults to the node's.
    #[field(12)]
    pub initiator_name: Option<String>,
}

/// A directory of an NFS server.
#[derive(Clone, Default, Schema)]
pub struct NFSVolumeSource {
    /// The server's host name or address.
    #[field(1, required)]
    pub server: String,
    /// The exported directory.
    #[field(2, required)]
    pub path: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
}

/// A Photon Controller disk. No longer works: its plugin is gone.
#[derive(Clone, Default, Schema)]
pub struct PhotonPersistentDiskVolumeSource {
    /// The disk's ID.
    #[field(1, json = "pdID", required)]
    pub pd_id: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
}

/// A Portworx volume. Deprecated: served by the CSI driver pxd.portworx.com.
#[derive(Clone, Default, Schema)]
pub struct PortworxVolumeSource {
    /// The volume's ID.
    #[field(1, json = "volumeID", required)]
    pub volume_id: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
}

/// A Quobyte volume. No longer works: its plugin was removed in 1.25.
#[derive(Clone, Default, Schema)]
pub struct QuobyteVolumeSource {
    /// The registry's addresses, as host:port pairs separated by commas.
    #[field(1, required)]
    pub registry: String,
    /// The volume's name.
    #[field(2, required)]
    pub volume: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
    /// The user to access it as. Defaults to the service account's.
    #[field(4)]
    pub user: String,
    /// The group to access it as. Defaults to none.
    #[field(5)]
    pub group: String,
    /// The tenant that the volume belongs to.
    #[field(6)]
    pub tenant: String,
}

/// A Ceph block device. No longer works: its plugin was removed in 1.31.
#[derive(Clone, Default, Schema)]
pub struct RBDVolumeSource {
    /// The Ceph monitors' addresses.
    #[field(1, required, list = "atomic")]
    pub monitors: Vec<String>,
    /// The image's name.
    #[field(2, required)]
    pub image: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(3)]
    pub fs_type: String,
    /// The pool that has the image. Defaults to rbd.
    #[field(4, default = "rbd")]
    pub pool: String,
    /// The Ceph user. Defaults to admin.
    #[field(5, default = "admin")]
    pub user: String,
    /// The file on the node with the user's key. Defaults to /etc/ceph/keyring.
    #[field(6, default = "/etc/ceph/keyring")]
    pub keyring: String,
    /// The Secret with the user's key, in place of keyring.
    #[field(7)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    /// Mount it read-only. Defaults to false.
    #[field(8)]
    pub read_only: bool,
}

/// A ScaleIO volume. No longer works: its plugin is gone.
#[derive(Clone, Default, Schema)]
pub struct ScaleIOVolumeSource {
    /// The address of the API gateway.
    #[field(1, required)]
    pub gateway: String,
    /// The storage system, as configured in ScaleIO.
    #[field(2, required)]
    pub system: String,
    /// The Secret to log in with.
    #[field(3, required)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    /// Whether to speak TLS with the gateway. Defaults to false.
    #[field(4)]
    pub ssl_enabled: bool,
    /// The protection domain.
    #[field(5)]
    pub protection_domain: String,
    /// The storage pool in that domain.
    #[field(6)]
    pub storage_pool: String,
    /// ThickProvisioned or ThinProvisioned (the default).
    #[field(7, default = "ThinProvisioned")]
    pub storage_mode: String,
    /// The volume's name.
    #[field(8)]
    pub volume_name: String,
    /// The file system, such as ext4 or xfs. Defaults to xfs.
    #[field(9, default = "xfs")]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(10)]
    pub read_only: bool,
}

/// A StorageOS volume. No longer works: its plugin was removed in 1.25.
#[derive(Clone, Default, Schema)]
pub struct StorageOSVolumeSource {
    /// The volume's name, unique in its StorageOS namespace.
    #[field(1)]
    pub volume_name: String,
    /// The StorageOS namespace. Defaults to the pod's namespace.
    #[field(2)]
    pub volume_namespace: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(3)]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(4)]
    pub read_only: bool,
    /// The Secret to log in to StorageOS with.
    #[field(5)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
}

/// A vSphere disk. Deprecated: served by the CSI driver csi.vsphere.vmware.com.
#[derive(Clone, Default, Schema)]
pub struct VsphereVirtualDiskVolumeSource {
    /// The disk's path in its datastore.
    #[field(1, required)]
    pub volume_path: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
    /// The name of the storage policy.
    #[field(3)]
    pub storage_policy_name: String,
    /// The ID of the storage policy.
    #[field(4, json = "storagePolicyID")]
    pub storage_policy_id: String,
}
