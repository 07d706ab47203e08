//! Ingresses, which lead HTTP from outside to services, and the classes of controllers that serve them.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use crate::core::v1::{PROTOCOLS, TypedLocalObjectReference};

/// The values that a `PathType` has.
pub const PATH_TYPES: &[&str] = &["Exact", "Prefix", "ImplementationSpecific"];

/// Rules by which HTTP requests from outside reach services, by host and path.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
pub struct IngressSpec {
    /// The IngressClass whose controller serves this Ingress. It takes the place of the annotation
    /// `kubernetes.io/ingress.class`.
    #[field(4)]
    pub ingress_class_name: Option<String>,
    /// Who answers requests that no rule fits. Without rules there must be one.
    #[field(1)]
    pub default_backend: Option<Box<IngressBackend>>,
    /// The hosts that are served with TLS, and their certificates.
    #[field(2, list = "atomic")]
    pub tls: Vec<IngressTLS>,
    /// Hosts and their paths. Requests that fit none go to the default backend.
    #[field(3, list = "atomic")]
    pub rules: Vec<IngressRule>,
}

/// Hosts that share a certificate.
#[derive(Clone, Default, Schema)]
pub struct IngressTLS {
    /// The hosts, which the certificate must name; if there are none the controller takes those of the rules.
    #[field(1, list = "atomic")]
    pub hosts: Vec<String>,
    /// The secret with certificate and key, in the namespace of the Ingress.
    #[field(2)]
    pub secret_name: String,
}

/// The paths of one host.
#[derive(Clone, Default, Schema)]
pub struct IngressRule {
    /// The host without port: `foo.example.com`, or `*.example.com` for every name with exactly one more label.
    /// Without one the rule is for all hosts.
    #[field(1)]
    pub host: String,
    /// How the requests are told apart.
    #[field(2, inline)]
    pub ingress_rule_value: IngressRuleValue,
}

/// How the requests to a host are told apart.
#[derive(Clone, Default, Schema)]
pub struct IngressRuleValue {
    /// By the path of the URL; without it all requests go to the default backend.
    #[field(1)]
    pub http: Option<Box<HTTPIngressRuleValue>>,
}

/// Paths and where they lead.
#[derive(Clone, Default, Schema)]
pub struct HTTPIngressRuleValue {
    /// The paths. The longest that fits wins.
    #[field(1, required, list = "atomic")]
    pub paths: Vec<HTTPIngressPath>,
}

/// A path and where it leads.
#[derive(Clone, Default, Schema)]
pub struct HTTPIngressPath {
    /// The path, starting with a slash.
    #[field(1)]
    pub path: String,
    /// How it is compared: `Exact`, `Prefix` by whole elements, or `ImplementationSpecific`.
    #[field(3, required, values = PATH_TYPES)]
    pub path_type: Option<String>,
    /// Who answers.
    #[field(2, required)]
    pub backend: IngressBackend,
}

/// Who answers requests: a service or another resource, not both.
#[derive(Clone, Default, Schema)]
pub struct IngressBackend {
    /// A service in the namespace of the Ingress.
    #[field(4)]
    pub service: Option<Box<IngressServiceBackend>>,
    /// Another object in that namespace which the controller knows how to serve from.
    #[field(3)]
    pub resource: Option<Box<TypedLocalObjectReference>>,
}

/// A service and its port.
#[derive(Clone, Default, Schema)]
pub struct IngressServiceBackend {
    /// The service's name.
    #[field(1, required)]
    pub name: String,
    /// The service's port, by name or by number.
    #[field(2)]
    pub port: ServiceBackendPort,
}

/// A port of a service, by name or by number.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ServiceBackendPort {
    /// The port's name. There may be no number beside it.
    #[field(1)]
    pub name: String,
    /// The port's number. There may be no name beside it.
    #[field(2)]
    pub number: i32,
}

/// The state of an Ingress.
#[derive(Clone, Default, Schema)]
pub struct IngressStatus {
    /// The load balancer that stands before it.
    #[field(1)]
    pub load_balancer: IngressLoadBalancerStatus,
}

/// The load balancer before an Ingress.
#[derive(Clone, Default, Schema)]
pub struct IngressLoadBalancerStatus {
    /// The points at which it can be reached.
    #[field(1, list = "atomic")]
    pub ingress: Vec<IngressLoadBalancerIngress>,
}

/// One point at which a load balancer can be reached.
#[derive(Clone, Default, Schema)]
pub struct IngressLoadBalancerIngress {
    /// Its address, if it has one.
    #[field(1)]
    pub ip: String,
    /// Its name in DNS, if it has one.
    #[field(2)]
    pub hostname: String,
    /// Its ports.
    #[field(4, list = "atomic")]
    pub ports: Vec<IngressPortStatus>,
}

/// A port of a load balancer.
#[derive(Clone, Default, Schema)]
pub struct IngressPortStatus {
    /// Its number.
    #[field(1, required)]
    pub port: i32,
    /// `TCP`, `UDP` or `SCTP`.
    #[field(2, required, values = PROTOCOLS)]
    pub protocol: String,
    /// What is wrong with it, if something is: a CamelCase word, or one with a domain before it.
    #[field(3)]
    pub error: Option<String>,
}

/// A list of Ingresses.
#[derive(Clone, Default, Schema, Object)]
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

/// A class of Ingresses: the controller that serves them. The annotation `ingressclass.kubernetes.io/is-default-class`
/// makes it the class of Ingresses that name none.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
pub struct IngressClassSpec {
    /// The controller's name as a path with a domain before it, such as `acme.io/ingress-controller`. It can't be
    /// changed.
    #[field(1)]
    pub controller: String,
    /// An object with more settings for the controller.
    #[field(2)]
    pub parameters: Option<Box<IngressClassParametersReference>>,
}

/// The object that holds a class' settings.
#[derive(Clone, Default, Schema)]
pub struct IngressClassParametersReference {
    /// Its API group; the core group if it isn't said.
    #[field(1)]
    pub api_group: Option<String>,
    /// The kind of the object that holds them.
    #[field(2, required)]
    pub kind: String,
    /// The name of that object.
    #[field(3, required)]
    pub name: String,
    /// `Cluster` or `Namespace`, after what the object lives in.
    #[field(4, shown)]
    pub scope: Option<String>,
    /// The object's namespace, if the scope is `Namespace`.
    #[field(5)]
    pub namespace: Option<String>,
}

/// A list of IngressClasses.
#[derive(Clone, Default, Schema, Object)]
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
