//! `resource.k8s.io/v1beta2`.

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

#[derive(Clone, Default, Schema, Object)]
pub struct DeviceTaintRule {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: DeviceTaintRuleSpec,
    #[field(3)]
    pub status: DeviceTaintRuleStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct DeviceTaintRuleList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<DeviceTaintRule>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceTaintRuleSpec {
    #[field(1)]
    pub device_selector: Option<Box<DeviceTaintSelector>>,
    #[field(2, required_omitempty)]
    pub taint: DeviceTaint,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceTaintRuleStatus {
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}

#[derive(Clone, Default, Schema)]
pub struct DeviceTaintSelector {
    #[field(2)]
    pub driver: Option<String>,
    #[field(3)]
    pub pool: Option<String>,
    #[field(4)]
    pub device: Option<String>,
}
