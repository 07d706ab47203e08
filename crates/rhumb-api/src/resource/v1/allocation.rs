//! What a claim was given.

use std::collections::BTreeMap;

use rhumb_meta::v1::Condition;
use rhumb_meta::{Quantity, Time};
use rhumb_schema::{RawJson, Schema};

use super::class::DeviceConfiguration;
use super::request::DeviceToleration;
use crate::core::v1::NodeSelector;

/// The values that a `AllocationConfigSource` has.
pub const ALLOCATION_CONFIG_SOURCES: &[&str] = &["FromClass", "FromClaim"];

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
