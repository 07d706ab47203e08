//! `storage.k8s.io/v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;

use crate::core::v1::{PERSISTENT_VOLUME_RECLAIM_POLICYS, PersistentVolumeSpec, TopologySelectorTerm};

/// The values that a `VolumeBindingMode` has.
pub const VOLUME_BINDING_MODES: &[&str] = &["Immediate", "WaitForFirstConsumer"];

#[derive(Clone, Default, Schema, Object)]
pub struct CSIDriver {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: CSIDriverSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct CSIDriverList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<CSIDriver>,
}

#[derive(Clone, Default, Schema)]
pub struct CSIDriverSpec {
    #[field(1)]
    pub attach_required: Option<bool>,
    #[field(2)]
    pub pod_info_on_mount: Option<bool>,
    #[field(3, list = "set")]
    pub volume_lifecycle_modes: Vec<String>,
    #[field(4)]
    pub storage_capacity: Option<bool>,
    #[field(5)]
    pub fs_group_policy: Option<String>,
    #[field(6, list = "atomic")]
    pub token_requests: Vec<TokenRequest>,
    #[field(7)]
    pub requires_republish: Option<bool>,
    #[field(8)]
    pub se_linux_mount: Option<bool>,
    #[field(9)]
    pub node_allocatable_update_period_seconds: Option<i64>,
    #[field(10)]
    pub service_account_token_in_secrets: Option<bool>,
    #[field(11)]
    pub prevent_pod_scheduling_if_missing: Option<bool>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct CSINode {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: CSINodeSpec,
}

#[derive(Clone, Default, Schema)]
pub struct CSINodeDriver {
    #[field(1, required)]
    pub name: String,
    #[field(2, json = "nodeID", required)]
    pub node_id: String,
    #[field(3, shown, list = "atomic")]
    pub topology_keys: Vec<String>,
    #[field(4)]
    pub allocatable: Option<Box<VolumeNodeResources>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct CSINodeList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<CSINode>,
}

#[derive(Clone, Default, Schema)]
pub struct CSINodeSpec {
    #[field(1, required, keys("name"), merge = "merge", merge_key = "name")]
    pub drivers: Vec<CSINodeDriver>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct CSIStorageCapacity {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub node_topology: Option<Box<LabelSelector>>,
    #[field(3, required)]
    pub storage_class_name: String,
    #[field(4)]
    pub capacity: Option<Quantity>,
    #[field(5)]
    pub maximum_volume_size: Option<Quantity>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct CSIStorageCapacityList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<CSIStorageCapacity>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct StorageClass {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub provisioner: String,
    #[field(3)]
    pub parameters: BTreeMap<String, String>,
    #[field(4, values = PERSISTENT_VOLUME_RECLAIM_POLICYS)]
    pub reclaim_policy: Option<String>,
    #[field(5, list = "atomic")]
    pub mount_options: Vec<String>,
    #[field(6)]
    pub allow_volume_expansion: Option<bool>,
    #[field(7, values = VOLUME_BINDING_MODES)]
    pub volume_binding_mode: Option<String>,
    #[field(8, list = "atomic")]
    pub allowed_topologies: Vec<TopologySelectorTerm>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct StorageClassList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<StorageClass>,
}

#[derive(Clone, Default, Schema)]
pub struct TokenRequest {
    #[field(1, required)]
    pub audience: String,
    #[field(2)]
    pub expiration_seconds: Option<i64>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct VolumeAttachment {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: VolumeAttachmentSpec,
    #[field(3)]
    pub status: VolumeAttachmentStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct VolumeAttachmentList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<VolumeAttachment>,
}

#[derive(Clone, Default, Schema)]
pub struct VolumeAttachmentSource {
    #[field(1)]
    pub persistent_volume_name: Option<String>,
    #[field(2)]
    pub inline_volume_spec: Option<Box<PersistentVolumeSpec>>,
}

#[derive(Clone, Default, Schema)]
pub struct VolumeAttachmentSpec {
    #[field(1, required)]
    pub attacher: String,
    #[field(2, required)]
    pub source: VolumeAttachmentSource,
    #[field(3, required)]
    pub node_name: String,
}

#[derive(Clone, Default, Schema)]
pub struct VolumeAttachmentStatus {
    #[field(1, required)]
    pub attached: bool,
    #[field(2)]
    pub attachment_metadata: BTreeMap<String, String>,
    #[field(3)]
    pub attach_error: Option<Box<VolumeError>>,
    #[field(4)]
    pub detach_error: Option<Box<VolumeError>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct VolumeAttributesClass {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub driver_name: String,
    #[field(3)]
    pub parameters: BTreeMap<String, String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct VolumeAttributesClassList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<VolumeAttributesClass>,
}

#[derive(Clone, Default, Schema)]
pub struct VolumeError {
    #[field(1)]
    pub time: Time,
    #[field(2)]
    pub message: String,
    #[field(3)]
    pub error_code: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct VolumeNodeResources {
    #[field(1)]
    pub count: Option<i32>,
}
