//! `scheduling.k8s.io/v1alpha2`: pods that are scheduled together.

use rhumb_meta::Object;
use rhumb_meta::v1::{Condition, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

/// Whether disruption takes pods one by one or the group as a whole.
pub const DISRUPTION_MODES: &[&str] = &["Pod", "PodGroup"];

/// How the pods of an application are to be scheduled, as templates for groups of them.
#[derive(Clone, Default, Schema, Object)]
pub struct Workload {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The templates.
    #[field(2, required)]
    pub spec: WorkloadSpec,
}

/// The templates of a workload.
#[derive(Clone, Default, Schema)]
pub struct WorkloadSpec {
    /// The object that controls the workload, such as a Job; for people and tools only. It can't be changed.
    #[field(1)]
    pub controller_ref: Option<Box<TypedLocalObjectReference>>,
    /// What groups are made from, at most 8. They can't be changed.
    #[field(2, required, keys("name"))]
    pub pod_group_templates: Vec<PodGroupTemplate>,
}

/// An object in the same namespace.
#[derive(Clone, Default, Schema)]
pub struct TypedLocalObjectReference {
    /// Its API group, empty for the core group.
    #[field(1)]
    pub api_group: String,
    #[field(2, required)]
    pub kind: String,
    #[field(3, required)]
    pub name: String,
}

/// What groups of pods are made from.
#[derive(Clone, Default, Schema)]
pub struct PodGroupTemplate {
    /// Its name within the workload, a DNS label.
    #[field(1, required)]
    pub name: String,
    /// How the pods of a group are scheduled.
    #[field(2, required)]
    pub scheduling_policy: PodGroupSchedulingPolicy,
    /// Where the pods of a group may be put.
    #[field(3, shown)]
    pub scheduling_constraints: Option<Box<PodGroupSchedulingConstraints>>,
    /// The devices that the pods of a group share, at most 4 claims.
    #[field(4, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub resource_claims: Vec<PodGroupResourceClaim>,
    /// Whether pods of a group may be disrupted one by one (`Pod`) or only together (`PodGroup`).
    #[field(5, values = DISRUPTION_MODES)]
    pub disruption_mode: Option<String>,
    /// The class that gives a group its priority.
    #[field(6)]
    pub priority_class_name: String,
    /// The priority itself.
    #[field(7)]
    pub priority: Option<i32>,
}

/// Pods that are scheduled together.
#[derive(Clone, Default, Schema, Object)]
pub struct PodGroup {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// How and where its pods are scheduled.
    #[field(2, required)]
    pub spec: PodGroupSpec,
    /// How scheduling goes.
    #[field(3)]
    pub status: PodGroupStatus,
}

/// How and where the pods of a group are scheduled.
#[derive(Clone, Default, Schema)]
pub struct PodGroupSpec {
    /// The template it was made from. It can't be changed.
    #[field(1, shown)]
    pub pod_group_template_ref: Option<Box<PodGroupTemplateReference>>,
    /// How its pods are scheduled. It can't be changed.
    #[field(2, required)]
    pub scheduling_policy: PodGroupSchedulingPolicy,
    /// Where its pods may be put. It can't be changed.
    #[field(3)]
    pub scheduling_constraints: Option<Box<PodGroupSchedulingConstraints>>,
    /// The devices that its pods share, at most 4 claims. They can't be changed.
    #[field(4, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub resource_claims: Vec<PodGroupResourceClaim>,
    /// Whether its pods may be disrupted one by one (`Pod`) or only together (`PodGroup`).
    #[field(5, default = "Pod", values = DISRUPTION_MODES)]
    pub disruption_mode: Option<String>,
    /// The class that gives it its priority.
    #[field(6)]
    pub priority_class_name: String,
    /// The priority itself.
    #[field(7)]
    pub priority: Option<i32>,
}

/// The template a group was made from.
#[derive(Clone, Default, Schema)]
pub struct PodGroupTemplateReference {
    /// A template of a Workload.
    #[field(1, shown)]
    pub workload: Option<Box<WorkloadPodGroupTemplateReference>>,
}

/// A template of a Workload.
#[derive(Clone, Default, Schema)]
pub struct WorkloadPodGroupTemplateReference {
    #[field(1, required)]
    pub workload_name: String,
    #[field(2, required)]
    pub pod_group_template_name: String,
}

/// How the pods of a group are scheduled: in exactly one of these ways.
#[derive(Clone, Default, Schema)]
pub struct PodGroupSchedulingPolicy {
    /// Each on its own.
    #[field(1)]
    pub basic: Option<Box<BasicSchedulingPolicy>>,
    /// All or nothing.
    #[field(2)]
    pub gang: Option<Box<GangSchedulingPolicy>>,
}

/// Pods are scheduled each on its own.
#[derive(Clone, Default, Schema)]
pub struct BasicSchedulingPolicy {}

/// Pods are scheduled all or not at all.
#[derive(Clone, Default, Schema)]
pub struct GangSchedulingPolicy {
    /// How many must fit for any to start.
    #[field(1, required)]
    pub min_count: i32,
}

/// Where the pods of a group may be put.
#[derive(Clone, Default, Schema)]
pub struct PodGroupSchedulingConstraints {
    /// Within one domain of the topology. There can be one constraint at most.
    #[field(1, list = "atomic")]
    pub topology: Vec<TopologyConstraint>,
}

/// All pods go into one domain of the topology.
#[derive(Clone, Default, Schema)]
pub struct TopologyConstraint {
    /// The label of nodes whose value is the domain.
    #[field(1, required)]
    pub key: String,
}

/// Devices that the pods of a group share: a claim that is there, or one to be made from a template.
#[derive(Clone, Default, Schema)]
pub struct PodGroupResourceClaim {
    /// What pods call the claim.
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub resource_claim_name: Option<String>,
    #[field(3)]
    pub resource_claim_template_name: Option<String>,
}

/// How scheduling of a group goes.
#[derive(Clone, Default, Schema)]
pub struct PodGroupStatus {
    /// `PodGroupScheduled` says whether the group has been placed.
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
    /// The claims that were made for the group.
    #[field(2, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub resource_claim_statuses: Vec<PodGroupResourceClaimStatus>,
}

/// A claim that was made for a group.
#[derive(Clone, Default, Schema)]
pub struct PodGroupResourceClaimStatus {
    /// What the group's spec calls it.
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub resource_claim_name: Option<String>,
}

/// A list of Workloads.
#[derive(Clone, Default, Schema, Object)]
pub struct WorkloadList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<Workload>,
}

/// A list of PodGroups.
#[derive(Clone, Default, Schema, Object)]
pub struct PodGroupList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<PodGroup>,
}
