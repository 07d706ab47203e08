//! Parameters that the scheduler can read, made by drivers from their own.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::{RawJson, Schema};

use super::{
    NamedResourcesFilter, NamedResourcesRequest, ResourceClaimParametersReference,
    ResourceClassParametersReference,
};

/// What a claim asks for, so that the scheduler can allocate it.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClaimParameters {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The driver's own parameters, from which these were made.
    #[field(2)]
    pub generated_from: Option<Box<ResourceClaimParametersReference>>,
    /// Whether more than one may use the claim at a time.
    #[field(3)]
    pub shareable: bool,
    /// What is asked of each driver.
    #[field(4, list = "atomic")]
    pub driver_requests: Vec<DriverRequests>,
}

/// A list of parameters of claims.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClaimParametersList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ResourceClaimParameters>,
}

/// What is asked of a driver.
#[derive(Clone, Default, Schema)]
pub struct DriverRequests {
    /// The driver.
    #[field(1)]
    pub driver_name: String,
    /// Parameters for all of the requests.
    #[field(2)]
    pub vendor_parameters: RawJson,
    /// The requests, all of which must be met.
    #[field(3, list = "atomic")]
    pub requests: Vec<ResourceRequest>,
}

/// One instance that is asked for.
#[derive(Clone, Default, Schema)]
pub struct ResourceRequest {
    /// Parameters for this request.
    #[field(1)]
    pub vendor_parameters: RawJson,
    /// Which instances would do.
    #[field(2, inline)]
    pub resource_request_model: ResourceRequestModel,
}

/// Which instances would do, in the form that the driver offers them in.
#[derive(Clone, Default, Schema)]
pub struct ResourceRequestModel {
    /// Among those that have names.
    #[field(1)]
    pub named_resources: Option<Box<NamedResourcesRequest>>,
}

/// What a class asks for in addition to its claims.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClassParameters {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The driver's own parameters, from which these were made.
    #[field(2)]
    pub generated_from: Option<Box<ResourceClassParametersReference>>,
    /// Parameters for drivers.
    #[field(3, list = "atomic")]
    pub vendor_parameters: Vec<VendorParameters>,
    /// What must hold for each instance as well.
    #[field(4, list = "atomic")]
    pub filters: Vec<ResourceFilter>,
}

/// A list of parameters of classes.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClassParametersList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ResourceClassParameters>,
}

/// What must hold for each instance of a driver.
#[derive(Clone, Default, Schema)]
pub struct ResourceFilter {
    /// The driver.
    #[field(1)]
    pub driver_name: String,
    /// What must hold.
    #[field(2, inline)]
    pub resource_filter_model: ResourceFilterModel,
}

/// What must hold, in the form that the driver offers instances in.
#[derive(Clone, Default, Schema)]
pub struct ResourceFilterModel {
    /// For those that have names.
    #[field(1)]
    pub named_resources: Option<Box<NamedResourcesFilter>>,
}

/// Parameters for a driver.
#[derive(Clone, Default, Schema)]
pub struct VendorParameters {
    /// The driver.
    #[field(1)]
    pub driver_name: String,
    /// The parameters, of any form.
    #[field(2)]
    pub parameters: RawJson,
}
