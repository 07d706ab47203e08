//! Network policies: which traffic may reach pods and leave them.

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object};
use rhumb_schema::Schema;

use crate::core::v1::PROTOCOLS;

/// The directions of traffic that a policy can be about.
pub const POLICY_TYPES: &[&str] = &["Ingress", "Egress"];

/// What traffic a set of pods may receive and send.
#[derive(Clone, Default, Schema, Object)]
pub struct NetworkPolicy {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Name, namespace, labels and the like.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The pods it is for and the traffic it lets through.
    #[field(2)]
    pub spec: NetworkPolicySpec,
}

/// The pods of a policy and the traffic it lets through.
#[derive(Clone, Default, Schema)]
pub struct NetworkPolicySpec {
    /// The pods of this namespace that the policy is for; an empty selector means all of them. Where several policies
    /// pick the same pod, what any of them allows is allowed.
    #[field(1, shown)]
    pub pod_selector: LabelSelector,
    /// Traffic that may come in. Without a rule none may, if the policy is about incoming traffic.
    #[field(2, list = "atomic")]
    pub ingress: Vec<NetworkPolicyIngressRule>,
    /// Traffic that may go out. Without a rule none may, if the policy is about outgoing traffic.
    #[field(3, list = "atomic")]
    pub egress: Vec<NetworkPolicyEgressRule>,
    /// What the policy is about: `Ingress`, `Egress` or both. Left empty it is `Ingress`, and `Egress` too if there
    /// are rules for it. To forbid all outgoing traffic `Egress` must be named.
    #[field(4, list = "atomic", values = POLICY_TYPES)]
    pub policy_types: Vec<String>,
}

/// Incoming traffic that is allowed: what fits one of the ports and one of the sources.
#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyIngressRule {
    /// The ports of the pod that may be reached; all of them if none is named.
    #[field(1, list = "atomic")]
    pub ports: Vec<NetworkPolicyPort>,
    /// Where the traffic may come from; anywhere if nothing is named.
    #[field(2, list = "atomic")]
    pub from: Vec<NetworkPolicyPeer>,
}

/// Outgoing traffic that is allowed: what fits one of the ports and one of the destinations.
#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyEgressRule {
    /// The ports that may be reached; all of them if none is named.
    #[field(1, list = "atomic")]
    pub ports: Vec<NetworkPolicyPort>,
    /// Where the traffic may go; anywhere if nothing is named.
    #[field(2, list = "atomic")]
    pub to: Vec<NetworkPolicyPeer>,
}

/// A port, or a range of them, that traffic may go to.
#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyPort {
    /// `TCP`, `UDP` or `SCTP`; `TCP` if it isn't said.
    #[field(1, values = PROTOCOLS)]
    pub protocol: Option<String>,
    /// Its number, or its name in the pod; every port of the protocol if it isn't said.
    #[field(2)]
    pub port: Option<IntOrString>,
    /// The last port of a range that starts at `port`, which must then be a number.
    #[field(3)]
    pub end_port: Option<i32>,
}

/// The other end of the traffic: pods by their labels, or a block of addresses.
#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyPeer {
    /// Pods by their labels: of the namespaces that `namespaceSelector` picks, or of the policy's own if it is absent.
    #[field(1)]
    pub pod_selector: Option<Box<LabelSelector>>,
    /// Namespaces by their labels; an empty selector means all of them.
    #[field(2)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    /// Addresses. Neither of the selectors may stand beside it.
    #[field(3)]
    pub ip_block: Option<Box<IPBlock>>,
}

/// A range of addresses, less some of its parts.
#[derive(Clone, Default, Schema)]
pub struct IPBlock {
    /// The range, such as `192.168.1.0/24` or `2001:db8::/64`.
    #[field(1, required)]
    pub cidr: String,
    /// Smaller ranges inside of it that don't belong to the block.
    #[field(2, list = "atomic")]
    pub except: Vec<String>,
}

/// A list of NetworkPolicies.
#[derive(Clone, Default, Schema, Object)]
pub struct NetworkPolicyList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<NetworkPolicy>,
}
