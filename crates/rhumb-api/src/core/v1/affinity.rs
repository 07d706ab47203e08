//! Affinitys in `v1`.

use rhumb_meta::v1::LabelSelector;
use rhumb_schema::Schema;
use super::*;


#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct Affinity {
    #[field(1)]
    pub node_affinity: Option<Box<NodeAffinity>>,
    #[field(2)]
    pub pod_affinity: Option<Box<PodAffinity>>,
    #[field(3)]
    pub pod_anti_affinity: Option<Box<PodAntiAffinity>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct NodeAffinity {
    #[field(1)]
    pub required_during_scheduling_ignored_during_execution: Option<Box<NodeSelector>>,
    #[field(2, list = "atomic")]
    pub preferred_during_scheduling_ignored_during_execution: Vec<PreferredSchedulingTerm>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct NodeSelectorRequirement {
    #[field(1, required)]
    pub key: String,
    #[field(2, required, values = NODE_SELECTOR_OPERATORS)]
    pub operator: String,
    #[field(3, list = "atomic")]
    pub values: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct NodeSelectorTerm {
    #[field(1, list = "atomic")]
    pub match_expressions: Vec<NodeSelectorRequirement>,
    #[field(2, list = "atomic")]
    pub match_fields: Vec<NodeSelectorRequirement>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodAffinity {
    #[field(1, list = "atomic")]
    pub required_during_scheduling_ignored_during_execution: Vec<PodAffinityTerm>,
    #[field(2, list = "atomic")]
    pub preferred_during_scheduling_ignored_during_execution: Vec<WeightedPodAffinityTerm>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodAffinityTerm {
    #[field(1)]
    pub label_selector: Option<Box<LabelSelector>>,
    #[field(2, list = "atomic")]
    pub namespaces: Vec<String>,
    #[field(3, required)]
    pub topology_key: String,
    #[field(4)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    #[field(5, list = "atomic")]
    pub match_label_keys: Vec<String>,
    #[field(6, list = "atomic")]
    pub mismatch_label_keys: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodAntiAffinity {
    #[field(1, list = "atomic")]
    pub required_during_scheduling_ignored_during_execution: Vec<PodAffinityTerm>,
    #[field(2, list = "atomic")]
    pub preferred_during_scheduling_ignored_during_execution: Vec<WeightedPodAffinityTerm>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PreferredSchedulingTerm {
    #[field(1, required)]
    pub weight: i32,
    #[field(2, required)]
    pub preference: NodeSelectorTerm,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct SessionAffinityConfig {
    #[field(1, json = "clientIP")]
    pub client_ip: Option<Box<ClientIPConfig>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct Toleration {
    #[field(1)]
    pub key: String,
    #[field(2, values = TOLERATION_OPERATORS)]
    pub operator: String,
    #[field(3)]
    pub value: String,
    #[field(4, values = TAINT_EFFECTS)]
    pub effect: String,
    #[field(5)]
    pub toleration_seconds: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct TopologySpreadConstraint {
    #[field(1, required)]
    pub max_skew: i32,
    #[field(2, required)]
    pub topology_key: String,
    #[field(3, required, values = UNSATISFIABLE_CONSTRAINT_ACTIONS)]
    pub when_unsatisfiable: String,
    #[field(4)]
    pub label_selector: Option<Box<LabelSelector>>,
    #[field(5)]
    pub min_domains: Option<i32>,
    #[field(6, values = NODE_INCLUSION_POLICYS)]
    pub node_affinity_policy: Option<String>,
    #[field(7, values = NODE_INCLUSION_POLICYS)]
    pub node_taints_policy: Option<String>,
    #[field(8, list = "atomic")]
    pub match_label_keys: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct WeightedPodAffinityTerm {
    #[field(1, required)]
    pub weight: i32,
    #[field(2, required)]
    pub pod_affinity_term: PodAffinityTerm,
}
