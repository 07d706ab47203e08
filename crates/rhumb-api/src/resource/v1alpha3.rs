//! `resource.k8s.io/v1alpha3`.

use rhumb_meta::Object;
use rhumb_meta::v1::{Condition, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

pub use super::v1::{CELDeviceSelector, DeviceSelector, DeviceTaint};

pub use super::v1beta2::{
    DeviceTaintRule, DeviceTaintRuleList, DeviceTaintRuleSpec, DeviceTaintRuleStatus, DeviceTaintSelector,
};

#[derive(Clone, Default, Schema)]
pub struct PoolStatus {
    #[field(1, required_omitempty)]
    pub driver: String,
    #[field(2, required_omitempty)]
    pub pool_name: String,
    #[field(9, required)]
    pub generation: i64,
    #[field(8)]
    pub resource_slice_count: Option<i32>,
    #[field(4)]
    pub total_devices: Option<i32>,
    #[field(5)]
    pub allocated_devices: Option<i32>,
    #[field(6)]
    pub available_devices: Option<i32>,
    #[field(7)]
    pub unavailable_devices: Option<i32>,
    #[field(3)]
    pub node_name: Option<String>,
    #[field(10)]
    pub validation_error: Option<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ResourcePoolStatusRequest {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, required_omitempty)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: ResourcePoolStatusRequestSpec,
    #[field(3)]
    pub status: Option<Box<ResourcePoolStatusRequestStatus>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ResourcePoolStatusRequestList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ResourcePoolStatusRequest>,
}

#[derive(Clone, Default, Schema)]
pub struct ResourcePoolStatusRequestSpec {
    #[field(1, required)]
    pub driver: String,
    #[field(2)]
    pub pool_name: Option<String>,
    #[field(3, default = 100)]
    pub limit: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct ResourcePoolStatusRequestStatus {
    #[field(6, required_omitempty)]
    pub pool_count: Option<i32>,
    #[field(2, list = "atomic")]
    pub pools: Vec<PoolStatus>,
    #[field(3, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}
