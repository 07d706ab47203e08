//! Persistent_Volumes in `v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;

use super::*;

#[derive(Clone, Default, Schema)]
pub struct AzureFilePersistentVolumeSource {
    #[field(1, required)]
    pub secret_name: String,
    #[field(2, required)]
    pub share_name: String,
    #[field(3)]
    pub read_only: bool,
    #[field(4, shown)]
    pub secret_namespace: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct CSIPersistentVolumeSource {
    #[field(1, required)]
    pub driver: String,
    #[field(2, required)]
    pub volume_handle: String,
    #[field(3)]
    pub read_only: bool,
    #[field(4)]
    pub fs_type: String,
    #[field(5)]
    pub volume_attributes: BTreeMap<String, String>,
    #[field(6)]
    pub controller_publish_secret_ref: Option<Box<SecretReference>>,
    #[field(7)]
    pub node_stage_secret_ref: Option<Box<SecretReference>>,
    #[field(8)]
    pub node_publish_secret_ref: Option<Box<SecretReference>>,
    #[field(9)]
    pub controller_expand_secret_ref: Option<Box<SecretReference>>,
    #[field(10)]
    pub node_expand_secret_ref: Option<Box<SecretReference>>,
}

#[derive(Clone, Default, Schema)]
pub struct CephFSPersistentVolumeSource {
    #[field(1, required, list = "atomic")]
    pub monitors: Vec<String>,
    #[field(2)]
    pub path: String,
    #[field(3)]
    pub user: String,
    #[field(4)]
    pub secret_file: String,
    #[field(5)]
    pub secret_ref: Option<Box<SecretReference>>,
    #[field(6)]
    pub read_only: bool,
}

#[derive(Clone, Default, Schema)]
pub struct CinderPersistentVolumeSource {
    #[field(1, json = "volumeID", required)]
    pub volume_id: String,
    #[field(2)]
    pub fs_type: String,
    #[field(3)]
    pub read_only: bool,
    #[field(4)]
    pub secret_ref: Option<Box<SecretReference>>,
}

#[derive(Clone, Default, Schema)]
pub struct FlexPersistentVolumeSource {
    #[field(1, required)]
    pub driver: String,
    #[field(2)]
    pub fs_type: String,
    #[field(3)]
    pub secret_ref: Option<Box<SecretReference>>,
    #[field(4)]
    pub read_only: bool,
    #[field(5)]
    pub options: BTreeMap<String, String>,
}

#[derive(Clone, Default, Schema)]
pub struct GlusterfsPersistentVolumeSource {
    #[field(1, required)]
    pub endpoints: String,
    #[field(2, required)]
    pub path: String,
    #[field(3)]
    pub read_only: bool,
    #[field(4)]
    pub endpoints_namespace: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct ISCSIPersistentVolumeSource {
    #[field(1, required)]
    pub target_portal: String,
    #[field(2, required)]
    pub iqn: String,
    #[field(3, required)]
    pub lun: i32,
    #[field(4, default = "default")]
    pub iscsi_interface: String,
    #[field(5)]
    pub fs_type: String,
    #[field(6)]
    pub read_only: bool,
    #[field(7, list = "atomic")]
    pub portals: Vec<String>,
    #[field(8)]
    pub chap_auth_discovery: bool,
    #[field(11)]
    pub chap_auth_session: bool,
    #[field(10)]
    pub secret_ref: Option<Box<SecretReference>>,
    #[field(12)]
    pub initiator_name: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct LocalVolumeSource {
    #[field(1, required)]
    pub path: String,
    #[field(2)]
    pub fs_type: Option<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PersistentVolume {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PersistentVolumeSpec,
    #[field(3)]
    pub status: PersistentVolumeStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PersistentVolumeList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PersistentVolume>,
}

#[derive(Clone, Default, Schema)]
pub struct PersistentVolumeSource {
    #[field(1)]
    pub gce_persistent_disk: Option<Box<GCEPersistentDiskVolumeSource>>,
    #[field(2)]
    pub aws_elastic_block_store: Option<Box<AWSElasticBlockStoreVolumeSource>>,
    #[field(3)]
    pub host_path: Option<Box<HostPathVolumeSource>>,
    #[field(4)]
    pub glusterfs: Option<Box<GlusterfsPersistentVolumeSource>>,
    #[field(5)]
    pub nfs: Option<Box<NFSVolumeSource>>,
    #[field(6)]
    pub rbd: Option<Box<RBDPersistentVolumeSource>>,
    #[field(7)]
    pub iscsi: Option<Box<ISCSIPersistentVolumeSource>>,
    #[field(8)]
    pub cinder: Option<Box<CinderPersistentVolumeSource>>,
    #[field(9)]
    pub cephfs: Option<Box<CephFSPersistentVolumeSource>>,
    #[field(10)]
    pub fc: Option<Box<FCVolumeSource>>,
    #[field(11)]
    pub flocker: Option<Box<FlockerVolumeSource>>,
    #[field(12)]
    pub flex_volume: Option<Box<FlexPersistentVolumeSource>>,
    #[field(13)]
    pub azure_file: Option<Box<AzureFilePersistentVolumeSource>>,
    #[field(14)]
    pub vsphere_volume: Option<Box<VsphereVirtualDiskVolumeSource>>,
    #[field(15)]
    pub quobyte: Option<Box<QuobyteVolumeSource>>,
    #[field(16)]
    pub azure_disk: Option<Box<AzureDiskVolumeSource>>,
    #[field(17)]
    pub photon_persistent_disk: Option<Box<PhotonPersistentDiskVolumeSource>>,
    #[field(18)]
    pub portworx_volume: Option<Box<PortworxVolumeSource>>,
    #[field(19, json = "scaleIO")]
    pub scale_io: Option<Box<ScaleIOPersistentVolumeSource>>,
    #[field(20)]
    pub local: Option<Box<LocalVolumeSource>>,
    #[field(21)]
    pub storageos: Option<Box<StorageOSPersistentVolumeSource>>,
    #[field(22)]
    pub csi: Option<Box<CSIPersistentVolumeSource>>,
}

#[derive(Clone, Default, Schema)]
pub struct PersistentVolumeSpec {
    #[field(1)]
    pub capacity: BTreeMap<String, Quantity>,
    #[field(2, inline)]
    pub persistent_volume_source: PersistentVolumeSource,
    #[field(3, list = "atomic", values = PERSISTENT_VOLUME_ACCESS_MODES)]
    pub access_modes: Vec<String>,
    #[field(4)]
    pub claim_ref: Option<Box<ObjectReference>>,
    #[field(5, values = PERSISTENT_VOLUME_RECLAIM_POLICYS)]
    pub persistent_volume_reclaim_policy: String,
    #[field(6)]
    pub storage_class_name: String,
    #[field(7, list = "atomic")]
    pub mount_options: Vec<String>,
    #[field(8, values = PERSISTENT_VOLUME_MODES)]
    pub volume_mode: Option<String>,
    #[field(9)]
    pub node_affinity: Option<Box<VolumeNodeAffinity>>,
    #[field(10)]
    pub volume_attributes_class_name: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct PersistentVolumeStatus {
    #[field(1, values = PERSISTENT_VOLUME_PHASES)]
    pub phase: String,
    #[field(2)]
    pub message: String,
    #[field(3)]
    pub reason: String,
    #[field(4)]
    pub last_phase_transition_time: Option<Time>,
}

#[derive(Clone, Default, Schema)]
pub struct RBDPersistentVolumeSource {
    #[field(1, required, list = "atomic")]
    pub monitors: Vec<String>,
    #[field(2, required)]
    pub image: String,
    #[field(3)]
    pub fs_type: String,
    #[field(4, default = "rbd")]
    pub pool: String,
    #[field(5, default = "admin")]
    pub user: String,
    #[field(6, default = "/etc/ceph/keyring")]
    pub keyring: String,
    #[field(7)]
    pub secret_ref: Option<Box<SecretReference>>,
    #[field(8)]
    pub read_only: bool,
}

#[derive(Clone, Default, Schema)]
pub struct ScaleIOPersistentVolumeSource {
    #[field(1, required)]
    pub gateway: String,
    #[field(2, required)]
    pub system: String,
    #[field(3, required)]
    pub secret_ref: Option<Box<SecretReference>>,
    #[field(4)]
    pub ssl_enabled: bool,
    #[field(5)]
    pub protection_domain: String,
    #[field(6)]
    pub storage_pool: String,
    #[field(7, default = "ThinProvisioned")]
    pub storage_mode: String,
    #[field(8)]
    pub volume_name: String,
    #[field(9, default = "xfs")]
    pub fs_type: String,
    #[field(10)]
    pub read_only: bool,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct SecretReference {
    #[field(1)]
    pub name: String,
    #[field(2)]
    pub namespace: String,
}

#[derive(Clone, Default, Schema)]
pub struct StorageOSPersistentVolumeSource {
    #[field(1)]
    pub volume_name: String,
    #[field(2)]
    pub volume_namespace: String,
    #[field(3)]
    pub fs_type: String,
    #[field(4)]
    pub read_only: bool,
    #[field(5)]
    pub secret_ref: Option<Box<ObjectReference>>,
}

#[derive(Clone, Default, Schema)]
pub struct VolumeNodeAffinity {
    #[field(1)]
    pub required: Option<Box<NodeSelector>>,
}
