//! `resource.k8s.io/v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{Condition, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::{RawJson, Schema};

use crate::core::v1::NodeSelector;

/// The values that a `AllocationConfigSource` has.
pub const ALLOCATION_CONFIG_SOURCES: &[&str] = &["FromClass", "FromClaim"];
/// The values that a `DeviceTaintEffect` has.
pub const DEVICE_TAINT_EFFECTS: &[&str] = &["None", "NoSchedule", "NoExecute"];
/// The values that a `DeviceTolerationOperator` has.
pub const DEVICE_TOLERATION_OPERATORS: &[&str] = &["Exists", "Equal"];

#[derive(Clone, Default, Schema)]
pub struct AllocatedDeviceStatus {
    #[field(1, required)]
    pub driver: String,
    #[field(2, required)]
    pub pool: String,
    #[field(3, required)]
    pub device: String,
    #[field(7, json = "shareID")]
    pub share_id: Option<String>,
    #[field(4, shown, keys("type"))]
    pub conditions: Vec<Condition>,
    #[field(5)]
    pub data: Option<RawJson>,
    #[field(6)]
    pub network_data: Option<Box<NetworkDeviceData>>,
}

#[derive(Clone, Default, Schema)]
pub struct AllocationResult {
    #[field(1)]
    pub devices: DeviceAllocationResult,
    #[field(3)]
    pub node_selector: Option<Box<NodeSelector>>,
    #[field(5)]
    pub allocation_timestamp: Option<Time>,
}

#[derive(Clone, Default, Schema)]
pub struct CELDeviceSelector {
    #[field(1, required)]
    pub expression: String,
}

#[derive(Clone, Default, Schema)]
pub struct CapacityRequestPolicy {
    #[field(1, shown)]
    pub default: Option<Quantity>,
    #[field(3, list = "atomic")]
    pub valid_values: Vec<Quantity>,
    #[field(4)]
    pub valid_range: Option<Box<CapacityRequestPolicyRange>>,
}

#[derive(Clone, Default, Schema)]
pub struct CapacityRequestPolicyRange {
    #[field(1, required_omitempty)]
    pub min: Option<Quantity>,
    #[field(2)]
    pub max: Option<Quantity>,
    #[field(3)]
    pub step: Option<Quantity>,
}

#[derive(Clone, Default, Schema)]
pub struct CapacityRequirements {
    #[field(1)]
    pub requests: BTreeMap<String, Quantity>,
}

#[derive(Clone, Default, Schema)]
pub struct Counter {
    #[field(1, required)]
    pub value: Quantity,
}

#[derive(Clone, Default, Schema)]
pub struct CounterSet {
    #[field(1, required)]
    pub name: String,
    #[field(2, required_omitempty)]
    pub counters: BTreeMap<String, Counter>,
}

#[derive(Clone, Default, Schema)]
pub struct Device {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub attributes: BTreeMap<String, DeviceAttribute>,
    #[field(3)]
    pub capacity: BTreeMap<String, DeviceCapacity>,
    #[field(4, list = "atomic")]
    pub consumes_counters: Vec<DeviceCounterConsumption>,
    #[field(5)]
    pub node_name: Option<String>,
    #[field(6)]
    pub node_selector: Option<Box<NodeSelector>>,
    #[field(7)]
    pub all_nodes: Option<bool>,
    #[field(8, list = "atomic")]
    pub taints: Vec<DeviceTaint>,
    #[field(9)]
    pub binds_to_node: Option<bool>,
    #[field(10, list = "atomic")]
    pub binding_conditions: Vec<String>,
    #[field(11, list = "atomic")]
    pub binding_failure_conditions: Vec<String>,
    #[field(12)]
    pub allow_multiple_allocations: Option<bool>,
    #[field(13)]
    pub node_allocatable_resource_mappings: BTreeMap<String, NodeAllocatableResourceMapping>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceAllocationConfiguration {
    #[field(1, required, values = ALLOCATION_CONFIG_SOURCES)]
    pub source: String,
    #[field(2, list = "atomic")]
    pub requests: Vec<String>,
    #[field(3, inline)]
    pub device_configuration: DeviceConfiguration,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceAllocationResult {
    #[field(1, list = "atomic")]
    pub results: Vec<DeviceRequestAllocationResult>,
    #[field(2, list = "atomic")]
    pub config: Vec<DeviceAllocationConfiguration>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceAttribute {
    #[field(2)]
    pub int: Option<i64>,
    #[field(3)]
    pub bool: Option<bool>,
    #[field(4)]
    pub string: Option<String>,
    #[field(5)]
    pub version: Option<String>,
    #[field(6, list = "atomic")]
    pub ints: Vec<i64>,
    #[field(7, list = "atomic")]
    pub bools: Vec<bool>,
    #[field(8, list = "atomic")]
    pub strings: Vec<String>,
    #[field(9, list = "atomic")]
    pub versions: Vec<String>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceCapacity {
    #[field(1, required)]
    pub value: Quantity,
    #[field(2)]
    pub request_policy: Option<Box<CapacityRequestPolicy>>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceClaim {
    #[field(1, shown, list = "atomic")]
    pub requests: Vec<DeviceRequest>,
    #[field(2, list = "atomic")]
    pub constraints: Vec<DeviceConstraint>,
    #[field(3, list = "atomic")]
    pub config: Vec<DeviceClaimConfiguration>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceClaimConfiguration {
    #[field(1, list = "atomic")]
    pub requests: Vec<String>,
    #[field(2, inline)]
    pub device_configuration: DeviceConfiguration,
}

#[derive(Clone, Default, Schema, Object)]
pub struct DeviceClass {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: DeviceClassSpec,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceClassConfiguration {
    #[field(1, inline)]
    pub device_configuration: DeviceConfiguration,
}

#[derive(Clone, Default, Schema, Object)]
pub struct DeviceClassList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<DeviceClass>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceClassSpec {
    #[field(1, list = "atomic")]
    pub selectors: Vec<DeviceSelector>,
    #[field(2, list = "atomic")]
    pub config: Vec<DeviceClassConfiguration>,
    #[field(4)]
    pub extended_resource_name: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceConfiguration {
    #[field(1)]
    pub opaque: Option<Box<OpaqueDeviceConfiguration>>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceConstraint {
    #[field(1, list = "atomic")]
    pub requests: Vec<String>,
    #[field(2)]
    pub match_attribute: Option<String>,
    #[field(3)]
    pub distinct_attribute: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceCounterConsumption {
    #[field(1, required)]
    pub counter_set: String,
    #[field(2, required_omitempty)]
    pub counters: BTreeMap<String, Counter>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceRequest {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub exactly: Option<Box<ExactDeviceRequest>>,
    #[field(3, list = "atomic")]
    pub first_available: Vec<DeviceSubRequest>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceRequestAllocationResult {
    #[field(1, required)]
    pub request: String,
    #[field(2, required)]
    pub driver: String,
    #[field(3, required)]
    pub pool: String,
    #[field(4, required)]
    pub device: String,
    #[field(5)]
    pub admin_access: Option<bool>,
    #[field(6, list = "atomic")]
    pub tolerations: Vec<DeviceToleration>,
    #[field(7, list = "atomic")]
    pub binding_conditions: Vec<String>,
    #[field(8, list = "atomic")]
    pub binding_failure_conditions: Vec<String>,
    #[field(9, json = "shareID")]
    pub share_id: Option<String>,
    #[field(10)]
    pub consumed_capacity: BTreeMap<String, Quantity>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceSelector {
    #[field(1)]
    pub cel: Option<Box<CELDeviceSelector>>,
}

#[derive(Clone, Default, Schema)]
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
    #[field(6, list = "atomic")]
    pub tolerations: Vec<DeviceToleration>,
    #[field(7)]
    pub capacity: Option<Box<CapacityRequirements>>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceTaint {
    #[field(1, required)]
    pub key: String,
    #[field(2)]
    pub value: String,
    #[field(3, required, values = DEVICE_TAINT_EFFECTS)]
    pub effect: String,
    #[field(4)]
    pub time_added: Option<Time>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceToleration {
    #[field(1)]
    pub key: String,
    #[field(2, default = "Equal", values = DEVICE_TOLERATION_OPERATORS)]
    pub operator: String,
    #[field(3)]
    pub value: String,
    #[field(4, values = DEVICE_TAINT_EFFECTS)]
    pub effect: String,
    #[field(5)]
    pub toleration_seconds: Option<i64>,
}

#[derive(Clone, Default, Schema)]
pub struct ExactDeviceRequest {
    #[field(1, required)]
    pub device_class_name: String,
    #[field(2, list = "atomic")]
    pub selectors: Vec<DeviceSelector>,
    #[field(3)]
    pub allocation_mode: String,
    #[field(4)]
    pub count: i64,
    #[field(5)]
    pub admin_access: Option<bool>,
    #[field(6, list = "atomic")]
    pub tolerations: Vec<DeviceToleration>,
    #[field(7)]
    pub capacity: Option<Box<CapacityRequirements>>,
}

#[derive(Clone, Default, Schema)]
pub struct NetworkDeviceData {
    #[field(1)]
    pub interface_name: String,
    #[field(2, list = "atomic")]
    pub ips: Vec<String>,
    #[field(3)]
    pub hardware_address: String,
}

#[derive(Clone, Default, Schema)]
pub struct NodeAllocatableResourceMapping {
    #[field(1)]
    pub capacity_key: Option<String>,
    #[field(2)]
    pub allocation_multiplier: Option<Quantity>,
}

#[derive(Clone, Default, Schema)]
pub struct OpaqueDeviceConfiguration {
    #[field(1, required)]
    pub driver: String,
    #[field(2, required)]
    pub parameters: RawJson,
}

#[derive(Clone, Default, Schema, Object)]
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

#[derive(Clone, Default, Schema)]
pub struct ResourceClaimConsumerReference {
    #[field(1)]
    pub api_group: String,
    #[field(3, required)]
    pub resource: String,
    #[field(4, required)]
    pub name: String,
    #[field(5, required)]
    pub uid: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClaimList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ResourceClaim>,
}

#[derive(Clone, Default, Schema)]
pub struct ResourceClaimSpec {
    #[field(1, shown)]
    pub devices: DeviceClaim,
}

#[derive(Clone, Default, Schema)]
pub struct ResourceClaimStatus {
    #[field(1)]
    pub allocation: Option<Box<AllocationResult>>,
    #[field(2, keys("uid"), merge = "merge", merge_key = "uid")]
    pub reserved_for: Vec<ResourceClaimConsumerReference>,
    #[field(4, keys("driver", "device", "pool", "shareID"))]
    pub devices: Vec<AllocatedDeviceStatus>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClaimTemplate {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: ResourceClaimTemplateSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClaimTemplateList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ResourceClaimTemplate>,
}

#[derive(Clone, Default, Schema)]
pub struct ResourceClaimTemplateSpec {
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: ResourceClaimSpec,
}

#[derive(Clone, Default, Schema)]
pub struct ResourcePool {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub generation: i64,
    #[field(3, required)]
    pub resource_slice_count: i64,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ResourceSlice {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: ResourceSliceSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ResourceSliceList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ResourceSlice>,
}

#[derive(Clone, Default, Schema)]
pub struct ResourceSliceSpec {
    #[field(1, required)]
    pub driver: String,
    #[field(2, required)]
    pub pool: ResourcePool,
    #[field(3)]
    pub node_name: Option<String>,
    #[field(4)]
    pub node_selector: Option<Box<NodeSelector>>,
    #[field(5)]
    pub all_nodes: Option<bool>,
    #[field(6, list = "atomic")]
    pub devices: Vec<Device>,
    #[field(7)]
    pub per_device_node_selection: Option<bool>,
    #[field(8, list = "atomic")]
    pub shared_counters: Vec<CounterSet>,
}
