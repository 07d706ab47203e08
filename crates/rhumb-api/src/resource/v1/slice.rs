//! The devices that drivers offer.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;

use crate::core::v1::NodeSelector;

/// The values that a `DeviceTaintEffect` has.
pub const DEVICE_TAINT_EFFECTS: &[&str] = &["None", "NoSchedule", "NoExecute"];

/// Devices that one driver offers in one pool, or a part of them.
#[derive(Clone, Default, Schema, Object)]
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

/// A list of slices.
#[derive(Clone, Default, Schema, Object)]
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

/// An amount to draw from.
#[derive(Clone, Default, Schema)]
pub struct Counter {
    #[field(1, required)]
    pub value: Quantity,
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
