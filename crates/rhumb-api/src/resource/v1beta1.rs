//! `resource.k8s.io/v1beta1`: devices have their properties in `basic`, and requests for one class have theirs in
//! themselves.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use super::conversion::{all_nodes, node_name};
use super::v1::{self, DEVICE_ALLOCATION_MODES};
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

/// What there is to say about a device; v1 says it in the device itself.
#[derive(Clone, Default, Schema)]
pub struct BasicDevice {
    /// What there is to know of it: values by name, where a name without a domain is the driver's.
    #[field(1)]
    pub attributes: BTreeMap<String, DeviceAttribute>,
    /// How much of what it has.
    #[field(2)]
    pub capacity: BTreeMap<String, DeviceCapacity>,
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
    /// Whether an allocation of it ties the claim to the node that was chosen.
    #[field(8)]
    pub binds_to_node: Option<bool>,
    /// Conditions that must be true before a pod with it is bound.
    #[field(9, list = "atomic")]
    pub binding_conditions: Vec<String>,
    /// Conditions of which none may become true before that.
    #[field(10, list = "atomic")]
    pub binding_failure_conditions: Vec<String>,
    /// Whether several claims can share it.
    #[field(11)]
    pub allow_multiple_allocations: Option<bool>,
    /// What it takes of a node's own resources, such as memory.
    #[field(12)]
    pub node_allocatable_resource_mappings: BTreeMap<String, NodeAllocatableResourceMapping>,
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

/// The devices that a claim asks for.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::DeviceClaim)]
pub struct DeviceClaim {
    /// The requests, all of which must be met.
    #[field(1, shown, list = "atomic")]
    pub requests: Vec<DeviceRequest>,
    /// What the devices must have in common, or must not.
    #[field(2, list = "atomic")]
    #[convert(same)]
    pub constraints: Vec<DeviceConstraint>,
    /// Settings for drivers, handed on when a device is prepared.
    #[field(3, list = "atomic")]
    #[convert(same)]
    pub config: Vec<DeviceClaimConfiguration>,
}

/// One request: for devices of one class, written here itself, or for the best of several alternatives.
#[derive(Clone, Default, Schema)]
pub struct DeviceRequest {
    /// How the request is called in constraints, settings and pods.
    #[field(1, required)]
    pub name: String,
    /// The class that the devices must be of.
    #[field(2, shown)]
    pub device_class_name: String,
    /// What else must hold for each device; all of it.
    #[field(3, list = "atomic")]
    pub selectors: Vec<DeviceSelector>,
    /// ExactCount (the default) for a number of devices, or All for every device that fits.
    #[field(4, values = DEVICE_ALLOCATION_MODES)]
    pub allocation_mode: String,
    /// How many devices, with ExactCount; 1 if not given.
    #[field(5)]
    pub count: i64,
    /// Whether devices are wanted for monitoring only, even if others use them; only in namespaces labelled
    /// for it.
    #[field(6)]
    pub admin_access: Option<bool>,
    /// Alternatives, the most wanted first.
    #[field(7, list = "atomic")]
    pub first_available: Vec<DeviceSubRequest>,
    /// The taints of devices that are put up with.
    #[field(8, list = "atomic")]
    pub tolerations: Vec<DeviceToleration>,
    /// How much of a shared device is needed.
    #[field(9)]
    pub capacity: Option<Box<CapacityRequirements>>,
}

/// One of several alternatives in a request, of which the first that can be met is taken.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::DeviceSubRequest)]
pub struct DeviceSubRequest {
    /// How the alternative is called; others refer to it as `request/alternative`.
    #[field(1, required)]
    pub name: String,
    /// The class that the devices must be of.
    #[field(2, required)]
    pub device_class_name: String,
    /// What else must hold for each device; all of it.
    #[field(3, list = "atomic")]
    #[convert(same)]
    pub selectors: Vec<DeviceSelector>,
    /// ExactCount (the default) for a number of devices, or All for every device that fits.
    #[field(4, values = DEVICE_ALLOCATION_MODES)]
    pub allocation_mode: String,
    /// How many devices, with ExactCount; 1 if not given.
    #[field(5)]
    pub count: i64,
    /// The taints of devices that are put up with.
    #[field(7, list = "atomic")]
    #[convert(same)]
    pub tolerations: Vec<DeviceToleration>,
    /// How much of a shared device is needed.
    #[field(8)]
    #[convert(same)]
    pub capacity: Option<Box<CapacityRequirements>>,
}

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

/// What is claimed.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::ResourceClaimSpec)]
pub struct ResourceClaimSpec {
    /// The devices that are asked for.
    #[field(1, shown)]
    pub devices: DeviceClaim,
}

/// From this a claim is made for each pod that refers to it.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ResourceClaimTemplate)]
pub struct ResourceClaimTemplate {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The claims to be made. Fixed once set.
    #[field(2, required)]
    pub spec: ResourceClaimTemplateSpec,
}

/// A list of templates.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ResourceClaimTemplateList)]
pub struct ResourceClaimTemplateList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ResourceClaimTemplate>,
}

/// The claim that a template makes.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::ResourceClaimTemplateSpec)]
pub struct ResourceClaimTemplateSpec {
    /// Labels and annotations that the claims get.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the claims ask for.
    #[field(2, required)]
    pub spec: ResourceClaimSpec,
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
