//! What the group had in older releases: kinds that are gone, and a claim's source as it was until v1.30.

use rhumb_meta::Object;
use rhumb_meta::v1::{ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use super::EphemeralContainer;

/// The ephemeral containers of a pod, as its subresource took them. Gone since Kubernetes 1.22.
#[derive(Clone, Default, Schema, Object)]
#[schema(retired)]
pub struct EphemeralContainers {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The metadata of the pod.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// All of the containers, those included that the pod has already.
    #[field(2, required, merge = "merge", merge_key = "name")]
    pub ephemeral_containers: Vec<EphemeralContainer>,
}

/// Where the claim of a pod comes from: exactly one of these.
#[derive(Clone, Default, Schema)]
pub struct ClaimSource {
    /// An existing ResourceClaim.
    #[field(1)]
    pub resource_claim_name: Option<String>,
    /// A ResourceClaimTemplate.
    #[field(2)]
    pub resource_claim_template_name: Option<String>,
}
