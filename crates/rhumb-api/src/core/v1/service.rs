//! Services in `v1`.

use rhumb_meta::IntOrString;
use rhumb_meta::Object;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;
use std::collections::BTreeMap;
use super::*;


#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ClientIPConfig {
    #[field(1)]
    pub timeout_seconds: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct LoadBalancerIngress {
    #[field(1)]
    pub ip: String,
    #[field(2)]
    pub hostname: String,
    #[field(3)]
    pub ip_mode: Option<String>,
    #[field(4, list = "atomic")]
    pub ports: Vec<PortStatus>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct Service {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ServiceSpec,
    #[field(3)]
    pub status: ServiceStatus,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct ServiceList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Service>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ServicePort {
    #[field(1)]
    pub name: String,
    #[field(2, default = "TCP", values = PROTOCOLS)]
    pub protocol: String,
    #[field(6)]
    pub app_protocol: Option<String>,
    #[field(3, required)]
    pub port: i32,
    #[field(4)]
    pub target_port: IntOrString,
    #[field(5)]
    pub node_port: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ServiceSpec {
    #[field(1, keys("port", "protocol"), merge = "merge", merge_key = "port")]
    pub ports: Vec<ServicePort>,
    #[field(2, atomic)]
    pub selector: BTreeMap<String, String>,
    #[field(3, json = "clusterIP")]
    pub cluster_ip: String,
    #[field(18, json = "clusterIPs", list = "atomic")]
    pub cluster_ips: Vec<String>,
    #[field(4, values = SERVICE_TYPES)]
    pub type_: String,
    #[field(5, json = "externalIPs", list = "atomic")]
    pub external_ips: Vec<String>,
    #[field(7, values = SERVICE_AFFINITYS)]
    pub session_affinity: String,
    #[field(8, json = "loadBalancerIP")]
    pub load_balancer_ip: String,
    #[field(9, list = "atomic")]
    pub load_balancer_source_ranges: Vec<String>,
    #[field(10)]
    pub external_name: String,
    #[field(11, values = SERVICE_EXTERNAL_TRAFFIC_POLICYS)]
    pub external_traffic_policy: String,
    #[field(12)]
    pub health_check_node_port: i32,
    #[field(13)]
    pub publish_not_ready_addresses: bool,
    #[field(14)]
    pub session_affinity_config: Option<Box<SessionAffinityConfig>>,
    #[field(19, list = "atomic", values = IP_FAMILYS)]
    pub ip_families: Vec<String>,
    #[field(17, values = IP_FAMILY_POLICYS)]
    pub ip_family_policy: Option<String>,
    #[field(20)]
    pub allocate_load_balancer_node_ports: Option<bool>,
    #[field(21)]
    pub load_balancer_class: Option<String>,
    #[field(22, values = SERVICE_INTERNAL_TRAFFIC_POLICYS)]
    pub internal_traffic_policy: Option<String>,
    #[field(23)]
    pub traffic_distribution: Option<String>,
}
