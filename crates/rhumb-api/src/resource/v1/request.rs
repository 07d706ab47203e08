//! What a claim asks for.

use std::collections::BTreeMap;

use rhumb_meta::Quantity;
use rhumb_schema::Schema;

use super::class::{DeviceConfiguration, DeviceSelector};
use super::slice::DEVICE_TAINT_EFFECTS;

/// The values that a `DeviceAllocationMode` has.
pub const DEVICE_ALLOCATION_MODES: &[&str] = &["ExactCount", "All"];

/// The values that a `DeviceTolerationOperator` has.
pub const DEVICE_TOLERATION_OPERATORS: &[&str] = &["Exists", "Equal"];

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
    #[field(3, values = DEVICE_ALLOCATION_MODES)]
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
    #[field(4, values = DEVICE_ALLOCATION_MODES)]
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

/// How much of a device is needed.
#[derive(Clone, Default, Schema)]
pub struct CapacityRequirements {
    /// Amounts by the name of the capacity.
    #[field(1)]
    pub requests: BTreeMap<String, Quantity>,
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

/// Settings for a driver.
#[derive(Clone, Default, Schema)]
pub struct DeviceClaimConfiguration {
    /// The requests that they are for; all of them if empty.
    #[field(1, list = "atomic")]
    pub requests: Vec<String>,
    #[field(2, inline)]
    pub device_configuration: DeviceConfiguration,
}
