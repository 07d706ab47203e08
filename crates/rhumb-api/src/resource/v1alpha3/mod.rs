//! `resource.k8s.io/v1alpha3`: rules that taint devices, and requests for the state of pools; before v1.34 also
//! claims, which show more of what they were given than those of v1beta1, and slices, whose devices have plain
//! quantities; in v1.31 the contexts of scheduling.

mod former;

use rhumb_meta::Object;
use rhumb_meta::v1::{Condition, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

pub use super::v1::{
    CELDeviceSelector, DeviceAttribute, DeviceClass, DeviceClassList, DeviceCounterConsumption,
    DeviceSelector, DeviceTaint,
};
pub use super::v1beta1::{ResourceClaimTemplate, ResourceClaimTemplateList};
pub use former::*;

pub use super::v1beta2::{
    DeviceTaintRule, DeviceTaintRuleList, DeviceTaintRuleSpec, DeviceTaintRuleStatus, DeviceTaintSelector,
};

/// How many devices of a pool are taken.
#[derive(Clone, Default, Schema)]
pub struct PoolStatus {
    #[field(1, required_omitempty)]
    pub driver: String,
    #[field(2, required_omitempty)]
    pub pool_name: String,
    /// The generation of the pool that was looked at.
    #[field(9, required)]
    pub generation: i64,
    /// How many slices the pool has.
    #[field(8)]
    pub resource_slice_count: Option<i32>,
    #[field(4)]
    pub total_devices: Option<i32>,
    #[field(5)]
    pub allocated_devices: Option<i32>,
    /// How many devices are free.
    #[field(6)]
    pub available_devices: Option<i32>,
    /// How many are neither free nor allocated, because of taints for example.
    #[field(7)]
    pub unavailable_devices: Option<i32>,
    /// The node, if the pool is on one.
    #[field(3)]
    pub node_name: Option<String>,
    /// Why the pool could not be counted.
    #[field(10)]
    pub validation_error: Option<String>,
}

/// Asks once how many devices of a driver's pools are taken; a controller answers in the status.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourcePoolStatusRequest {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1, required_omitempty)]
    pub metadata: ObjectMeta,
    /// Which pools. Fixed once set.
    #[field(2, required)]
    pub spec: ResourcePoolStatusRequestSpec,
    /// The answer. Fixed once set.
    #[field(3)]
    pub status: Option<Box<ResourcePoolStatusRequestStatus>>,
}

/// A list of requests.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourcePoolStatusRequestList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ResourcePoolStatusRequest>,
}

/// Which pools are asked about.
#[derive(Clone, Default, Schema)]
pub struct ResourcePoolStatusRequestSpec {
    /// The driver.
    #[field(1, required)]
    pub driver: String,
    /// One pool of it; all if not given.
    #[field(2)]
    pub pool_name: Option<String>,
    /// At most this many pools are told of, from 1 to 1000.
    #[field(3, default = 100)]
    pub limit: Option<i32>,
}

/// The answer to a request.
#[derive(Clone, Default, Schema)]
pub struct ResourcePoolStatusRequestStatus {
    /// How many pools matched, told of or not.
    #[field(6, required_omitempty)]
    pub pool_count: Option<i32>,
    /// The pools.
    #[field(2, list = "atomic")]
    pub pools: Vec<PoolStatus>,
    /// Whether the request is answered.
    #[field(3, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}
