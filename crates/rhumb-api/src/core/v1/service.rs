//! Services: their ports, types and addresses.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object};
use rhumb_schema::Schema;

use super::*;

/// Settings for keeping a client address with the same pod.
#[derive(Clone, Default, Schema)]
pub struct ClientIPConfig {
    /// How long it lasts after the last connection. Defaults to 10800, three hours; at most a day.
    #[field(1)]
    pub timeout_seconds: Option<i32>,
}

/// An address under which a load balancer can be reached.
#[derive(Clone, Default, Schema)]
pub struct LoadBalancerIngress {
    /// Its IP address, for load balancers that have one.
    #[field(1)]
    pub ip: String,
    /// Its host name, for load balancers reached by name.
    #[field(2)]
    pub hostname: String,
    /// VIP if packets arrive with this address as their target, Proxy if with that of a node or pod.
    #[field(3)]
    pub ip_mode: Option<String>,
    /// The ports that were set up, and what went wrong with them.
    #[field(4, list = "atomic")]
    pub ports: Vec<PortStatus>,
}

/// A stable name and address for a set of pods.
#[derive(Clone, Default, Schema, Object)]
pub struct Service {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// Which pods, on which ports, reachable from where.
    #[field(2)]
    pub spec: ServiceSpec,
    /// What the load balancer has to say.
    #[field(3)]
    pub status: ServiceStatus,
}

/// A list of Service objects.
#[derive(Clone, Default, Schema, Object)]
pub struct ServiceList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<Service>,
}

/// A port of a Service.
#[derive(Clone, Default, Schema)]
pub struct ServicePort {
    /// Its name, unique in the Service. Only a single port may go without.
    #[field(1)]
    pub name: String,
    /// TCP (the default), UDP or SCTP.
    #[field(2, default = "TCP", values = PROTOCOLS)]
    pub protocol: String,
    /// What is spoken on it, such as http or kubernetes.io/h2c, as a hint for implementations.
    #[field(6)]
    pub app_protocol: Option<String>,
    /// The port that clients connect to.
    #[field(3, required)]
    pub port: i32,
    /// The port on the pods: a number, or the name of a container port. Defaults to port.
    #[field(4)]
    pub target_port: IntOrString,
    /// The port on every node, for the types NodePort and LoadBalancer. Chosen by the server if not given.
    #[field(5)]
    pub node_port: i32,
}

/// What a Service should look like.
#[derive(Clone, Default, Schema)]
pub struct ServiceSpec {
    /// The ports it has.
    #[field(1, keys("port", "protocol"), merge = "merge", merge_key = "port")]
    pub ports: Vec<ServicePort>,
    /// Labels of the pods behind it. If empty, somebody else has to provide its endpoints.
    #[field(2, atomic)]
    pub selector: BTreeMap<String, String>,
    /// Its address in the cluster, chosen by the server if not given; None for no address, just DNS.
    /// Fixed unless the type changes to or from ExternalName.
    #[field(3, json = "clusterIP")]
    pub cluster_ip: String,
    /// Its addresses in the cluster, one per IP family. The first equals clusterIP.
    #[field(18, json = "clusterIPs", list = "atomic")]
    pub cluster_ips: Vec<String>,
    /// ClusterIP (the default), NodePort, LoadBalancer or ExternalName, which is only an alias in DNS.
    #[field(4, values = SERVICE_TYPES)]
    pub type_: String,
    /// Addresses whose traffic nodes take for it. Nobody manages them, and whoever sets them can divert
    /// traffic.
    #[field(5, json = "externalIPs", list = "atomic")]
    pub external_ips: Vec<String>,
    /// ClientIP keeps each client address with the same pod; None, the default, doesn't.
    #[field(7, values = SERVICE_AFFINITYS)]
    pub session_affinity: String,
    /// An address to ask the load balancer for, which many ignore. Deprecated: providers have annotations
    /// for it.
    #[field(8, json = "loadBalancerIP")]
    pub load_balancer_ip: String,
    /// The networks that may reach the load balancer, if it can tell. Empty for all.
    #[field(9, list = "atomic")]
    pub load_balancer_source_ranges: Vec<String>,
    /// The DNS name that an ExternalName service is an alias of.
    #[field(10)]
    pub external_name: String,
    /// Local sends outside traffic only to pods of the node it came to, and keeps the client's address;
    /// Cluster, the default, to any.
    #[field(11, values = SERVICE_EXTERNAL_TRAFFIC_POLICYS)]
    pub external_traffic_policy: String,
    /// Where load balancers ask nodes whether they have pods, with type LoadBalancer and traffic policy
    /// Local. Can't change.
    #[field(12)]
    pub health_check_node_port: i32,
    /// Whether pods that aren't ready get traffic and DNS entries, too, such as peers that have to find each
    /// other first.
    #[field(13)]
    pub publish_not_ready_addresses: bool,
    /// Settings for the session affinity.
    #[field(14)]
    pub session_affinity_config: Option<Box<SessionAffinityConfig>>,
    /// IPv4, IPv6 or both. Chosen by the server if not given; the first can't change.
    #[field(19, list = "atomic", values = IP_FAMILYS)]
    pub ip_families: Vec<String>,
    /// SingleStack (the default), PreferDualStack for both families where possible, or RequireDualStack.
    #[field(17, values = IP_FAMILY_POLICYS)]
    pub ip_family_policy: Option<String>,
    /// Whether a LoadBalancer service gets node ports, which some load balancers don't need. Defaults to
    /// true.
    #[field(20)]
    pub allocate_load_balancer_node_ports: Option<bool>,
    /// Which load balancer implementation to use. Unset for the cluster's default; can't change while it's a
    /// LoadBalancer.
    #[field(21)]
    pub load_balancer_class: Option<String>,
    /// Local sends traffic from pods only to pods of the same node, or nowhere; Cluster, the default, to
    /// any.
    #[field(22, values = SERVICE_INTERNAL_TRAFFIC_POLICYS)]
    pub internal_traffic_policy: Option<String>,
    /// Which pods to prefer: PreferSameZone (or PreferClose, its old name) or PreferSameNode.
    #[field(23)]
    pub traffic_distribution: Option<String>,
}
