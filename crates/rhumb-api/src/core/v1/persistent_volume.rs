//! PersistentVolumes: storage of the cluster that claims are given.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;

use super::*;

/// A disk or directory of one node. Needs a node affinity.
#[derive(Clone, Default, Schema)]
pub struct LocalVolumeSource {
    /// Where it is: a directory, or a block device.
    #[field(1, required)]
    pub path: String,
    /// The file system to make on a block device that has none. Chosen by the system if unset.
    #[field(2)]
    pub fs_type: Option<String>,
}

/// A piece of storage in the cluster. It has its own life, and pods use it through a claim.
#[derive(Clone, Default, Schema, Object)]
pub struct PersistentVolume {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What and where it is, and what becomes of it.
    #[field(2)]
    pub spec: PersistentVolumeSpec,
    /// Whether it's in use.
    #[field(3)]
    pub status: PersistentVolumeStatus,
}

/// A list of PersistentVolume objects.
#[derive(Clone, Default, Schema, Object)]
pub struct PersistentVolumeList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<PersistentVolume>,
}

/// Where a volume's bytes are. Exactly one is set.
#[derive(Clone, Default, Schema)]
pub struct PersistentVolumeSource {
    /// A disk of Google Compute Engine. Deprecated: use its CSI driver.
    #[field(1)]
    pub gce_persistent_disk: Option<Box<GCEPersistentDiskVolumeSource>>,
    /// A disk of AWS EBS. Deprecated: use its CSI driver.
    #[field(2)]
    pub aws_elastic_block_store: Option<Box<AWSElasticBlockStoreVolumeSource>>,
    /// A directory of the node, for tests on a single node.
    #[field(3)]
    pub host_path: Option<Box<HostPathVolumeSource>>,
    /// A Glusterfs volume. No longer supported.
    #[field(4)]
    pub glusterfs: Option<Box<GlusterfsPersistentVolumeSource>>,
    /// A directory of an NFS server.
    #[field(5)]
    pub nfs: Option<Box<NFSVolumeSource>>,
    /// A Ceph RBD image. No longer supported.
    #[field(6)]
    pub rbd: Option<Box<RBDPersistentVolumeSource>>,
    /// An iSCSI disk.
    #[field(7)]
    pub iscsi: Option<Box<ISCSIPersistentVolumeSource>>,
    /// An OpenStack Cinder volume. Deprecated: use its CSI driver.
    #[field(8)]
    pub cinder: Option<Box<CinderPersistentVolumeSource>>,
    /// A CephFS directory. No longer supported.
    #[field(9)]
    pub cephfs: Option<Box<CephFSPersistentVolumeSource>>,
    /// A Fibre Channel disk.
    #[field(10)]
    pub fc: Option<Box<FCVolumeSource>>,
    /// A Flocker dataset. No longer supported.
    #[field(11)]
    pub flocker: Option<Box<FlockerVolumeSource>>,
    /// A volume of a driver that is a program on the node. Deprecated: use a CSI driver.
    #[field(12)]
    pub flex_volume: Option<Box<FlexPersistentVolumeSource>>,
    /// An Azure file share. Deprecated: use its CSI driver.
    #[field(13)]
    pub azure_file: Option<Box<AzureFilePersistentVolumeSource>>,
    /// A vSphere disk. Deprecated: use its CSI driver.
    #[field(14)]
    pub vsphere_volume: Option<Box<VsphereVirtualDiskVolumeSource>>,
    /// A Quobyte volume. No longer supported.
    #[field(15)]
    pub quobyte: Option<Box<QuobyteVolumeSource>>,
    /// An Azure disk. Deprecated: use its CSI driver.
    #[field(16)]
    pub azure_disk: Option<Box<AzureDiskVolumeSource>>,
    /// A PhotonController disk. No longer supported.
    #[field(17)]
    pub photon_persistent_disk: Option<Box<PhotonPersistentDiskVolumeSource>>,
    /// A Portworx volume. Deprecated: use its CSI driver.
    #[field(18)]
    pub portworx_volume: Option<Box<PortworxVolumeSource>>,
    /// A ScaleIO volume. No longer supported.
    #[field(19, json = "scaleIO")]
    pub scale_io: Option<Box<ScaleIOPersistentVolumeSource>>,
    /// A disk or directory of one node.
    #[field(20)]
    pub local: Option<Box<LocalVolumeSource>>,
    /// A StorageOS volume. No longer supported.
    #[field(21)]
    pub storageos: Option<Box<StorageOSPersistentVolumeSource>>,
    /// A volume of a CSI driver.
    #[field(22)]
    pub csi: Option<Box<CSIPersistentVolumeSource>>,
}

/// What and where a volume is, and what becomes of it. Where it is can't change.
#[derive(Clone, Default, Schema)]
pub struct PersistentVolumeSpec {
    /// How large it is, as the quantity storage.
    #[field(1)]
    pub capacity: BTreeMap<String, Quantity>,
    /// Where its bytes are.
    #[field(2, inline)]
    pub persistent_volume_source: PersistentVolumeSource,
    /// Who can use it at once: ReadWriteOnce (one node), ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.
    #[field(3, list = "atomic", values = PERSISTENT_VOLUME_ACCESS_MODES)]
    pub access_modes: Vec<String>,
    /// The claim that it's bound to. Set it to keep the volume for one.
    #[field(4)]
    pub claim_ref: Option<Box<ObjectReference>>,
    /// What happens when its claim is gone: Retain keeps it (the default for volumes made by hand), Delete
    /// deletes it, and Recycle, deprecated, empties it.
    #[field(5, values = PERSISTENT_VOLUME_RECLAIM_POLICYS)]
    pub persistent_volume_reclaim_policy: String,
    /// The StorageClass that it's of. Empty for none.
    #[field(6)]
    pub storage_class_name: String,
    /// Options for mounting it, such as ro or nfsvers=4.1. Nobody checks them before.
    #[field(7, list = "atomic")]
    pub mount_options: Vec<String>,
    /// Filesystem (the default), or Block for a raw device.
    #[field(8, values = PERSISTENT_VOLUME_MODES)]
    pub volume_mode: Option<String>,
    /// The nodes that can reach it.
    #[field(9)]
    pub node_affinity: Option<Box<VolumeNodeAffinity>>,
    /// The VolumeAttributesClass in force, for drivers that can change settings later.
    #[field(10)]
    pub volume_attributes_class_name: Option<String>,
}

/// Whether a volume is in use.
#[derive(Clone, Default, Schema)]
pub struct PersistentVolumeStatus {
    /// Pending, Available, Bound, Released when its claim is gone, or Failed if reclaiming it failed.
    #[field(1, values = PERSISTENT_VOLUME_PHASES)]
    pub phase: String,
    /// Why it's in this phase, for people.
    #[field(2)]
    pub message: String,
    /// One CamelCase word for why it failed.
    #[field(3)]
    pub reason: String,
    /// When the phase last changed.
    #[field(4)]
    pub last_phase_transition_time: Option<Time>,
}

/// A secret in any namespace.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct SecretReference {
    /// Its name.
    #[field(1)]
    pub name: String,
    /// Its namespace.
    #[field(2)]
    pub namespace: String,
}

/// Which nodes can reach a volume.
#[derive(Clone, Default, Schema)]
pub struct VolumeNodeAffinity {
    /// What a node must fulfil.
    #[field(1)]
    pub required: Option<Box<NodeSelector>>,
}
