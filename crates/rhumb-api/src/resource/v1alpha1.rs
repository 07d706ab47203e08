//! `resource.k8s.io/v1alpha1`: the first claims, of which one driver allocates one thing and tells about it in one
//! text. No release of Kubernetes converts them to another version.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use super::v1alpha2;
use crate::core::v1::NodeSelector;

pub use super::v1::ResourceClaimConsumerReference;
pub use super::v1alpha2::{
    ResourceClaimParametersReference, ResourceClaimSpec, ResourceClaimTemplate, ResourceClaimTemplateList,
    ResourceClaimTemplateSpec, ResourceClassParametersReference,
};

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
    #[field(3, list = "set")]
    pub reserved_for: Vec<ResourceClaimConsumerReference>,
    /// Whether the driver is to take it back.
    #[field(4)]
    pub deallocation_requested: bool,
}

/// What was allocated.
#[derive(Clone, Default, Schema)]
pub struct AllocationResult {
    /// What the driver needs to know to make it ready, at most 16 KiB.
    #[field(1)]
    pub resource_handle: String,
    /// The nodes that can reach it. Without this all can.
    #[field(2)]
    pub available_on_nodes: Option<Box<NodeSelector>>,
    /// Whether more than one may use it at a time.
    #[field(3)]
    pub shareable: bool,
}

/// The driver for claims that name this class, and what it is to know.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1alpha2::ResourceClass, lacks(structured_parameters))]
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
    #[convert(same)]
    pub parameters_ref: Option<Box<ResourceClassParametersReference>>,
    /// The nodes that may have what is claimed. Without this all may.
    #[field(4)]
    #[convert(same)]
    pub suitable_nodes: Option<Box<NodeSelector>>,
}

/// A list of classes.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1alpha2::ResourceClassList)]
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

/// Where a pod that waits for its claims could go, told between the scheduler and drivers.
#[derive(Clone, Default, Schema, Object)]
pub struct PodScheduling {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the scheduler would like.
    #[field(2, required)]
    pub spec: PodSchedulingSpec,
    /// What the drivers say to that.
    #[field(3)]
    pub status: PodSchedulingStatus,
}

/// A list of PodSchedulings.
#[derive(Clone, Default, Schema, Object)]
pub struct PodSchedulingList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<PodScheduling>,
}

/// Where the scheduler would like a pod to go.
#[derive(Clone, Default, Schema)]
pub struct PodSchedulingSpec {
    /// The node that claims are to be allocated for.
    #[field(1)]
    pub selected_node: String,
    /// Nodes that the pod fits on but for its claims, at most 128.
    #[field(2, list = "set")]
    pub potential_nodes: Vec<String>,
}

/// Where the claims of a pod could be met.
#[derive(Clone, Default, Schema)]
pub struct PodSchedulingStatus {
    /// The same for each claim.
    #[field(1, keys("name"))]
    pub resource_claims: Vec<ResourceClaimSchedulingStatus>,
}

/// Where one claim of a pod could be met.
#[derive(Clone, Default, Schema)]
pub struct ResourceClaimSchedulingStatus {
    /// What the pod calls the claim.
    #[field(1)]
    pub name: String,
    /// Nodes among those that the scheduler named where it can't be met.
    #[field(2, list = "set")]
    pub unsuitable_nodes: Vec<String>,
}
