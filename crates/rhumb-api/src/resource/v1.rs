//! `resource.k8s.io/v1`: devices, classes of them, and claims. Its types are the hub's.

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

/// What a driver says about a device that it prepared for a claim.
#[derive(Clone, Default, Schema)]
pub struct AllocatedDeviceStatus {
    /// The driver; with pool and device it names an allocated device.
    #[field(1, required)]
    pub driver: String,
    #[field(2, required)]
    pub pool: String,
    #[field(3, required)]
    pub device: String,
    /// Which share of a device it is about, if several claims share it.
    #[field(7, json = "shareID")]
    pub share_id: Option<String>,
    /// The state of the device.
    #[field(4, shown, keys("type"))]
    pub conditions: Vec<Condition>,
    /// What else the driver has to say, as a JSON object.
    #[field(5)]
    pub data: Option<RawJson>,
    /// Addresses, if it is a network device.
    #[field(6)]
    pub network_data: Option<Box<NetworkDeviceData>>,
}

/// What a claim was given.
#[derive(Clone, Default, Schema)]
pub struct AllocationResult {
    /// The devices.
    #[field(1)]
    pub devices: DeviceAllocationResult,
    /// The nodes that can reach them all; every node if not given.
    #[field(3)]
    pub node_selector: Option<Box<NodeSelector>>,
    /// When they were allocated.
    #[field(5)]
    pub allocation_timestamp: Option<Time>,
}

/// A condition on a device in CEL.
#[derive(Clone, Default, Schema)]
pub struct CELDeviceSelector {
    /// The condition: true or false for a `device` with its driver, attributes and capacity.
    #[field(1, required)]
    pub expression: String,
}

/// Which amounts of a capacity can be asked for.
#[derive(Clone, Default, Schema)]
pub struct CapacityRequestPolicy {
    /// What a request gets that doesn't say how much.
    #[field(1, shown)]
    pub default: Option<Quantity>,
    /// The amounts, ascending; others are rounded up to the next.
    #[field(3, list = "atomic")]
    pub valid_values: Vec<Quantity>,
    /// The amounts as a range.
    #[field(4)]
    pub valid_range: Option<Box<CapacityRequestPolicyRange>>,
}

/// A range of amounts.
#[derive(Clone, Default, Schema)]
pub struct CapacityRequestPolicyRange {
    #[field(1, required_omitempty)]
    pub min: Option<Quantity>,
    #[field(2)]
    pub max: Option<Quantity>,
    /// Amounts are this far apart, counted from the least.
    #[field(3)]
    pub step: Option<Quantity>,
}

/// How much of a device is needed.
#[derive(Clone, Default, Schema)]
pub struct CapacityRequirements {
    /// Amounts by the name of the capacity.
    #[field(1)]
    pub requests: BTreeMap<String, Quantity>,
}

/// An amount to draw from.
#[derive(Clone, Default, Schema)]
pub struct Counter {
    #[field(1, required)]
    pub value: Quantity,
}

/// Counters that devices of a pool draw from when they are allocated.
#[derive(Clone, Default, Schema)]
pub struct CounterSet {
    /// How devices refer to the set.
    #[field(1, required)]
    pub name: String,
    /// The counters by name, at most 32.
    #[field(2, required_omitempty)]
    pub counters: BTreeMap<String, Counter>,
}

/// A device that can be allocated.
#[derive(Clone, Default, Schema)]
pub struct Device {
    /// Its name, which is unique in the pool.
    #[field(1, required)]
    pub name: String,
    /// What there is to know of it: values by name, where a name without a domain is the driver's.
    #[field(2)]
    pub attributes: BTreeMap<String, DeviceAttribute>,
    /// How much of what it has.
    #[field(3)]
    pub capacity: BTreeMap<String, DeviceCapacity>,
    /// What it takes from shared counters while it is allocated.
    #[field(4, list = "atomic")]
    pub consumes_counters: Vec<DeviceCounterConsumption>,
    /// The node that has it, if devices say so for themselves.
    #[field(5)]
    pub node_name: Option<String>,
    /// The nodes that can reach it, if devices say so for themselves.
    #[field(6)]
    pub node_selector: Option<Box<NodeSelector>>,
    /// Whether every node can reach it, if devices say so for themselves.
    #[field(7)]
    pub all_nodes: Option<bool>,
    /// What keeps claims away that don't tolerate it.
    #[field(8, list = "atomic")]
    pub taints: Vec<DeviceTaint>,
    /// Whether an allocation of it ties the claim to the node that was chosen.
    #[field(9)]
    pub binds_to_node: Option<bool>,
    /// Conditions that must be true before a pod with it is bound.
    #[field(10, list = "atomic")]
    pub binding_conditions: Vec<String>,
    /// Conditions of which none may become true before that.
    #[field(11, list = "atomic")]
    pub binding_failure_conditions: Vec<String>,
    /// Whether several claims can share it.
    #[field(12)]
    pub allow_multiple_allocations: Option<bool>,
    /// What it takes of a node's own resources, such as memory.
    #[field(13)]
    pub node_allocatable_resource_mappings: BTreeMap<String, NodeAllocatableResourceMapping>,
}

/// Settings for a driver, and where they come from.
#[derive(Clone, Default, Schema)]
pub struct DeviceAllocationConfiguration {
    /// FromClass or FromClaim; the claim's settings come later and win.
    #[field(1, required, values = ALLOCATION_CONFIG_SOURCES)]
    pub source: String,
    /// The requests that they are for; all of them if empty.
    #[field(2, list = "atomic")]
    pub requests: Vec<String>,
    #[field(3, inline)]
    pub device_configuration: DeviceConfiguration,
}

/// The devices that a claim was given.
#[derive(Clone, Default, Schema)]
pub struct DeviceAllocationResult {
    /// The devices, by request.
    #[field(1, list = "atomic")]
    pub results: Vec<DeviceRequestAllocationResult>,
    /// The settings that drivers get with them.
    #[field(2, list = "atomic")]
    pub config: Vec<DeviceAllocationConfiguration>,
}

/// A value of one of several types.
#[derive(Clone, Default, Schema)]
pub struct DeviceAttribute {
    #[field(2)]
    pub int: Option<i64>,
    #[field(3)]
    pub bool: Option<bool>,
    #[field(4)]
    pub string: Option<String>,
    /// A version as of semver.org 2.0.0.
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

/// How much a device has of something.
#[derive(Clone, Default, Schema)]
pub struct DeviceCapacity {
    /// The amount.
    #[field(1, required)]
    pub value: Quantity,
    /// How it is shared out, if several claims can share the device.
    #[field(2)]
    pub request_policy: Option<Box<CapacityRequestPolicy>>,
}

/// The devices that a claim asks for.
#[derive(Clone, Default, Schema)]
pub struct DeviceClaim {
    /// The requests, all of which must be met.
    #[field(1, shown, list = "atomic")]
    pub requests: Vec<DeviceRequest>,
    /// What the devices must have in common, or must not.
    #[field(2, list = "atomic")]
    pub constraints: Vec<DeviceConstraint>,
    /// Settings for drivers, handed on when a device is prepared.
    #[field(3, list = "atomic")]
    pub config: Vec<DeviceClaimConfiguration>,
}

/// Settings for a driver.
#[derive(Clone, Default, Schema)]
pub struct DeviceClaimConfiguration {
    /// The requests that they are for; all of them if empty.
    #[field(1, list = "atomic")]
    pub requests: Vec<String>,
    #[field(2, inline)]
    pub device_configuration: DeviceConfiguration,
}

/// Devices of a kind, as an administrator defines it for claims to ask for.
#[derive(Clone, Default, Schema, Object)]
pub struct DeviceClass {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What makes the class, and settings for it.
    #[field(2, required)]
    pub spec: DeviceClassSpec,
}

/// Settings for a driver.
#[derive(Clone, Default, Schema)]
pub struct DeviceClassConfiguration {
    #[field(1, inline)]
    pub device_configuration: DeviceConfiguration,
}

/// A list of classes.
#[derive(Clone, Default, Schema, Object)]
pub struct DeviceClassList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<DeviceClass>,
}

/// What makes a class, and settings for it.
#[derive(Clone, Default, Schema)]
pub struct DeviceClassSpec {
    /// What must hold for a device of the class; all of it.
    #[field(1, list = "atomic")]
    pub selectors: Vec<DeviceSelector>,
    /// Settings that drivers get with each device of the class.
    #[field(2, list = "atomic")]
    pub config: Vec<DeviceClassConfiguration>,
    /// An extended resource; pods that ask for it get devices of the class.
    #[field(4)]
    pub extended_resource_name: Option<String>,
}

/// Settings for a driver, in one of the ways in which they can be said.
#[derive(Clone, Default, Schema)]
pub struct DeviceConfiguration {
    /// Settings that only the driver understands.
    #[field(1)]
    pub opaque: Option<Box<OpaqueDeviceConfiguration>>,
}

/// What devices must have in common, or must not.
#[derive(Clone, Default, Schema)]
pub struct DeviceConstraint {
    /// The requests that it is about; all of them if empty.
    #[field(1, list = "atomic")]
    pub requests: Vec<String>,
    /// The devices have the same value here. The name has a domain.
    #[field(2)]
    pub match_attribute: Option<String>,
    /// The devices have different values here. The name has a domain.
    #[field(3)]
    pub distinct_attribute: Option<String>,
}

/// What a device takes from a set of counters.
#[derive(Clone, Default, Schema)]
pub struct DeviceCounterConsumption {
    /// The set.
    #[field(1, required)]
    pub counter_set: String,
    /// How much, by counter.
    #[field(2, required_omitempty)]
    pub counters: BTreeMap<String, Counter>,
}

/// One request: either for devices of one class, or for the best of several alternatives.
#[derive(Clone, Default, Schema)]
pub struct DeviceRequest {
    /// How the request is called in constraints, settings and pods.
    #[field(1, required)]
    pub name: String,
    /// Devices of one class.
    #[field(2)]
    pub exactly: Option<Box<ExactDeviceRequest>>,
    /// Alternatives, the most wanted first.
    #[field(3, list = "atomic")]
    pub first_available: Vec<DeviceSubRequest>,
}

/// A device that a request was given.
#[derive(Clone, Default, Schema)]
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
    /// Whether the device is seen only, while others may use it.
    #[field(5)]
    pub admin_access: Option<bool>,
    /// The tolerations of the request at that time.
    #[field(6, list = "atomic")]
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

/// A condition on devices, in one of the ways in which it can be said.
#[derive(Clone, Default, Schema)]
pub struct DeviceSelector {
    /// A condition in CEL.
    #[field(1)]
    pub cel: Option<Box<CELDeviceSelector>>,
}

/// One of several alternatives in a request, of which the first that can be met is taken.
#[derive(Clone, Default, Schema)]
pub struct DeviceSubRequest {
    /// How the alternative is called; others refer to it as `request/alternative`.
    #[field(1, required)]
    pub name: String,
    /// The class that the devices must be of.
    #[field(2, required)]
    pub device_class_name: String,
    /// What else must hold for each device; all of it.
    #[field(3, list = "atomic")]
    pub selectors: Vec<DeviceSelector>,
    /// ExactCount (the default) for a number of devices, or All for every device that fits.
    #[field(4)]
    pub allocation_mode: String,
    /// How many devices, with ExactCount; 1 if not given.
    #[field(5)]
    pub count: i64,
    /// The taints of devices that are put up with.
    #[field(6, list = "atomic")]
    pub tolerations: Vec<DeviceToleration>,
    /// How much of a shared device is needed.
    #[field(7)]
    pub capacity: Option<Box<CapacityRequirements>>,
}

/// What keeps claims away from a device that don't tolerate it.
#[derive(Clone, Default, Schema)]
pub struct DeviceTaint {
    /// What it is about, as the key of a label.
    #[field(1, required)]
    pub key: String,
    #[field(2)]
    pub value: String,
    /// None, NoSchedule (nothing new), or NoExecute (running pods are evicted too).
    #[field(3, required, values = DEVICE_TAINT_EFFECTS)]
    pub effect: String,
    /// Since when it is there; the server fills it in.
    #[field(4)]
    pub time_added: Option<Time>,
}

/// Taints of devices that a request puts up with.
#[derive(Clone, Default, Schema)]
pub struct DeviceToleration {
    /// The taint's key; any if empty, which needs Exists.
    #[field(1)]
    pub key: String,
    /// Exists, or Equal (the default) for a certain value.
    #[field(2, default = "Equal", values = DEVICE_TOLERATION_OPERATORS)]
    pub operator: String,
    #[field(3)]
    pub value: String,
    /// The taint's effect; any if empty.
    #[field(4, values = DEVICE_TAINT_EFFECTS)]
    pub effect: String,
    /// How long pods stay with a NoExecute taint; without end if not given.
    #[field(5)]
    pub toleration_seconds: Option<i64>,
}

/// A request for devices of one class.
#[derive(Clone, Default, Schema)]
pub struct ExactDeviceRequest {
    /// The class that the devices must be of.
    #[field(1, required)]
    pub device_class_name: String,
    /// What else must hold for each device; all of it.
    #[field(2, list = "atomic")]
    pub selectors: Vec<DeviceSelector>,
    /// ExactCount (the default) for a number of devices, or All for every device that fits.
    #[field(3)]
    pub allocation_mode: String,
    /// How many devices, with ExactCount; 1 if not given.
    #[field(4)]
    pub count: i64,
    /// Whether devices are wanted for monitoring only, even if others use them; only in namespaces labelled
    /// for it.
    #[field(5)]
    pub admin_access: Option<bool>,
    /// The taints of devices that are put up with.
    #[field(6, list = "atomic")]
    pub tolerations: Vec<DeviceToleration>,
    /// How much of a shared device is needed.
    #[field(7)]
    pub capacity: Option<Box<CapacityRequirements>>,
}

/// Addresses of a network device.
#[derive(Clone, Default, Schema)]
pub struct NetworkDeviceData {
    #[field(1)]
    pub interface_name: String,
    /// Addresses with the length of their prefix, such as 192.0.2.5/24.
    #[field(2, list = "atomic")]
    pub ips: Vec<String>,
    #[field(3)]
    pub hardware_address: String,
}

/// How much of a node's own resource a device takes.
#[derive(Clone, Default, Schema)]
pub struct NodeAllocatableResourceMapping {
    /// The capacity of the device that it is counted from.
    #[field(1)]
    pub capacity_key: Option<String>,
    /// What that is multiplied with, or the amount itself; 1 if not given.
    #[field(2)]
    pub allocation_multiplier: Option<Quantity>,
}

/// Settings that only one driver understands.
#[derive(Clone, Default, Schema)]
pub struct OpaqueDeviceConfiguration {
    /// The driver.
    #[field(1, required)]
    pub driver: String,
    /// The settings as a JSON object, best with a kind and an apiVersion of the driver's own.
    #[field(2, required)]
    pub parameters: RawJson,
}

/// A claim on devices, which pods refer to and the scheduler allocates.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClaim {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is claimed. Fixed once set.
    #[field(2, required)]
    pub spec: ResourceClaimSpec,
    /// What was allocated, and who uses it.
    #[field(3)]
    pub status: ResourceClaimStatus,
}

/// Someone who uses a claim, mostly a pod.
#[derive(Clone, Default, Schema)]
pub struct ResourceClaimConsumerReference {
    #[field(1)]
    pub api_group: String,
    /// The resource, such as pods.
    #[field(3, required)]
    pub resource: String,
    #[field(4, required)]
    pub name: String,
    #[field(5, required)]
    pub uid: String,
}

/// A list of claims.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClaimList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ResourceClaim>,
}

/// What is claimed.
#[derive(Clone, Default, Schema)]
pub struct ResourceClaimSpec {
    /// The devices that are asked for.
    #[field(1, shown)]
    pub devices: DeviceClaim,
}

/// What a claim was given, and who uses it.
#[derive(Clone, Default, Schema)]
pub struct ResourceClaimStatus {
    /// What it was given. Fixed once set, until it is taken away as a whole.
    #[field(1)]
    pub allocation: Option<Box<AllocationResult>>,
    /// Who uses it now, at most 256; pods not listed here can't start with it.
    #[field(2, keys("uid"), merge = "merge", merge_key = "uid")]
    pub reserved_for: Vec<ResourceClaimConsumerReference>,
    /// What drivers say about its devices.
    #[field(4, keys("driver", "device", "pool", "shareID"))]
    pub devices: Vec<AllocatedDeviceStatus>,
}

/// From this a claim is made for each pod that refers to it.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClaimTemplate {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The claims to be made. Fixed once set.
    #[field(2, required)]
    pub spec: ResourceClaimTemplateSpec,
}

/// A list of templates.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClaimTemplateList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ResourceClaimTemplate>,
}

/// The claim that a template makes.
#[derive(Clone, Default, Schema)]
pub struct ResourceClaimTemplateSpec {
    /// Labels and annotations that the claims get.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the claims ask for.
    #[field(2, required)]
    pub spec: ResourceClaimSpec,
}

/// A pool of devices that a driver keeps, in one or more slices.
#[derive(Clone, Default, Schema)]
pub struct ResourcePool {
    /// Its name; a driver often has one per node, named after it.
    #[field(1, required)]
    pub name: String,
    /// Grows with each change of the pool; slices of older generations are ignored.
    #[field(2, required)]
    pub generation: i64,
    /// How many slices the pool has in this generation.
    #[field(3, required)]
    pub resource_slice_count: i64,
}

/// Devices that one driver offers in one pool, or a part of them.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceSlice {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The devices.
    #[field(2, required)]
    pub spec: ResourceSliceSpec,
}

/// A list of slices.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceSliceList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ResourceSlice>,
}

/// The devices of a slice, and the nodes that can reach them, said in exactly one of four ways.
#[derive(Clone, Default, Schema)]
pub struct ResourceSliceSpec {
    /// The driver, by its domain name. Fixed once set.
    #[field(1, required)]
    pub driver: String,
    /// The pool that the slice belongs to.
    #[field(2, required)]
    pub pool: ResourcePool,
    /// The one node that has the devices. Fixed once set.
    #[field(3)]
    pub node_name: Option<String>,
    /// The nodes that can reach the devices, in a single term.
    #[field(4)]
    pub node_selector: Option<Box<NodeSelector>>,
    /// Whether every node can reach the devices.
    #[field(5)]
    pub all_nodes: Option<bool>,
    /// The devices, at most 128, each with a name of its own.
    #[field(6, list = "atomic")]
    pub devices: Vec<Device>,
    /// Whether each device says for itself which nodes can reach it.
    #[field(7)]
    pub per_device_node_selection: Option<bool>,
    /// Sets of counters that devices of the pool draw from; a slice has these or devices.
    #[field(8, list = "atomic")]
    pub shared_counters: Vec<CounterSet>,
}
