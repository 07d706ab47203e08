//! `policy/v1`: budgets for disruptions, and the evictions that they hold up.

use std::collections::BTreeMap;

use rhumb_meta::v1::{Condition, DeleteOptions, LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object, Time};
use rhumb_schema::Schema;

/// The values that a `UnhealthyPodEvictionPolicyType` has.
pub const UNHEALTHY_POD_EVICTION_POLICY_TYPES: &[&str] = &["IfHealthyBudget", "AlwaysAllow"];

/// Asks to delete a pod, unless a budget forbids it: what is sent to the pod's eviction subresource.
#[derive(Clone, Default, Schema, Object)]
pub struct Eviction {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Names the pod.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// How to delete the pod.
    #[field(2)]
    pub delete_options: Option<Box<DeleteOptions>>,
}

/// Bounds how many pods of a set may be missing at once by somebody's will, as in the drain of a node.
#[derive(Clone, Default, Schema, Object)]
pub struct PodDisruptionBudget {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// Which pods it is about, and how many of them may be missing.
    #[field(2)]
    pub spec: PodDisruptionBudgetSpec,
    /// How many may go now.
    #[field(3)]
    pub status: PodDisruptionBudgetStatus,
}

/// A list of PodDisruptionBudget objects.
#[derive(Clone, Default, Schema, Object)]
pub struct PodDisruptionBudgetList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<PodDisruptionBudget>,
}

/// Which pods a budget is about, and how many of them may be missing.
#[derive(Clone, Default, Schema)]
pub struct PodDisruptionBudgetSpec {
    /// How many of the pods must stay, as a number or a percentage. Excludes maxUnavailable.
    #[field(1)]
    pub min_available: Option<IntOrString>,
    /// Which pods it is about: all in the namespace if empty, none if absent.
    #[field(2, merge = "replace")]
    pub selector: Option<Box<LabelSelector>>,
    /// How many of the pods may be missing, as a number or a percentage. Excludes minAvailable.
    #[field(3)]
    pub max_unavailable: Option<IntOrString>,
    /// When running pods that are not ready may go: IfHealthyBudget, the default, only if the others
    /// suffice; AlwaysAllow, always.
    #[field(4, values = UNHEALTHY_POD_EVICTION_POLICY_TYPES)]
    pub unhealthy_pod_eviction_policy: Option<String>,
}

/// How many pods there are, and how many of them may go now.
#[derive(Clone, Default, Schema)]
pub struct PodDisruptionBudgetStatus {
    /// The generation that the controller has seen; the rest of the status is about it.
    #[field(1)]
    pub observed_generation: i64,
    /// Pods whose eviction was granted but that are not gone yet, with the time of the grant.
    #[field(2)]
    pub disrupted_pods: BTreeMap<String, Time>,
    /// How many pods may go now.
    #[field(3, shown)]
    pub disruptions_allowed: i32,
    /// How many pods are healthy.
    #[field(4, shown)]
    pub current_healthy: i32,
    /// How many pods must be healthy.
    #[field(5, shown)]
    pub desired_healthy: i32,
    /// How many pods the budget counts in all.
    #[field(6, shown)]
    pub expected_pods: i32,
    /// Aspects of its state, one entry per type.
    #[field(7, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}
