//! The Ingress of `extensions/v1beta1`.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object};
use rhumb_schema::Schema;

use crate::core::v1::{PROTOCOLS, TypedLocalObjectReference};

#[derive(Clone, Default, Schema)]
pub struct HTTPIngressPath {
    #[field(1)]
    pub path: String,
    #[field(3)]
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
    #[field(1)]
    pub service_name: String,
    #[field(2)]
    pub service_port: IntOrString,
    #[field(3)]
    pub resource: Option<Box<TypedLocalObjectReference>>,
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
pub struct IngressSpec {
    #[field(4)]
    pub ingress_class_name: Option<String>,
    #[field(1)]
    pub backend: Option<Box<IngressBackend>>,
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
