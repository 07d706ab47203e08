//! `networking.k8s.io/v1`.

use rhumb_meta::v1::{Condition, LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object};
use rhumb_schema::Schema;

use crate::core::v1::{PROTOCOLS, TypedLocalObjectReference};

/// The values that a `PolicyType` has.
pub const POLICY_TYPES: &[&str] = &["Ingress", "Egress"];

#[derive(Clone, Default, Schema)]
pub struct HTTPIngressPath {
    #[field(1)]
    pub path: String,
    #[field(3, required)]
    pub path_type: Option<String>,
    #[field(2, required)]
    pub backend: IngressBackend,
}

#[derive(Clone, Default, Schema)]
pub struct HTTPIngressRuleValue {
    #[field(1, required, list = "atomic")]
    pub paths: Vec<HTTPIngressPath>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct IPAddress {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required_omitempty)]
    pub spec: IPAddressSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct IPAddressList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<IPAddress>,
}

#[derive(Clone, Default, Schema)]
pub struct IPAddressSpec {
    #[field(1, required_omitempty)]
    pub parent_ref: Option<Box<ParentReference>>,
}

#[derive(Clone, Default, Schema)]
pub struct IPBlock {
    #[field(1, required)]
    pub cidr: String,
    #[field(2, list = "atomic")]
    pub except: Vec<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct Ingress {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: IngressSpec,
    #[field(3)]
    pub status: IngressStatus,
}

#[derive(Clone, Default, Schema)]
pub struct IngressBackend {
    #[field(4)]
    pub service: Option<Box<IngressServiceBackend>>,
    #[field(3)]
    pub resource: Option<Box<TypedLocalObjectReference>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct IngressClass {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: IngressClassSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct IngressClassList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<IngressClass>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressClassParametersReference {
    #[field(1)]
    pub api_group: Option<String>,
    #[field(2, required)]
    pub kind: String,
    #[field(3, required)]
    pub name: String,
    #[field(4, shown)]
    pub scope: Option<String>,
    #[field(5)]
    pub namespace: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressClassSpec {
    #[field(1)]
    pub controller: String,
    #[field(2)]
    pub parameters: Option<Box<IngressClassParametersReference>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct IngressList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Ingress>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressLoadBalancerIngress {
    #[field(1)]
    pub ip: String,
    #[field(2)]
    pub hostname: String,
    #[field(4, list = "atomic")]
    pub ports: Vec<IngressPortStatus>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressLoadBalancerStatus {
    #[field(1, list = "atomic")]
    pub ingress: Vec<IngressLoadBalancerIngress>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressPortStatus {
    #[field(1, required)]
    pub port: i32,
    #[field(2, required, values = PROTOCOLS)]
    pub protocol: String,
    #[field(3)]
    pub error: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressRule {
    #[field(1)]
    pub host: String,
    #[field(2, inline)]
    pub ingress_rule_value: IngressRuleValue,
}

#[derive(Clone, Default, Schema)]
pub struct IngressRuleValue {
    #[field(1)]
    pub http: Option<Box<HTTPIngressRuleValue>>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressServiceBackend {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub port: ServiceBackendPort,
}

#[derive(Clone, Default, Schema)]
pub struct IngressSpec {
    #[field(4)]
    pub ingress_class_name: Option<String>,
    #[field(1)]
    pub default_backend: Option<Box<IngressBackend>>,
    #[field(2, list = "atomic")]
    pub tls: Vec<IngressTLS>,
    #[field(3, list = "atomic")]
    pub rules: Vec<IngressRule>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressStatus {
    #[field(1)]
    pub load_balancer: IngressLoadBalancerStatus,
}

#[derive(Clone, Default, Schema)]
pub struct IngressTLS {
    #[field(1, list = "atomic")]
    pub hosts: Vec<String>,
    #[field(2)]
    pub secret_name: String,
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
    #[field(1, shown)]
    pub pod_selector: LabelSelector,
    #[field(2, list = "atomic")]
    pub ingress: Vec<NetworkPolicyIngressRule>,
    #[field(3, list = "atomic")]
    pub egress: Vec<NetworkPolicyEgressRule>,
    #[field(4, list = "atomic", values = POLICY_TYPES)]
    pub policy_types: Vec<String>,
}

#[derive(Clone, Default, Schema)]
pub struct ParentReference {
    #[field(1)]
    pub group: String,
    #[field(2, required_omitempty)]
    pub resource: String,
    #[field(3)]
    pub namespace: String,
    #[field(4, required_omitempty)]
    pub name: String,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ServiceBackendPort {
    #[field(1)]
    pub name: String,
    #[field(2)]
    pub number: i32,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ServiceCIDR {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ServiceCIDRSpec,
    #[field(3)]
    pub status: ServiceCIDRStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ServiceCIDRList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ServiceCIDR>,
}

#[derive(Clone, Default, Schema)]
pub struct ServiceCIDRSpec {
    #[field(1, list = "atomic")]
    pub cidrs: Vec<String>,
}

#[derive(Clone, Default, Schema)]
pub struct ServiceCIDRStatus {
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}
