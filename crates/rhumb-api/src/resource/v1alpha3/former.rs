//! Kinds that v1alpha3 has no more: claims and slices, which it had until v1.33, and the contexts of scheduling, which
//! v1.31 was the last to have.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use super::{DeviceAttribute, DeviceCounterConsumption, DeviceTaint};
use crate::core::v1::NodeSelector;
use crate::resource::conversion::{all_nodes, node_name};
use crate::resource::v1::{
    self, AllocatedDeviceStatus, CounterSet, DeviceAllocationConfiguration, DeviceToleration,
    ResourceClaimConsumerReference, ResourcePool,
};
use crate::resource::v1beta1::ResourceClaimSpec;

/// A claim on devices, which pods refer to and the scheduler allocates.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ResourceClaim)]
pub struct ResourceClaim {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is claimed. Fixed once set.
    #[field(2, required)]
    pub spec: ResourceClaimSpec,
    /// What was allocated, and who uses it.
    #[field(3)]
    pub status: ResourceClaimStatus,
}

/// A list of claims.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ResourceClaimList)]
pub struct ResourceClaimList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ResourceClaim>,
}

/// What a claim was given, and who uses it.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::ResourceClaimStatus)]
pub struct ResourceClaimStatus {
    /// What it was given. Fixed once set, until it is taken away as a whole.
    #[field(1)]
    pub allocation: Option<Box<AllocationResult>>,
    /// Who uses it now, at most 256; pods not listed here can't start with it.
    #[field(2, keys("uid"), merge = "merge", merge_key = "uid")]
    #[convert(same)]
    pub reserved_for: Vec<ResourceClaimConsumerReference>,
    /// What drivers say about its devices.
    #[field(4, keys("driver", "device", "pool", "shareID"))]
    #[convert(same)]
    pub devices: Vec<AllocatedDeviceStatus>,
}

/// What a claim was given.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::AllocationResult)]
pub struct AllocationResult {
    /// The devices.
    #[field(1)]
    pub devices: DeviceAllocationResult,
    /// The nodes that can reach them all; every node if not given.
    #[field(3)]
    #[convert(same)]
    pub node_selector: Option<Box<NodeSelector>>,
    /// When they were allocated.
    #[field(5)]
    pub allocation_timestamp: Option<Time>,
}

/// The devices that a claim was given.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::DeviceAllocationResult)]
pub struct DeviceAllocationResult {
    /// The devices, by request.
    #[field(1, list = "atomic")]
    pub results: Vec<DeviceRequestAllocationResult>,
    /// The settings that drivers get with them.
    #[field(2, list = "atomic")]
    #[convert(same)]
    pub config: Vec<DeviceAllocationConfiguration>,
}

/// A device that a request was given.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::DeviceRequestAllocationResult)]
pub struct DeviceRequestAllocationResult {
    /// The request, or `request/alternative`.
    #[field(1, required)]
    pub request: String,
    /// The driver; with pool and device it names the device.
    #[field(2, required)]
    pub driver: String,
    #[field(3, required)]
    pub pool: String,
    #[field(4, required)]
    pub device: String,
    /// Whether the device is seen only, while others may use it. v1.33 was the last release to show it when absent.
    #[field(5, shown)]
    pub admin_access: Option<bool>,
    /// The tolerations of the request at that time.
    #[field(6, list = "atomic")]
    #[convert(same)]
    pub tolerations: Vec<DeviceToleration>,
    #[field(7, list = "atomic")]
    pub binding_conditions: Vec<String>,
    #[field(8, list = "atomic")]
    pub binding_failure_conditions: Vec<String>,
    /// Which share of the device it is, if several claims share it.
    #[field(9, json = "shareID")]
    pub share_id: Option<String>,
    /// How much of the device was given.
    #[field(10)]
    pub consumed_capacity: BTreeMap<String, Quantity>,
}

/// Devices that one driver offers in one pool, or a part of them.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ResourceSlice)]
pub struct ResourceSlice {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The devices.
    #[field(2, required)]
    pub spec: ResourceSliceSpec,
}

/// A list of slices.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ResourceSliceList)]
pub struct ResourceSliceList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ResourceSlice>,
}

/// The devices of a slice, and the nodes that can reach them, said in exactly one of four ways.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::ResourceSliceSpec)]
pub struct ResourceSliceSpec {
    /// The driver, by its domain name. Fixed once set.
    #[field(1, required)]
    pub driver: String,
    /// The pool that the slice belongs to.
    #[field(2, required)]
    pub pool: ResourcePool,
    /// The one node that has the devices. Fixed once set.
    #[field(3)]
    #[convert(with = node_name)]
    pub node_name: String,
    /// The nodes that can reach the devices, in a single term.
    #[field(4)]
    #[convert(same)]
    pub node_selector: Option<Box<NodeSelector>>,
    /// Whether every node can reach the devices.
    #[field(5)]
    #[convert(with = all_nodes)]
    pub all_nodes: bool,
    /// The devices, at most 128, each with a name of its own.
    #[field(6, list = "atomic")]
    pub devices: Vec<Device>,
    /// Whether each device says for itself which nodes can reach it.
    #[field(7)]
    pub per_device_node_selection: Option<bool>,
    /// Sets of counters that devices of the pool draw from; a slice has these or devices.
    #[field(8, list = "atomic")]
    #[convert(same)]
    pub shared_counters: Vec<CounterSet>,
}

/// A device that can be allocated.
#[derive(Clone, Default, Schema)]
pub struct Device {
    /// Its name, which is unique in the pool.
    #[field(1, required)]
    pub name: String,
    /// What there is to say about it.
    #[field(2)]
    pub basic: Option<Box<BasicDevice>>,
}

/// What there is to say about a device; v1 says it in the device itself.
#[derive(Clone, Default, Schema)]
pub struct BasicDevice {
    /// What there is to know of it: values by name, where a name without a domain is the driver's.
    #[field(1)]
    pub attributes: BTreeMap<String, DeviceAttribute>,
    /// How much of what it has.
    #[field(2)]
    pub capacity: BTreeMap<String, Quantity>,
    /// What it takes from shared counters while it is allocated.
    #[field(3, list = "atomic")]
    pub consumes_counters: Vec<DeviceCounterConsumption>,
    /// The node that has it, if devices say so for themselves.
    #[field(4)]
    pub node_name: Option<String>,
    /// The nodes that can reach it, if devices say so for themselves.
    #[field(5)]
    pub node_selector: Option<Box<NodeSelector>>,
    /// Whether every node can reach it, if devices say so for themselves.
    #[field(6)]
    pub all_nodes: Option<bool>,
    /// What keeps claims away that don't tolerate it.
    #[field(7, list = "atomic")]
    pub taints: Vec<DeviceTaint>,
}

/// Where a pod that waits for its claims could go, told between the scheduler and drivers.
#[derive(Clone, Default, Schema, Object)]
pub struct PodSchedulingContext {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the scheduler would like.
    #[field(2, required)]
    pub spec: PodSchedulingContextSpec,
    /// What the drivers say to that.
    #[field(3)]
    pub status: PodSchedulingContextStatus,
}

/// A list of PodSchedulingContexts.
#[derive(Clone, Default, Schema, Object)]
pub struct PodSchedulingContextList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<PodSchedulingContext>,
}

/// Where the scheduler would like a pod to go.
#[derive(Clone, Default, Schema)]
pub struct PodSchedulingContextSpec {
    /// The node that claims are to be allocated for.
    #[field(1)]
    pub selected_node: String,
    /// Nodes that the pod fits on but for its claims, at most 128.
    #[field(2, list = "atomic")]
    pub potential_nodes: Vec<String>,
}

/// Where the claims of a pod could be met.
#[derive(Clone, Default, Schema)]
pub struct PodSchedulingContextStatus {
    /// The same for each claim.
    #[field(1, keys("name"))]
    pub resource_claims: Vec<ResourceClaimSchedulingStatus>,
}

/// Where one claim of a pod could be met.
#[derive(Clone, Default, Schema)]
pub struct ResourceClaimSchedulingStatus {
    /// What the pod calls the claim.
    #[field(1, required)]
    pub name: String,
    /// Nodes among those that the scheduler named where it can't be met.
    #[field(2, list = "atomic")]
    pub unsuitable_nodes: Vec<String>,
}
