//! `resource.k8s.io/v1alpha2`: claims on whatever a class stands for, which a driver allocates by parameters of its
//! own or the scheduler by named instances. Nothing of it is left in v1alpha3 but the kinds' names, so that no
//! release of Kubernetes converts between the two.

mod named_resources;
mod parameters;

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::{RawJson, Schema};
use rhumb_scheme::Convert;

use super::v1alpha3;
use crate::core::v1::NodeSelector;

pub use super::v1::ResourceClaimConsumerReference;
pub use super::v1alpha3::PodSchedulingContextSpec;
pub use named_resources::*;
pub use parameters::*;

/// When a claim is allocated.
pub const ALLOCATION_MODES: &[&str] = &["WaitForFirstConsumer", "Immediate"];

/// What someone needs of a class of resources, and what they got.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClaim {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is claimed. It can't be changed.
    #[field(2, required)]
    pub spec: ResourceClaimSpec,
    /// What was allocated, and who uses it.
    #[field(3)]
    pub status: ResourceClaimStatus,
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

/// What is claimed.
#[derive(Clone, Default, Schema)]
pub struct ResourceClaimSpec {
    /// The class, which names the driver.
    #[field(1, required)]
    pub resource_class_name: String,
    /// An object with parameters for the driver, in the same namespace.
    #[field(2)]
    pub parameters_ref: Option<Box<ResourceClaimParametersReference>>,
    /// When to allocate: `WaitForFirstConsumer`, as is the default, or `Immediate`.
    #[field(3, values = ALLOCATION_MODES)]
    pub allocation_mode: String,
}

/// What was allocated to a claim, and who uses it.
#[derive(Clone, Default, Schema)]
pub struct ResourceClaimStatus {
    /// The driver that allocated it.
    #[field(1)]
    pub driver_name: String,
    /// What was allocated.
    #[field(2)]
    pub allocation: Option<Box<AllocationResult>>,
    /// Who may use it, at most 32.
    #[field(3, keys("uid"), merge = "merge", merge_key = "uid")]
    pub reserved_for: Vec<ResourceClaimConsumerReference>,
    /// Whether the driver is to take it back.
    #[field(4)]
    pub deallocation_requested: bool,
}

/// What was allocated.
#[derive(Clone, Default, Schema)]
pub struct AllocationResult {
    /// What drivers need to know to make it ready, at most 32.
    #[field(1, list = "atomic")]
    pub resource_handles: Vec<ResourceHandle>,
    /// The nodes that can reach it. Without this all can.
    #[field(2)]
    pub available_on_nodes: Option<Box<NodeSelector>>,
    /// Whether more than one may use it at a time.
    #[field(3)]
    pub shareable: bool,
}

/// What a driver needs to know to make an allocation ready.
#[derive(Clone, Default, Schema)]
pub struct ResourceHandle {
    /// The driver.
    #[field(1)]
    pub driver_name: String,
    /// Text for that driver, at most 16 KiB.
    #[field(2)]
    pub data: String,
    /// The same with a form, if the scheduler allocated it.
    #[field(5)]
    pub structured_data: Option<Box<StructuredResourceHandle>>,
}

/// An allocation that the scheduler made.
#[derive(Clone, Default, Schema)]
pub struct StructuredResourceHandle {
    /// The parameters of the class, as they were then.
    #[field(1)]
    pub vendor_class_parameters: RawJson,
    /// The parameters of the claim, as they were then.
    #[field(2)]
    pub vendor_claim_parameters: RawJson,
    /// The node that has it.
    #[field(4)]
    pub node_name: String,
    /// What was allocated, of each driver.
    #[field(5, required, list = "atomic")]
    pub results: Vec<DriverAllocationResult>,
}

/// One instance that was allocated.
#[derive(Clone, Default, Schema)]
pub struct DriverAllocationResult {
    /// The parameters of the request, as they were then.
    #[field(1)]
    pub vendor_request_parameters: RawJson,
    /// The instance.
    #[field(2, inline)]
    pub allocation_result_model: AllocationResultModel,
}

/// An instance that was allocated, in the form that the driver offers its own in.
#[derive(Clone, Default, Schema)]
pub struct AllocationResultModel {
    /// One that has a name.
    #[field(1)]
    pub named_resources: Option<Box<NamedResourcesAllocationResult>>,
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
    /// The claims to be made. It can't be changed.
    #[field(2, required)]
    pub spec: ResourceClaimTemplateSpec,
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

/// The driver for claims that name this class, and what it is to know.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClass {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The driver.
    #[field(2, required)]
    pub driver_name: String,
    /// An object with parameters for the driver.
    #[field(3)]
    pub parameters_ref: Option<Box<ResourceClassParametersReference>>,
    /// The nodes that may have what is claimed. Without this all may.
    #[field(4)]
    pub suitable_nodes: Option<Box<NodeSelector>>,
    /// Whether the scheduler allocates, by parameters that it can read.
    #[field(5)]
    pub structured_parameters: Option<bool>,
}

/// A list of classes.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceClassList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ResourceClass>,
}

/// An object with parameters of a class.
#[derive(Clone, Default, Schema)]
pub struct ResourceClassParametersReference {
    /// Its API group, empty for the core group.
    #[field(1)]
    pub api_group: String,
    /// Its kind.
    #[field(2, required)]
    pub kind: String,
    /// Its name.
    #[field(3, required)]
    pub name: String,
    /// Its namespace, if it is in one.
    #[field(4)]
    pub namespace: String,
}

/// An object with parameters of a claim, in the claim's namespace.
#[derive(Clone, Default, Schema)]
pub struct ResourceClaimParametersReference {
    /// Its API group, empty for the core group.
    #[field(1)]
    pub api_group: String,
    /// Its kind.
    #[field(2, required)]
    pub kind: String,
    /// Its name.
    #[field(3, required)]
    pub name: String,
}

/// Where a pod that waits for its claims could go, told between the scheduler and drivers.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1alpha3::PodSchedulingContext)]
pub struct PodSchedulingContext {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the scheduler would like.
    #[field(2, required)]
    pub spec: PodSchedulingContextSpec,
    /// What the drivers say to that.
    #[field(3)]
    pub status: PodSchedulingContextStatus,
}

/// A list of PodSchedulingContexts.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1alpha3::PodSchedulingContextList)]
pub struct PodSchedulingContextList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<PodSchedulingContext>,
}

/// Where the claims of a pod could be met.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1alpha3::PodSchedulingContextStatus)]
pub struct PodSchedulingContextStatus {
    /// The same for each claim.
    #[field(1, keys("name"))]
    pub resource_claims: Vec<ResourceClaimSchedulingStatus>,
}

/// Where one claim of a pod could be met.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1alpha3::ResourceClaimSchedulingStatus)]
pub struct ResourceClaimSchedulingStatus {
    /// What the pod calls the claim.
    #[field(1)]
    pub name: String,
    /// Nodes among those that the scheduler named where it can't be met.
    #[field(2, list = "atomic")]
    pub unsuitable_nodes: Vec<String>,
}

/// What one driver has to offer on one node.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceSlice {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The node.
    #[field(2)]
    pub node_name: String,
    /// The driver.
    #[field(3, required)]
    pub driver_name: String,
    /// What there is.
    #[field(4, inline)]
    pub resource_model: ResourceModel,
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

/// What a driver has to offer, in the form that it chose.
#[derive(Clone, Default, Schema)]
pub struct ResourceModel {
    /// Instances that have names.
    #[field(1)]
    pub named_resources: Option<Box<NamedResourcesResources>>,
}
