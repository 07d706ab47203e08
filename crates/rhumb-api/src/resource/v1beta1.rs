//! `resource.k8s.io/v1beta1`.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::core::v1::NodeSelector;

pub use super::v1::{
    AllocatedDeviceStatus, AllocationResult, CELDeviceSelector, CapacityRequestPolicy,
    CapacityRequestPolicyRange, CapacityRequirements, Counter, CounterSet, DeviceAllocationConfiguration,
    DeviceAllocationResult, DeviceAttribute, DeviceCapacity, DeviceClaimConfiguration, DeviceClass,
    DeviceClassConfiguration, DeviceClassList, DeviceClassSpec, DeviceConfiguration, DeviceConstraint,
    DeviceCounterConsumption, DeviceRequestAllocationResult, DeviceSelector, DeviceTaint, DeviceToleration,
    NetworkDeviceData, NodeAllocatableResourceMapping, OpaqueDeviceConfiguration,
    ResourceClaimConsumerReference, ResourceClaimStatus, ResourcePool,
};

#[derive(Clone, Default, Schema)]
pub struct BasicDevice {
    #[field(1)]
    pub attributes: BTreeMap<String, DeviceAttribute>,
    #[field(2)]
    pub capacity: BTreeMap<String, DeviceCapacity>,
    #[field(3, list = "atomic")]
    pub consumes_counters: Vec<DeviceCounterConsumption>,
    #[field(4)]
    pub node_name: Option<String>,
    #[field(5)]
    pub node_selector: Option<Box<NodeSelector>>,
    #[field(6)]
    pub all_nodes: Option<bool>,
    #[field(7, list = "atomic")]
    pub taints: Vec<DeviceTaint>,
    #[field(8)]
    pub binds_to_node: Option<bool>,
    #[field(9, list = "atomic")]
    pub binding_conditions: Vec<String>,
    #[field(10, list = "atomic")]
    pub binding_failure_conditions: Vec<String>,
    #[field(11)]
    pub allow_multiple_allocations: Option<bool>,
    #[field(12)]
    pub node_allocatable_resource_mappings: BTreeMap<String, NodeAllocatableResourceMapping>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::Device)]
pub struct Device {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub basic: Option<Box<BasicDevice>>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::DeviceClaim)]
pub struct DeviceClaim {
    #[field(1, shown, list = "atomic")]
    pub requests: Vec<DeviceRequest>,
    #[field(2, list = "atomic")]
    pub constraints: Vec<DeviceConstraint>,
    #[field(3, list = "atomic")]
    pub config: Vec<DeviceClaimConfiguration>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::DeviceRequest)]
pub struct DeviceRequest {
    #[field(1, required)]
    pub name: String,
    #[field(2, shown)]
    pub device_class_name: String,
    #[field(3, list = "atomic")]
    pub selectors: Vec<DeviceSelector>,
    #[field(4)]
    pub allocation_mode: String,
    #[field(5)]
    pub count: i64,
    #[field(6)]
    pub admin_access: Option<bool>,
    #[field(7, list = "atomic")]
    pub first_available: Vec<DeviceSubRequest>,
    #[field(8, list = "atomic")]
    pub tolerations: Vec<DeviceToleration>,
    #[field(9)]
    pub capacity: Option<Box<CapacityRequirements>>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::DeviceSubRequest)]
pub struct DeviceSubRequest {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub device_class_name: String,
    #[field(3, list = "atomic")]
    pub selectors: Vec<DeviceSelector>,
    #[field(4)]
    pub allocation_mode: String,
    #[field(5)]
    pub count: i64,
    #[field(7, list = "atomic")]
    pub tolerations: Vec<DeviceToleration>,
    #[field(8)]
    pub capacity: Option<Box<CapacityRequirements>>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ResourceClaim)]
pub struct ResourceClaim {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: ResourceClaimSpec,
    #[field(3)]
    pub status: ResourceClaimStatus,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ResourceClaimList)]
pub struct ResourceClaimList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ResourceClaim>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::ResourceClaimSpec)]
pub struct ResourceClaimSpec {
    #[field(1, shown)]
    pub devices: DeviceClaim,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ResourceClaimTemplate)]
pub struct ResourceClaimTemplate {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: ResourceClaimTemplateSpec,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ResourceClaimTemplateList)]
pub struct ResourceClaimTemplateList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ResourceClaimTemplate>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::ResourceClaimTemplateSpec)]
pub struct ResourceClaimTemplateSpec {
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: ResourceClaimSpec,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ResourceSlice)]
pub struct ResourceSlice {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: ResourceSliceSpec,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::ResourceSliceList)]
pub struct ResourceSliceList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ResourceSlice>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::ResourceSliceSpec)]
pub struct ResourceSliceSpec {
    #[field(1, required)]
    pub driver: String,
    #[field(2, required)]
    pub pool: ResourcePool,
    #[field(3)]
    pub node_name: String,
    #[field(4)]
    pub node_selector: Option<Box<NodeSelector>>,
    #[field(5)]
    pub all_nodes: bool,
    #[field(6, list = "atomic")]
    pub devices: Vec<Device>,
    #[field(7)]
    pub per_device_node_selection: Option<bool>,
    #[field(8, list = "atomic")]
    pub shared_counters: Vec<CounterSet>,
}
