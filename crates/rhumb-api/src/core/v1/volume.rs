//! Volumes in `v1`.

use rhumb_meta::Object;
use rhumb_meta::Quantity;
use rhumb_meta::Time;
use rhumb_meta::v1::LabelSelector;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;
use std::collections::BTreeMap;
use super::*;


#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct AWSElasticBlockStoreVolumeSource {
    #[field(1, json = "volumeID", required)]
    pub volume_id: String,
    #[field(2)]
    pub fs_type: String,
    #[field(3)]
    pub partition: i32,
    #[field(4)]
    pub read_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct AzureDiskVolumeSource {
    #[field(1, required)]
    pub disk_name: String,
    #[field(2, json = "diskURI", required)]
    pub disk_uri: String,
    #[field(3, default = "ref(AzureDataDiskCachingReadWrite)", values = AZURE_DATA_DISK_CACHING_MODES)]
    pub caching_mode: Option<String>,
    #[field(4, default = "ext4")]
    pub fs_type: Option<String>,
    #[field(5, default = false)]
    pub read_only: Option<bool>,
    #[field(6, default = "ref(AzureSharedBlobDisk)", values = AZURE_DATA_DISK_KINDS)]
    pub kind: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct AzureFileVolumeSource {
    #[field(1, required)]
    pub secret_name: String,
    #[field(2, required)]
    pub share_name: String,
    #[field(3)]
    pub read_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct CSIVolumeSource {
    #[field(1, required)]
    pub driver: String,
    #[field(2)]
    pub read_only: Option<bool>,
    #[field(3)]
    pub fs_type: Option<String>,
    #[field(4)]
    pub volume_attributes: BTreeMap<String, String>,
    #[field(5)]
    pub node_publish_secret_ref: Option<Box<LocalObjectReference>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct CephFSVolumeSource {
    #[field(1, required, list = "atomic")]
    pub monitors: Vec<String>,
    #[field(2)]
    pub path: String,
    #[field(3)]
    pub user: String,
    #[field(4)]
    pub secret_file: String,
    #[field(5)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    #[field(6)]
    pub read_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct CinderVolumeSource {
    #[field(1, json = "volumeID", required)]
    pub volume_id: String,
    #[field(2)]
    pub fs_type: String,
    #[field(3)]
    pub read_only: bool,
    #[field(4)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ClusterTrustBundleProjection {
    #[field(1)]
    pub name: Option<String>,
    #[field(2)]
    pub signer_name: Option<String>,
    #[field(3)]
    pub label_selector: Option<Box<LabelSelector>>,
    #[field(5)]
    pub optional: Option<bool>,
    #[field(4, required)]
    pub path: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ConfigMapProjection {
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    #[field(2, list = "atomic")]
    pub items: Vec<KeyToPath>,
    #[field(4)]
    pub optional: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ConfigMapVolumeSource {
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    #[field(2, list = "atomic")]
    pub items: Vec<KeyToPath>,
    #[field(3)]
    pub default_mode: Option<i32>,
    #[field(4)]
    pub optional: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct DownwardAPIProjection {
    #[field(1, list = "atomic")]
    pub items: Vec<DownwardAPIVolumeFile>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct DownwardAPIVolumeFile {
    #[field(1, required)]
    pub path: String,
    #[field(2)]
    pub field_ref: Option<Box<ObjectFieldSelector>>,
    #[field(3)]
    pub resource_field_ref: Option<Box<ResourceFieldSelector>>,
    #[field(4)]
    pub mode: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct DownwardAPIVolumeSource {
    #[field(1, list = "atomic")]
    pub items: Vec<DownwardAPIVolumeFile>,
    #[field(2)]
    pub default_mode: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct EmptyDirVolumeSource {
    #[field(1)]
    pub medium: String,
    #[field(2)]
    pub size_limit: Option<Quantity>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct EphemeralVolumeSource {
    #[field(1)]
    pub volume_claim_template: Option<Box<PersistentVolumeClaimTemplate>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct FCVolumeSource {
    #[field(1, json = "targetWWNs", list = "atomic")]
    pub target_ww_ns: Vec<String>,
    #[field(2)]
    pub lun: Option<i32>,
    #[field(3)]
    pub fs_type: String,
    #[field(4)]
    pub read_only: bool,
    #[field(5, list = "atomic")]
    pub wwids: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct FlexVolumeSource {
    #[field(1, required)]
    pub driver: String,
    #[field(2)]
    pub fs_type: String,
    #[field(3)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    #[field(4)]
    pub read_only: bool,
    #[field(5)]
    pub options: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct FlockerVolumeSource {
    #[field(1)]
    pub dataset_name: String,
    #[field(2, json = "datasetUUID")]
    pub dataset_uuid: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct GCEPersistentDiskVolumeSource {
    #[field(1, required)]
    pub pd_name: String,
    #[field(2)]
    pub fs_type: String,
    #[field(3)]
    pub partition: i32,
    #[field(4)]
    pub read_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct GitRepoVolumeSource {
    #[field(1, required)]
    pub repository: String,
    #[field(2)]
    pub revision: String,
    #[field(3)]
    pub directory: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct GlusterfsVolumeSource {
    #[field(1, required)]
    pub endpoints: String,
    #[field(2, required)]
    pub path: String,
    #[field(3)]
    pub read_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct HostPathVolumeSource {
    #[field(1, required)]
    pub path: String,
    #[field(2, values = HOST_PATH_TYPES)]
    pub type_: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ISCSIVolumeSource {
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
    pub secret_ref: Option<Box<LocalObjectReference>>,
    #[field(12)]
    pub initiator_name: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ImageVolumeSource {
    #[field(1)]
    pub reference: String,
    #[field(2, values = PULL_POLICYS)]
    pub pull_policy: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ImageVolumeStatus {
    #[field(1, required_omitempty)]
    pub image_ref: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct KeyToPath {
    #[field(1, required)]
    pub key: String,
    #[field(2, required)]
    pub path: String,
    #[field(3)]
    pub mode: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ModifyVolumeStatus {
    #[field(1)]
    pub target_volume_attributes_class_name: String,
    #[field(2, required, values = PERSISTENT_VOLUME_CLAIM_MODIFY_VOLUME_STATUS)]
    pub status: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct NFSVolumeSource {
    #[field(1, required)]
    pub server: String,
    #[field(2, required)]
    pub path: String,
    #[field(3)]
    pub read_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct PersistentVolumeClaim {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PersistentVolumeClaimSpec,
    #[field(3)]
    pub status: PersistentVolumeClaimStatus,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PersistentVolumeClaimCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(3)]
    pub last_probe_time: Time,
    #[field(4)]
    pub last_transition_time: Time,
    #[field(5)]
    pub reason: String,
    #[field(6)]
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct PersistentVolumeClaimList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PersistentVolumeClaim>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PersistentVolumeClaimSpec {
    #[field(1, list = "atomic", values = PERSISTENT_VOLUME_ACCESS_MODES)]
    pub access_modes: Vec<String>,
    #[field(4)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(2)]
    pub resources: VolumeResourceRequirements,
    #[field(3)]
    pub volume_name: String,
    #[field(5)]
    pub storage_class_name: Option<String>,
    #[field(6, values = PERSISTENT_VOLUME_MODES)]
    pub volume_mode: Option<String>,
    #[field(7)]
    pub data_source: Option<Box<TypedLocalObjectReference>>,
    #[field(8)]
    pub data_source_ref: Option<Box<TypedObjectReference>>,
    #[field(9)]
    pub volume_attributes_class_name: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PersistentVolumeClaimStatus {
    #[field(1, values = PERSISTENT_VOLUME_CLAIM_PHASES)]
    pub phase: String,
    #[field(2, list = "atomic", values = PERSISTENT_VOLUME_ACCESS_MODES)]
    pub access_modes: Vec<String>,
    #[field(3)]
    pub capacity: BTreeMap<String, Quantity>,
    #[field(4, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<PersistentVolumeClaimCondition>,
    #[field(5)]
    pub allocated_resources: BTreeMap<String, Quantity>,
    #[field(7)]
    pub allocated_resource_statuses: BTreeMap<String, String>,
    #[field(8)]
    pub current_volume_attributes_class_name: Option<String>,
    #[field(9)]
    pub modify_volume_status: Option<Box<ModifyVolumeStatus>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PersistentVolumeClaimTemplate {
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: PersistentVolumeClaimSpec,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PersistentVolumeClaimVolumeSource {
    #[field(1, required)]
    pub claim_name: String,
    #[field(2)]
    pub read_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PhotonPersistentDiskVolumeSource {
    #[field(1, json = "pdID", required)]
    pub pd_id: String,
    #[field(2)]
    pub fs_type: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodCertificateProjection {
    #[field(1, required_omitempty)]
    pub signer_name: String,
    #[field(2, required_omitempty)]
    pub key_type: String,
    #[field(3)]
    pub max_expiration_seconds: Option<i32>,
    #[field(4)]
    pub credential_bundle_path: String,
    #[field(5)]
    pub key_path: String,
    #[field(6)]
    pub certificate_chain_path: String,
    #[field(7)]
    pub user_annotations: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PortworxVolumeSource {
    #[field(1, json = "volumeID", required)]
    pub volume_id: String,
    #[field(2)]
    pub fs_type: String,
    #[field(3)]
    pub read_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ProjectedVolumeSource {
    #[field(1, shown, list = "atomic")]
    pub sources: Vec<VolumeProjection>,
    #[field(2)]
    pub default_mode: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct QuobyteVolumeSource {
    #[field(1, required)]
    pub registry: String,
    #[field(2, required)]
    pub volume: String,
    #[field(3)]
    pub read_only: bool,
    #[field(4)]
    pub user: String,
    #[field(5)]
    pub group: String,
    #[field(6)]
    pub tenant: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct RBDVolumeSource {
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
    pub secret_ref: Option<Box<LocalObjectReference>>,
    #[field(8)]
    pub read_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ScaleIOVolumeSource {
    #[field(1, required)]
    pub gateway: String,
    #[field(2, required)]
    pub system: String,
    #[field(3, required)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
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

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct SecretProjection {
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    #[field(2, list = "atomic")]
    pub items: Vec<KeyToPath>,
    #[field(4)]
    pub optional: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct SecretVolumeSource {
    #[field(1)]
    pub secret_name: String,
    #[field(2, list = "atomic")]
    pub items: Vec<KeyToPath>,
    #[field(3)]
    pub default_mode: Option<i32>,
    #[field(4)]
    pub optional: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ServiceAccountTokenProjection {
    #[field(1)]
    pub audience: String,
    #[field(2)]
    pub expiration_seconds: Option<i64>,
    #[field(3, required)]
    pub path: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct StorageOSVolumeSource {
    #[field(1)]
    pub volume_name: String,
    #[field(2)]
    pub volume_namespace: String,
    #[field(3)]
    pub fs_type: String,
    #[field(4)]
    pub read_only: bool,
    #[field(5)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct TypedLocalObjectReference {
    #[field(1, shown)]
    pub api_group: Option<String>,
    #[field(2, required)]
    pub kind: String,
    #[field(3, required)]
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct TypedObjectReference {
    #[field(1, shown)]
    pub api_group: Option<String>,
    #[field(2, required)]
    pub kind: String,
    #[field(3, required)]
    pub name: String,
    #[field(4)]
    pub namespace: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct Volume {
    #[field(1, required)]
    pub name: String,
    #[field(2, inline)]
    pub volume_source: VolumeSource,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct VolumeDevice {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub device_path: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct VolumeMount {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub read_only: bool,
    #[field(7)]
    pub recursive_read_only: Option<String>,
    #[field(3, required)]
    pub mount_path: String,
    #[field(4)]
    pub sub_path: String,
    #[field(5, values = MOUNT_PROPAGATION_MODES)]
    pub mount_propagation: Option<String>,
    #[field(6)]
    pub sub_path_expr: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct VolumeMountStatus {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub mount_path: String,
    #[field(3)]
    pub read_only: bool,
    #[field(4)]
    pub recursive_read_only: Option<String>,
    #[field(5)]
    pub volume_status: Option<Box<VolumeStatus>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct VolumeProjection {
    #[field(1)]
    pub secret: Option<Box<SecretProjection>>,
    #[field(2, json = "downwardAPI")]
    pub downward_api: Option<Box<DownwardAPIProjection>>,
    #[field(3)]
    pub config_map: Option<Box<ConfigMapProjection>>,
    #[field(4)]
    pub service_account_token: Option<Box<ServiceAccountTokenProjection>>,
    #[field(5)]
    pub cluster_trust_bundle: Option<Box<ClusterTrustBundleProjection>>,
    #[field(6)]
    pub pod_certificate: Option<Box<PodCertificateProjection>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct VolumeResourceRequirements {
    #[field(1)]
    pub limits: BTreeMap<String, Quantity>,
    #[field(2)]
    pub requests: BTreeMap<String, Quantity>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct VolumeSource {
    #[field(1)]
    pub host_path: Option<Box<HostPathVolumeSource>>,
    #[field(2)]
    pub empty_dir: Option<Box<EmptyDirVolumeSource>>,
    #[field(3)]
    pub gce_persistent_disk: Option<Box<GCEPersistentDiskVolumeSource>>,
    #[field(4)]
    pub aws_elastic_block_store: Option<Box<AWSElasticBlockStoreVolumeSource>>,
    #[field(5)]
    pub git_repo: Option<Box<GitRepoVolumeSource>>,
    #[field(6)]
    pub secret: Option<Box<SecretVolumeSource>>,
    #[field(7)]
    pub nfs: Option<Box<NFSVolumeSource>>,
    #[field(8)]
    pub iscsi: Option<Box<ISCSIVolumeSource>>,
    #[field(9)]
    pub glusterfs: Option<Box<GlusterfsVolumeSource>>,
    #[field(10)]
    pub persistent_volume_claim: Option<Box<PersistentVolumeClaimVolumeSource>>,
    #[field(11)]
    pub rbd: Option<Box<RBDVolumeSource>>,
    #[field(12)]
    pub flex_volume: Option<Box<FlexVolumeSource>>,
    #[field(13)]
    pub cinder: Option<Box<CinderVolumeSource>>,
    #[field(14)]
    pub cephfs: Option<Box<CephFSVolumeSource>>,
    #[field(15)]
    pub flocker: Option<Box<FlockerVolumeSource>>,
    #[field(16, json = "downwardAPI")]
    pub downward_api: Option<Box<DownwardAPIVolumeSource>>,
    #[field(17)]
    pub fc: Option<Box<FCVolumeSource>>,
    #[field(18)]
    pub azure_file: Option<Box<AzureFileVolumeSource>>,
    #[field(19)]
    pub config_map: Option<Box<ConfigMapVolumeSource>>,
    #[field(20)]
    pub vsphere_volume: Option<Box<VsphereVirtualDiskVolumeSource>>,
    #[field(21)]
    pub quobyte: Option<Box<QuobyteVolumeSource>>,
    #[field(22)]
    pub azure_disk: Option<Box<AzureDiskVolumeSource>>,
    #[field(23)]
    pub photon_persistent_disk: Option<Box<PhotonPersistentDiskVolumeSource>>,
    #[field(26)]
    pub projected: Option<Box<ProjectedVolumeSource>>,
    #[field(24)]
    pub portworx_volume: Option<Box<PortworxVolumeSource>>,
    #[field(25, json = "scaleIO")]
    pub scale_io: Option<Box<ScaleIOVolumeSource>>,
    #[field(27)]
    pub storageos: Option<Box<StorageOSVolumeSource>>,
    #[field(28)]
    pub csi: Option<Box<CSIVolumeSource>>,
    #[field(29)]
    pub ephemeral: Option<Box<EphemeralVolumeSource>>,
    #[field(30)]
    pub image: Option<Box<ImageVolumeSource>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct VolumeStatus {
    #[field(1)]
    pub image: Option<Box<ImageVolumeStatus>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct VsphereVirtualDiskVolumeSource {
    #[field(1, required)]
    pub volume_path: String,
    #[field(2)]
    pub fs_type: String,
    #[field(3)]
    pub storage_policy_name: String,
    #[field(4, json = "storagePolicyID")]
    pub storage_policy_id: String,
}
