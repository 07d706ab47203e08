//! Nodes in `v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;

use super::*;

#[derive(Clone, Default, Schema)]
pub struct AttachedVolume {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub device_path: String,
}

#[derive(Clone, Default, Schema)]
pub struct ConfigMapNodeConfigSource {
    #[field(1, required)]
    pub namespace: String,
    #[field(2, required)]
    pub name: String,
    #[field(3)]
    pub uid: String,
    #[field(4)]
    pub resource_version: String,
    #[field(5, required)]
    pub kubelet_config_key: String,
}

#[derive(Clone, Default, Schema)]
pub struct ContainerImage {
    #[field(1, shown, list = "atomic")]
    pub names: Vec<String>,
    #[field(2)]
    pub size_bytes: i64,
}

#[derive(Clone, Default, Schema)]
pub struct DaemonEndpoint {
    #[field(1, json = "Port", required)]
    pub port: i32,
}

#[derive(Clone, Default, Schema, Object)]
pub struct Node {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: NodeSpec,
    #[field(3)]
    pub status: NodeStatus,
}

#[derive(Clone, Default, Schema)]
pub struct NodeAddress {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub address: String,
}

#[derive(Clone, Default, Schema)]
pub struct NodeCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(3)]
    pub last_heartbeat_time: Time,
    #[field(4)]
    pub last_transition_time: Time,
    #[field(5)]
    pub reason: String,
    #[field(6)]
    pub message: String,
}

#[derive(Clone, Default, Schema)]
pub struct NodeConfigSource {
    #[field(2)]
    pub config_map: Option<Box<ConfigMapNodeConfigSource>>,
}

#[derive(Clone, Default, Schema)]
pub struct NodeConfigStatus {
    #[field(1)]
    pub assigned: Option<Box<NodeConfigSource>>,
    #[field(2)]
    pub active: Option<Box<NodeConfigSource>>,
    #[field(3)]
    pub last_known_good: Option<Box<NodeConfigSource>>,
    #[field(4)]
    pub error: String,
}

#[derive(Clone, Default, Schema)]
pub struct NodeDaemonEndpoints {
    #[field(1)]
    pub kubelet_endpoint: DaemonEndpoint,
}

#[derive(Clone, Default, Schema)]
pub struct NodeFeatures {
    #[field(1)]
    pub supplemental_groups_policy: Option<bool>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct NodeList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Node>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct NodeProxyOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub path: String,
}

#[derive(Clone, Default, Schema)]
pub struct NodeRuntimeHandler {
    #[field(1, shown)]
    pub name: String,
    #[field(2)]
    pub features: Option<Box<NodeRuntimeHandlerFeatures>>,
}

#[derive(Clone, Default, Schema)]
pub struct NodeRuntimeHandlerFeatures {
    #[field(1)]
    pub recursive_read_only_mounts: Option<bool>,
    #[field(2)]
    pub user_namespaces: Option<bool>,
}

#[derive(Clone, Default, Schema)]
pub struct NodeSpec {
    #[field(1, json = "podCIDR")]
    pub pod_cidr: String,
    #[field(7, json = "podCIDRs", list = "set", merge = "merge")]
    pub pod_cidrs: Vec<String>,
    #[field(3, json = "providerID")]
    pub provider_id: String,
    #[field(4)]
    pub unschedulable: bool,
    #[field(5, list = "atomic")]
    pub taints: Vec<Taint>,
    #[field(6)]
    pub config_source: Option<Box<NodeConfigSource>>,
    #[field(2, json = "externalID")]
    pub external_id: String,
}

#[derive(Clone, Default, Schema)]
pub struct NodeStatus {
    #[field(1)]
    pub capacity: BTreeMap<String, Quantity>,
    #[field(2)]
    pub allocatable: BTreeMap<String, Quantity>,
    #[field(3, values = NODE_PHASES)]
    pub phase: String,
    #[field(4, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<NodeCondition>,
    #[field(5, keys("type"), merge = "merge", merge_key = "type")]
    pub addresses: Vec<NodeAddress>,
    #[field(6)]
    pub daemon_endpoints: NodeDaemonEndpoints,
    #[field(7)]
    pub node_info: NodeSystemInfo,
    #[field(8, list = "atomic")]
    pub images: Vec<ContainerImage>,
    #[field(9, list = "atomic")]
    pub volumes_in_use: Vec<String>,
    #[field(10, list = "atomic")]
    pub volumes_attached: Vec<AttachedVolume>,
    #[field(11)]
    pub config: Option<Box<NodeConfigStatus>>,
    #[field(12, list = "atomic")]
    pub runtime_handlers: Vec<NodeRuntimeHandler>,
    #[field(13)]
    pub features: Option<Box<NodeFeatures>>,
    #[field(14, list = "atomic")]
    pub declared_features: Vec<String>,
}

#[derive(Clone, Default, Schema)]
pub struct NodeSwapStatus {
    #[field(1)]
    pub capacity: Option<i64>,
}

#[derive(Clone, Default, Schema)]
pub struct NodeSystemInfo {
    #[field(1, json = "machineID", required)]
    pub machine_id: String,
    #[field(2, json = "systemUUID", required)]
    pub system_uuid: String,
    #[field(3, json = "bootID", required)]
    pub boot_id: String,
    #[field(4, required)]
    pub kernel_version: String,
    #[field(5, required)]
    pub os_image: String,
    #[field(6, required)]
    pub container_runtime_version: String,
    #[field(7, required)]
    pub kubelet_version: String,
    #[field(8, required)]
    pub kube_proxy_version: String,
    #[field(9, required)]
    pub operating_system: String,
    #[field(10, required)]
    pub architecture: String,
    #[field(11)]
    pub swap: Option<Box<NodeSwapStatus>>,
}

#[derive(Clone, Default, Schema)]
pub struct Taint {
    #[field(1, required)]
    pub key: String,
    #[field(2)]
    pub value: String,
    #[field(3, required, values = TAINT_EFFECTS)]
    pub effect: String,
    #[field(4)]
    pub time_added: Option<Time>,
}
