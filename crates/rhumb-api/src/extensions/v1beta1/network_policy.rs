//! Network policies as they were before `networking.k8s.io/v1`: the same fields, but ports may go without protocol.

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::core::v1::PROTOCOLS;
use crate::networking::v1;

pub use crate::networking::v1::{IPBlock, NetworkPolicyPeer};

/// What traffic a set of pods may receive and send.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::NetworkPolicy)]
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
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::NetworkPolicySpec)]
pub struct NetworkPolicySpec {
    /// The pods of this namespace that the policy is for; an empty selector means all of them.
    #[field(1, required)]
    pub pod_selector: LabelSelector,
    /// Traffic that may come in.
    #[field(2, list = "atomic")]
    pub ingress: Vec<NetworkPolicyIngressRule>,
    /// Traffic that may go out.
    #[field(3, list = "atomic")]
    pub egress: Vec<NetworkPolicyEgressRule>,
    /// What the policy is about: `Ingress`, `Egress` or both.
    #[field(4, list = "atomic")]
    pub policy_types: Vec<String>,
}

/// Incoming traffic that is allowed: what fits one of the ports and one of the sources.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::NetworkPolicyIngressRule)]
pub struct NetworkPolicyIngressRule {
    /// The ports of the pod that may be reached; all of them if none is named.
    #[field(1, list = "atomic")]
    pub ports: Vec<NetworkPolicyPort>,
    /// Where the traffic may come from; anywhere if nothing is named.
    #[field(2, list = "atomic")]
    #[convert(same)]
    pub from: Vec<NetworkPolicyPeer>,
}

/// Outgoing traffic that is allowed: what fits one of the ports and one of the destinations.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::NetworkPolicyEgressRule)]
pub struct NetworkPolicyEgressRule {
    /// The ports that may be reached; all of them if none is named.
    #[field(1, list = "atomic")]
    pub ports: Vec<NetworkPolicyPort>,
    /// Where the traffic may go; anywhere if nothing is named.
    #[field(2, list = "atomic")]
    #[convert(same)]
    pub to: Vec<NetworkPolicyPeer>,
}

/// A port, or a range of them, that traffic may go to.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::NetworkPolicyPort)]
pub struct NetworkPolicyPort {
    /// `TCP`, `UDP` or `SCTP`, which controllers take as `TCP` if it isn't said.
    #[field(1, values = PROTOCOLS)]
    pub protocol: Option<String>,
    /// Its number, or its name in the pod; every port of the protocol if it isn't said.
    #[field(2)]
    pub port: Option<IntOrString>,
    /// The last port of a range that starts at `port`, which must then be a number.
    #[field(3)]
    pub end_port: Option<i32>,
}

/// A list of NetworkPolicies.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::NetworkPolicyList)]
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
