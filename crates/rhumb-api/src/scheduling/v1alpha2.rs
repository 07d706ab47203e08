//! `scheduling.k8s.io/v1alpha2`.

use rhumb_meta::Object;
use rhumb_meta::v1::{Condition, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

/// The values that a `DisruptionMode` has.
pub const DISRUPTION_MODES: &[&str] = &["Pod", "PodGroup"];

#[derive(Clone, Default, Schema)]
pub struct BasicSchedulingPolicy {}

#[derive(Clone, Default, Schema)]
pub struct GangSchedulingPolicy {
    #[field(1, required)]
    pub min_count: i32,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodGroup {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: PodGroupSpec,
    #[field(3)]
    pub status: PodGroupStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodGroupList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PodGroup>,
}

#[derive(Clone, Default, Schema)]
pub struct PodGroupResourceClaim {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub resource_claim_name: Option<String>,
    #[field(3)]
    pub resource_claim_template_name: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct PodGroupResourceClaimStatus {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub resource_claim_name: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct PodGroupSchedulingConstraints {
    #[field(1, list = "atomic")]
    pub topology: Vec<TopologyConstraint>,
}

#[derive(Clone, Default, Schema)]
pub struct PodGroupSchedulingPolicy {
    #[field(1)]
    pub basic: Option<Box<BasicSchedulingPolicy>>,
    #[field(2)]
    pub gang: Option<Box<GangSchedulingPolicy>>,
}

#[derive(Clone, Default, Schema)]
pub struct PodGroupSpec {
    #[field(1, shown)]
    pub pod_group_template_ref: Option<Box<PodGroupTemplateReference>>,
    #[field(2, required)]
    pub scheduling_policy: PodGroupSchedulingPolicy,
    #[field(3)]
    pub scheduling_constraints: Option<Box<PodGroupSchedulingConstraints>>,
    #[field(4, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub resource_claims: Vec<PodGroupResourceClaim>,
    #[field(5, default = "Pod", values = DISRUPTION_MODES)]
    pub disruption_mode: Option<String>,
    #[field(6)]
    pub priority_class_name: String,
    #[field(7)]
    pub priority: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct PodGroupStatus {
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
    #[field(2, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub resource_claim_statuses: Vec<PodGroupResourceClaimStatus>,
}

#[derive(Clone, Default, Schema)]
pub struct PodGroupTemplate {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub scheduling_policy: PodGroupSchedulingPolicy,
    #[field(3, shown)]
    pub scheduling_constraints: Option<Box<PodGroupSchedulingConstraints>>,
    #[field(4, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub resource_claims: Vec<PodGroupResourceClaim>,
    #[field(5, values = DISRUPTION_MODES)]
    pub disruption_mode: Option<String>,
    #[field(6)]
    pub priority_class_name: String,
    #[field(7)]
    pub priority: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct PodGroupTemplateReference {
    #[field(1, shown)]
    pub workload: Option<Box<WorkloadPodGroupTemplateReference>>,
}

#[derive(Clone, Default, Schema)]
pub struct TopologyConstraint {
    #[field(1, required)]
    pub key: String,
}

#[derive(Clone, Default, Schema)]
pub struct TypedLocalObjectReference {
    #[field(1)]
    pub api_group: String,
    #[field(2, required)]
    pub kind: String,
    #[field(3, required)]
    pub name: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct Workload {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: WorkloadSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct WorkloadList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Workload>,
}

#[derive(Clone, Default, Schema)]
pub struct WorkloadPodGroupTemplateReference {
    #[field(1, required)]
    pub workload_name: String,
    #[field(2, required)]
    pub pod_group_template_name: String,
}

#[derive(Clone, Default, Schema)]
pub struct WorkloadSpec {
    #[field(1)]
    pub controller_ref: Option<Box<TypedLocalObjectReference>>,
    #[field(2, required, keys("name"))]
    pub pod_group_templates: Vec<PodGroupTemplate>,
}
