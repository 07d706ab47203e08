//! `networking.k8s.io/v1beta1`.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::core::v1::TypedLocalObjectReference;

pub use super::v1::{
    IPAddress, IPAddressList, IPAddressSpec, IngressLoadBalancerIngress, IngressLoadBalancerStatus,
    IngressPortStatus, IngressStatus, IngressTLS, ParentReference, ServiceCIDR, ServiceCIDRList,
    ServiceCIDRSpec, ServiceCIDRStatus,
};

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::HTTPIngressPath)]
pub struct HTTPIngressPath {
    #[field(1)]
    pub path: String,
    #[field(3)]
    pub path_type: Option<String>,
    #[field(2, required)]
    pub backend: IngressBackend,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::HTTPIngressRuleValue)]
pub struct HTTPIngressRuleValue {
    #[field(1, required, list = "atomic")]
    pub paths: Vec<HTTPIngressPath>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::Ingress)]
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

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::IngressBackend)]
pub struct IngressBackend {
    #[field(1)]
    pub service_name: String,
    #[field(2)]
    pub service_port: IntOrString,
    #[field(3)]
    pub resource: Option<Box<TypedLocalObjectReference>>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::IngressClass)]
pub struct IngressClass {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: IngressClassSpec,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::IngressClassList)]
pub struct IngressClassList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<IngressClass>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::IngressClassParametersReference)]
pub struct IngressClassParametersReference {
    #[field(1)]
    pub api_group: Option<String>,
    #[field(2, required)]
    pub kind: String,
    #[field(3, required)]
    pub name: String,
    #[field(4, required)]
    pub scope: Option<String>,
    #[field(5)]
    pub namespace: Option<String>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::IngressClassSpec)]
pub struct IngressClassSpec {
    #[field(1)]
    pub controller: String,
    #[field(2)]
    pub parameters: Option<Box<IngressClassParametersReference>>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::IngressList)]
pub struct IngressList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Ingress>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::IngressRule)]
pub struct IngressRule {
    #[field(1)]
    pub host: String,
    #[field(2, inline)]
    pub ingress_rule_value: IngressRuleValue,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::IngressRuleValue)]
pub struct IngressRuleValue {
    #[field(1)]
    pub http: Option<Box<HTTPIngressRuleValue>>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::IngressSpec)]
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
