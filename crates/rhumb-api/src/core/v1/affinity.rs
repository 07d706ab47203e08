//! Where pods may and should run: affinities, tolerations and spreading; and the session affinity of
//! services.

use rhumb_meta::v1::LabelSelector;
use rhumb_schema::Schema;

use super::*;

/// Where a pod may or should run, by properties of nodes and by the pods already there.
#[derive(Clone, Default, Schema)]
pub struct Affinity {
    /// By the labels and fields of nodes.
    #[field(1)]
    pub node_affinity: Option<Box<NodeAffinity>>,
    /// Near certain pods.
    #[field(2)]
    pub pod_affinity: Option<Box<PodAffinity>>,
    /// Away from certain pods.
    #[field(3)]
    pub pod_anti_affinity: Option<Box<PodAntiAffinity>>,
}

/// Where a pod may or should run, by properties of nodes.
#[derive(Clone, Default, Schema)]
pub struct NodeAffinity {
    /// Nodes the pod may go to. A node that stops matching later keeps it.
    #[field(1)]
    pub required_during_scheduling_ignored_during_execution: Option<Box<NodeSelector>>,
    /// Nodes to favor: those with the highest sum of matching weights.
    #[field(2, list = "atomic")]
    pub preferred_during_scheduling_ignored_during_execution: Vec<PreferredSchedulingTerm>,
}

/// A requirement on one label or field of a node.
#[derive(Clone, Default, Schema)]
pub struct NodeSelectorRequirement {
    /// The name of the label, or the path of the field.
    #[field(1, required)]
    pub key: String,
    /// In, NotIn, Exists, DoesNotExist, or Gt and Lt, which compare integers.
    #[field(2, required, values = NODE_SELECTOR_OPERATORS)]
    pub operator: String,
    /// The values to compare with: at least one for In and NotIn, exactly one for Gt and Lt, else none.
    #[field(3, list = "atomic")]
    pub values: Vec<String>,
}

/// Requirements that a node must meet together. A term without any matches no node.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct NodeSelectorTerm {
    /// Requirements on its labels.
    #[field(1, list = "atomic")]
    pub match_expressions: Vec<NodeSelectorRequirement>,
    /// Requirements on its fields; only metadata.name can be used.
    #[field(2, list = "atomic")]
    pub match_fields: Vec<NodeSelectorRequirement>,
}

/// Which pods a pod must or should be near.
#[derive(Clone, Default, Schema)]
pub struct PodAffinity {
    /// Terms that must all hold to schedule the pod. Later changes don't move it.
    #[field(1, list = "atomic")]
    pub required_during_scheduling_ignored_during_execution: Vec<PodAffinityTerm>,
    /// Terms to favor nodes by: those with the highest sum of matching weights.
    #[field(2, list = "atomic")]
    pub preferred_during_scheduling_ignored_during_execution: Vec<WeightedPodAffinityTerm>,
}

/// A set of pods, and what counts as near them.
#[derive(Clone, Default, Schema)]
pub struct PodAffinityTerm {
    /// The pods, by their labels. Unset selects none.
    #[field(1)]
    pub label_selector: Option<Box<LabelSelector>>,
    /// The namespaces to look in. If this and namespaceSelector are both unset, the pod's own.
    #[field(2, list = "atomic")]
    pub namespaces: Vec<String>,
    /// The node label that marks a place: nodes with the same value are near each other. Can't be empty.
    #[field(3, required)]
    pub topology_key: String,
    /// Namespaces to look in, by their labels, added to namespaces. An empty selector takes all.
    #[field(4)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    /// Labels whose value must be that of the incoming pod, such as pod-template-hash for the same revision.
    #[field(5, list = "atomic")]
    pub match_label_keys: Vec<String>,
    /// Labels whose value must differ from that of the incoming pod.
    #[field(6, list = "atomic")]
    pub mismatch_label_keys: Vec<String>,
}

/// Which pods a pod must or should keep away from.
#[derive(Clone, Default, Schema)]
pub struct PodAntiAffinity {
    /// Terms none of which may hold where the pod goes. Later changes don't move it.
    #[field(1, list = "atomic")]
    pub required_during_scheduling_ignored_during_execution: Vec<PodAffinityTerm>,
    /// Terms to avoid nodes by: those with the lowest sum of matching weights are best.
    #[field(2, list = "atomic")]
    pub preferred_during_scheduling_ignored_during_execution: Vec<WeightedPodAffinityTerm>,
}

/// A kind of node to favor, and how much.
#[derive(Clone, Default, Schema)]
pub struct PreferredSchedulingTerm {
    /// How much it counts, from 1 to 100.
    #[field(1, required)]
    pub weight: i32,
    /// The nodes to favor.
    #[field(2, required)]
    pub preference: NodeSelectorTerm,
}

/// Settings for keeping a client with the same pod of a Service.
#[derive(Clone, Default, Schema)]
pub struct SessionAffinityConfig {
    /// Settings for the ClientIP affinity.
    #[field(1, json = "clientIP")]
    pub client_ip: Option<Box<ClientIPConfig>>,
}

/// Lets a pod run on nodes with certain taints. It attracts the pod to none.
#[derive(Clone, Default, Schema)]
pub struct Toleration {
    /// The taint's key. Empty, with operator Exists, for every taint.
    #[field(1)]
    pub key: String,
    /// Equal, the default, compares the value; Exists doesn't; Lt and Gt compare as integers.
    #[field(2, values = TOLERATION_OPERATORS)]
    pub operator: String,
    /// The value to compare with; empty for Exists.
    #[field(3)]
    pub value: String,
    /// NoSchedule, PreferNoSchedule or NoExecute. Empty for all of them.
    #[field(4, values = TAINT_EFFECTS)]
    pub effect: String,
    /// For NoExecute: how long the pod stays after the taint appears. Unset for ever; 0 or less not at all.
    #[field(5)]
    pub toleration_seconds: Option<i64>,
}

/// A rule that spreads pods evenly over zones, nodes or the like.
#[derive(Clone, Default, Schema)]
pub struct TopologySpreadConstraint {
    /// By how many pods a place may be ahead of the one with the fewest. At least 1.
    #[field(1, required)]
    pub max_skew: i32,
    /// The node label that marks a place; nodes without it are left out.
    #[field(2, required)]
    pub topology_key: String,
    /// DoNotSchedule leaves the pod waiting; ScheduleAnyway only favors places that even it out.
    #[field(3, required, values = UNSATISFIABLE_CONSTRAINT_ACTIONS)]
    pub when_unsatisfiable: String,
    /// The pods to count, in the pod's namespace. It should match the pod itself.
    #[field(4)]
    pub label_selector: Option<Box<LabelSelector>>,
    /// With fewer places than this, the minimum counts as 0. Defaults to 1; only for DoNotSchedule.
    #[field(5)]
    pub min_domains: Option<i32>,
    /// Whether nodes that the pod's selector and affinity rule out are left out: Honor, the default, or
    /// Ignore.
    #[field(6, values = NODE_INCLUSION_POLICYS)]
    pub node_affinity_policy: Option<String>,
    /// Whether nodes with taints that the pod doesn't tolerate are left out: Honor, or Ignore, the default.
    #[field(7, values = NODE_INCLUSION_POLICYS)]
    pub node_taints_policy: Option<String>,
    /// Labels whose value must be that of the incoming pod, such as pod-template-hash for the same revision.
    #[field(8, list = "atomic")]
    pub match_label_keys: Vec<String>,
}

/// A set of pods to be near to or away from, and how much.
#[derive(Clone, Default, Schema)]
pub struct WeightedPodAffinityTerm {
    /// How much it counts, from 1 to 100.
    #[field(1, required)]
    pub weight: i32,
    /// The pods, and what counts as near them.
    #[field(2, required)]
    pub pod_affinity_term: PodAffinityTerm,
}
