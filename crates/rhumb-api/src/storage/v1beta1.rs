//! `storage.k8s.io/v1beta1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

pub use super::v1::{
    CSINode, CSINodeDriver, CSINodeList, CSINodeSpec, CSIStorageCapacity, CSIStorageCapacityList,
    StorageClass, StorageClassList, TokenRequest, VolumeAttachment, VolumeAttachmentList,
    VolumeAttachmentSource, VolumeAttachmentSpec, VolumeAttachmentStatus, VolumeAttributesClass,
    VolumeAttributesClassList, VolumeError, VolumeNodeResources,
};

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CSIDriver)]
pub struct CSIDriver {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: CSIDriverSpec,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CSIDriverList)]
pub struct CSIDriverList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<CSIDriver>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CSIDriverSpec)]
pub struct CSIDriverSpec {
    #[field(1)]
    pub attach_required: Option<bool>,
    #[field(2)]
    pub pod_info_on_mount: Option<bool>,
    #[field(3, list = "atomic")]
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
