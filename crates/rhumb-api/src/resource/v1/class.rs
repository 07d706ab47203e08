//! Classes of devices, settings for drivers, and conditions on devices.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::{RawJson, Schema};

/// Devices of a kind, as an administrator defines it for claims to ask for.
#[derive(Clone, Default, Schema, Object)]
pub struct DeviceClass {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What makes the class, and settings for it.
    #[field(2, required)]
    pub spec: DeviceClassSpec,
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

/// Settings for a driver.
#[derive(Clone, Default, Schema)]
pub struct DeviceClassConfiguration {
    #[field(1, inline)]
    pub device_configuration: DeviceConfiguration,
}

/// A list of classes.
#[derive(Clone, Default, Schema, Object)]
pub struct DeviceClassList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<DeviceClass>,
}

/// Settings for a driver, in one of the ways in which they can be said.
#[derive(Clone, Default, Schema)]
pub struct DeviceConfiguration {
    /// Settings that only the driver understands.
    #[field(1)]
    pub opaque: Option<Box<OpaqueDeviceConfiguration>>,
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

/// A condition on devices, in one of the ways in which it can be said.
#[derive(Clone, Default, Schema)]
pub struct DeviceSelector {
    /// A condition in CEL.
    #[field(1)]
    pub cel: Option<Box<CELDeviceSelector>>,
}

/// A condition on a device in CEL.
#[derive(Clone, Default, Schema)]
pub struct CELDeviceSelector {
    /// The condition: true or false for a `device` with its driver, attributes and capacity.
    #[field(1, required)]
    pub expression: String,
}
