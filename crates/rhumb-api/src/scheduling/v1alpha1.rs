//! `scheduling.k8s.io/v1alpha1`: the PriorityClass with the fields of v1, and in v1.35 the first Workload, whose
//! groups are no more than a name and a policy.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use super::{v1, v1alpha2};
use crate::core::v1::PREEMPTION_POLICYS;

pub use super::v1alpha2::{BasicSchedulingPolicy, GangSchedulingPolicy, TypedLocalObjectReference};

/// A name for a priority, which pods choose by `priorityClassName`.
#[derive(Clone, Default, Schema, Object, Convert)]
#[schema(retired)]
#[convert(hub = v1::PriorityClass)]
pub struct PriorityClass {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The priority that pods of this class get. It can't be changed.
    #[field(2, required)]
    pub value: i32,
    /// Whether pods that name no class are of this one.
    #[field(3)]
    pub global_default: bool,
    /// When to use the class, for people.
    #[field(4)]
    pub description: String,
    /// Whether its pods push others aside: `PreemptLowerPriority`, as is the default, or `Never`.
    #[field(5, values = PREEMPTION_POLICYS)]
    pub preemption_policy: Option<String>,
}

/// A list of PriorityClasses.
#[derive(Clone, Default, Schema, Object, Convert)]
#[schema(retired)]
#[convert(hub = v1::PriorityClassList)]
pub struct PriorityClassList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<PriorityClass>,
}

/// How the pods of an application are to be scheduled, as groups of them.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1alpha2::Workload)]
pub struct Workload {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The groups.
    #[field(2, required)]
    pub spec: WorkloadSpec,
}

/// A list of Workloads.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1alpha2::WorkloadList)]
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

/// The groups of a workload.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1alpha2::WorkloadSpec)]
pub struct WorkloadSpec {
    /// The object that controls the workload, such as a Job; for people and tools only. It can't be changed.
    #[field(1)]
    #[convert(same)]
    pub controller_ref: Option<Box<TypedLocalObjectReference>>,
    /// The groups, at most 8. They can't be changed.
    #[field(2, required, keys("name"))]
    #[convert(rename = pod_group_templates)]
    pub pod_groups: Vec<PodGroup>,
}

/// Pods that are scheduled together.
#[derive(Clone, Default, Schema, Convert)]
#[convert(
    hub = v1alpha2::PodGroupTemplate,
    lacks(scheduling_constraints, resource_claims, disruption_mode, priority_class_name, priority)
)]
pub struct PodGroup {
    /// Its name within the workload, a DNS label.
    #[field(1, required)]
    pub name: String,
    /// How its pods are scheduled.
    #[field(3, required)]
    #[convert(rename = scheduling_policy)]
    pub policy: PodGroupPolicy,
}

/// How the pods of a group are scheduled: in exactly one of these ways.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1alpha2::PodGroupSchedulingPolicy)]
pub struct PodGroupPolicy {
    /// Each on its own.
    #[field(2)]
    #[convert(same)]
    pub basic: Option<Box<BasicSchedulingPolicy>>,
    /// All or nothing.
    #[field(3)]
    #[convert(same)]
    pub gang: Option<Box<GangSchedulingPolicy>>,
}
