//! Claims on devices, and templates of claims.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use super::allocation::{AllocatedDeviceStatus, AllocationResult};
use super::request::DeviceClaim;

/// A claim on devices, which pods refer to and the scheduler allocates.
#[derive(Clone, Default, Schema, Object)]
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

/// From this a claim is made for each pod that refers to it.
#[derive(Clone, Default, Schema, Object)]
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

/// A list of templates.
#[derive(Clone, Default, Schema, Object)]
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
