//! `policy/v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{Condition, DeleteOptions, LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object, Time};
use rhumb_schema::Schema;

/// The values that a `UnhealthyPodEvictionPolicyType` has.
pub const UNHEALTHY_POD_EVICTION_POLICY_TYPES: &[&str] = &["IfHealthyBudget", "AlwaysAllow"];

#[derive(Clone, Default, Schema, Object)]
pub struct Eviction {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub delete_options: Option<Box<DeleteOptions>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodDisruptionBudget {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PodDisruptionBudgetSpec,
    #[field(3)]
    pub status: PodDisruptionBudgetStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodDisruptionBudgetList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PodDisruptionBudget>,
}

#[derive(Clone, Default, Schema)]
pub struct PodDisruptionBudgetSpec {
    #[field(1)]
    pub min_available: Option<IntOrString>,
    #[field(2, merge = "replace")]
    pub selector: Option<Box<LabelSelector>>,
    #[field(3)]
    pub max_unavailable: Option<IntOrString>,
    #[field(4, values = UNHEALTHY_POD_EVICTION_POLICY_TYPES)]
    pub unhealthy_pod_eviction_policy: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct PodDisruptionBudgetStatus {
    #[field(1)]
    pub observed_generation: i64,
    #[field(2)]
    pub disrupted_pods: BTreeMap<String, Time>,
    #[field(3, shown)]
    pub disruptions_allowed: i32,
    #[field(4, shown)]
    pub current_healthy: i32,
    #[field(5, shown)]
    pub desired_healthy: i32,
    #[field(6, shown)]
    pub expected_pods: i32,
    #[field(7, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}
