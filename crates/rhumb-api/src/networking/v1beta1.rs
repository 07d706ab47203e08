//! `networking.k8s.io/v1beta1`: Ingresses as they were, with a backend that names its service in two fields.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object};
use rhumb_schema::Schema;
use rhumb_scheme::{Convert, ConvertError, Scope};

use super::v1;
use crate::core::v1::TypedLocalObjectReference;

pub use super::v1::{
    IPAddress, IPAddressList, IPAddressSpec, IngressLoadBalancerIngress, IngressLoadBalancerStatus,
    IngressPortStatus, IngressStatus, IngressTLS, ParentReference, ServiceCIDR, ServiceCIDRList,
    ServiceCIDRSpec, ServiceCIDRStatus,
};

/// Rules by which HTTP requests from outside reach services, by host and path.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::Ingress)]
pub struct Ingress {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Name, namespace, labels and the like.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// Where requests are led.
    #[field(2)]
    pub spec: IngressSpec,
    /// Where the Ingress can be reached, as its controller says.
    #[field(3)]
    pub status: IngressStatus,
}

/// Where requests are led.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::IngressSpec)]
pub struct IngressSpec {
    /// The IngressClass whose controller serves this Ingress.
    #[field(4)]
    pub ingress_class_name: Option<String>,
    /// Who answers requests that no rule fits; `defaultBackend` in v1.
    #[field(1)]
    #[convert(rename = default_backend)]
    pub backend: Option<Box<IngressBackend>>,
    /// The hosts that are served with TLS, and their certificates.
    #[field(2, list = "atomic")]
    pub tls: Vec<IngressTLS>,
    /// Hosts and their paths. Requests that fit none go to the default backend.
    #[field(3, list = "atomic")]
    pub rules: Vec<IngressRule>,
}

/// The paths of one host.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::IngressRule)]
pub struct IngressRule {
    /// The host without port, or `*.` and a host for every name with exactly one more label.
    #[field(1)]
    pub host: String,
    /// How the requests are told apart.
    #[field(2, inline)]
    pub ingress_rule_value: IngressRuleValue,
}

/// How the requests to a host are told apart.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::IngressRuleValue)]
pub struct IngressRuleValue {
    /// By the path of the URL.
    #[field(1)]
    pub http: Option<Box<HTTPIngressRuleValue>>,
}

/// Paths and where they lead.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::HTTPIngressRuleValue)]
pub struct HTTPIngressRuleValue {
    /// The paths. The longest that fits wins.
    #[field(1, required, list = "atomic")]
    pub paths: Vec<HTTPIngressPath>,
}

/// A path and where it leads.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::HTTPIngressPath)]
pub struct HTTPIngressPath {
    /// The path, starting with a slash.
    #[field(1)]
    pub path: String,
    /// How it is compared: `Exact`, `Prefix`, or `ImplementationSpecific`, which it is if nothing is said.
    #[field(3)]
    pub path_type: Option<String>,
    /// Who answers.
    #[field(2, required)]
    pub backend: IngressBackend,
}

/// Who answers requests: a service or another resource, not both.
#[derive(Clone, Default, Schema)]
pub struct IngressBackend {
    /// The service's name.
    #[field(1)]
    pub service_name: String,
    /// The service's port, by name or by number.
    #[field(2)]
    pub service_port: IntOrString,
    /// Another object in the namespace of the Ingress.
    #[field(3)]
    pub resource: Option<Box<TypedLocalObjectReference>>,
}

/// A list of Ingresses.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::IngressList)]
pub struct IngressList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<Ingress>,
}

/// A class of Ingresses: the controller that serves them.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::IngressClass)]
pub struct IngressClass {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The controller and its parameters.
    #[field(2)]
    pub spec: IngressClassSpec,
}

/// The controller of a class.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::IngressClassSpec)]
pub struct IngressClassSpec {
    /// The controller's name as a path with a domain before it. It can't be changed.
    #[field(1)]
    pub controller: String,
    /// An object with more settings for the controller.
    #[field(2)]
    pub parameters: Option<Box<IngressClassParametersReference>>,
}

/// The object that holds a class' settings. Unlike in v1 its scope has no default.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::IngressClassParametersReference)]
pub struct IngressClassParametersReference {
    /// Its API group; the core group if it isn't said.
    #[field(1)]
    pub api_group: Option<String>,
    #[field(2, required)]
    pub kind: String,
    #[field(3, required)]
    pub name: String,
    /// `Cluster` or `Namespace`, after what the object lives in.
    #[field(4, required)]
    pub scope: Option<String>,
    /// The object's namespace, if the scope is `Namespace`.
    #[field(5)]
    pub namespace: Option<String>,
}

/// A list of IngressClasses.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::IngressClassList)]
pub struct IngressClassList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<IngressClass>,
}

impl Convert<v1::IngressBackend> for IngressBackend {
    /// A backend that says nothing of a service, not even an empty name of its port, has none.
    fn convert(self, _scope: &Scope) -> Result<v1::IngressBackend, ConvertError> {
        let IngressBackend { service_name, service_port, resource } = self;
        let absent = service_name.is_empty() && service_port == IntOrString::Int(0);
        let port = match service_port {
            IntOrString::Int(number) => v1::ServiceBackendPort { number, name: String::new() },
            IntOrString::String(name) => v1::ServiceBackendPort { number: 0, name },
        };
        let service = (!absent).then(|| Box::new(v1::IngressServiceBackend { name: service_name, port }));
        Ok(v1::IngressBackend { service, resource })
    }
}

impl Convert<IngressBackend> for v1::IngressBackend {
    /// A port with both name and number, which validation refuses, keeps its name.
    fn convert(self, _scope: &Scope) -> Result<IngressBackend, ConvertError> {
        let v1::IngressBackend { service, resource } = self;
        let service = service.map(|service| *service).unwrap_or_default();
        let service_port = match service.port.name {
            name if name.is_empty() => IntOrString::Int(service.port.number),
            name => IntOrString::String(name),
        };
        Ok(IngressBackend { service_name: service.name, service_port, resource })
    }
}
