//! The NetworkPolicy of `extensions/v1beta1`.

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object};
use rhumb_schema::Schema;

use crate::core::v1::PROTOCOLS;

#[derive(Clone, Default, Schema)]
pub struct IPBlock {
    #[field(1, required)]
    pub cidr: String,
    #[field(2, list = "atomic")]
    pub except: Vec<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct NetworkPolicy {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: NetworkPolicySpec,
}

#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyEgressRule {
    #[field(1, list = "atomic")]
    pub ports: Vec<NetworkPolicyPort>,
    #[field(2, list = "atomic")]
    pub to: Vec<NetworkPolicyPeer>,
}

#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyIngressRule {
    #[field(1, list = "atomic")]
    pub ports: Vec<NetworkPolicyPort>,
    #[field(2, list = "atomic")]
    pub from: Vec<NetworkPolicyPeer>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct NetworkPolicyList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<NetworkPolicy>,
}

#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyPeer {
    #[field(1)]
    pub pod_selector: Option<Box<LabelSelector>>,
    #[field(2)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    #[field(3)]
    pub ip_block: Option<Box<IPBlock>>,
}

#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyPort {
    #[field(1, values = PROTOCOLS)]
    pub protocol: Option<String>,
    #[field(2)]
    pub port: Option<IntOrString>,
    #[field(3)]
    pub end_port: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct NetworkPolicySpec {
    #[field(1, required)]
    pub pod_selector: LabelSelector,
    #[field(2, list = "atomic")]
    pub ingress: Vec<NetworkPolicyIngressRule>,
    #[field(3, list = "atomic")]
    pub egress: Vec<NetworkPolicyEgressRule>,
    #[field(4, list = "atomic")]
    pub policy_types: Vec<String>,
}
