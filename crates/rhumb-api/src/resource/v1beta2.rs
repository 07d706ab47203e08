//! `resource.k8s.io/v1beta2`: v1, with rules that taint devices.

use rhumb_meta::Object;
use rhumb_meta::v1::{Condition, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

pub use super::v1::{
    AllocatedDeviceStatus, AllocationResult, CELDeviceSelector, CapacityRequestPolicy,
    CapacityRequestPolicyRange, CapacityRequirements, Counter, CounterSet, Device,
    DeviceAllocationConfiguration, DeviceAllocationResult, DeviceAttribute, DeviceCapacity, DeviceClaim,
    DeviceClaimConfiguration, DeviceClass, DeviceClassConfiguration, DeviceClassList, DeviceClassSpec,
    DeviceConfiguration, DeviceConstraint, DeviceCounterConsumption, DeviceRequest,
    DeviceRequestAllocationResult, DeviceSelector, DeviceSubRequest, DeviceTaint, DeviceToleration,
    ExactDeviceRequest, NetworkDeviceData, NodeAllocatableResourceMapping, OpaqueDeviceConfiguration,
    ResourceClaim, ResourceClaimConsumerReference, ResourceClaimList, ResourceClaimSpec, ResourceClaimStatus,
    ResourceClaimTemplate, ResourceClaimTemplateList, ResourceClaimTemplateSpec, ResourcePool, ResourceSlice,
    ResourceSliceList, ResourceSliceSpec,
};

/// Taints all devices that match, until it is deleted.
#[derive(Clone, Default, Schema, Object)]
pub struct DeviceTaintRule {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// Which devices get which taint.
    #[field(2, required)]
    pub spec: DeviceTaintRuleSpec,
    /// What became of it.
    #[field(3)]
    pub status: DeviceTaintRuleStatus,
}

/// A list of rules.
#[derive(Clone, Default, Schema, Object)]
pub struct DeviceTaintRuleList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<DeviceTaintRule>,
}

/// Which devices get which taint.
#[derive(Clone, Default, Schema)]
pub struct DeviceTaintRuleSpec {
    /// The devices; an empty one matches every device, and without one none match.
    #[field(1)]
    pub device_selector: Option<Box<DeviceTaintSelector>>,
    /// The taint that they get.
    #[field(2, required_omitempty)]
    pub taint: DeviceTaint,
}

/// What became of a rule.
#[derive(Clone, Default, Schema)]
pub struct DeviceTaintRuleStatus {
    /// The state of the rule, such as how far evicting pods has come.
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}

/// Devices by where they come from; all that is said must match.
#[derive(Clone, Default, Schema)]
pub struct DeviceTaintSelector {
    /// Devices of this driver.
    #[field(2)]
    pub driver: Option<String>,
    /// Devices in this pool.
    #[field(3)]
    pub pool: Option<String>,
    /// Devices of this name.
    #[field(4)]
    pub device: Option<String>,
}
