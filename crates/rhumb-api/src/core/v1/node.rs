//! Nodes: the machines that pods run on.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;

use super::*;

/// A volume that is attached to a node.
#[derive(Clone, Default, Schema)]
pub struct AttachedVolume {
    /// Its name, which has its plugin's in front.
    #[field(1, required)]
    pub name: String,
    /// Where the device is found on the node.
    #[field(2, required)]
    pub device_path: String,
}

/// Where a kubelet's settings were taken from. No longer supported.
#[derive(Clone, Default, Schema)]
pub struct ConfigMapNodeConfigSource {
    /// The ConfigMap's namespace.
    #[field(1, required)]
    pub namespace: String,
    /// The ConfigMap's name.
    #[field(2, required)]
    pub name: String,
    /// The ConfigMap's uid, in a status only.
    #[field(3)]
    pub uid: String,
    /// The ConfigMap's version, in a status only.
    #[field(4)]
    pub resource_version: String,
    /// The key with the settings.
    #[field(5, required)]
    pub kubelet_config_key: String,
}

/// An image that is on a node.
#[derive(Clone, Default, Schema)]
pub struct ContainerImage {
    /// The names it goes by, such as registry.k8s.io/pause:3.10.
    #[field(1, shown, list = "atomic")]
    pub names: Vec<String>,
    /// Its size in bytes.
    #[field(2)]
    pub size_bytes: i64,
}

/// A port that a daemon of a node listens on.
#[derive(Clone, Default, Schema)]
pub struct DaemonEndpoint {
    /// The port.
    #[field(1, json = "Port", required)]
    pub port: i32,
}

/// A machine that pods run on, as its kubelet registered it.
#[derive(Clone, Default, Schema, Object)]
pub struct Node {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What it's told to be.
    #[field(2)]
    pub spec: NodeSpec,
    /// What it has, runs and reports.
    #[field(3)]
    pub status: NodeStatus,
}

/// An address of a node.
#[derive(Clone, Default, Schema)]
pub struct NodeAddress {
    /// Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.
    #[field(1, required)]
    pub type_: String,
    /// The address.
    #[field(2, required)]
    pub address: String,
}

/// An aspect of a node's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct NodeCondition {
    /// Which aspect, such as Ready, MemoryPressure, DiskPressure, PIDPressure or NetworkUnavailable.
    #[field(1, required)]
    pub type_: String,
    /// True, False, or Unknown if the node wasn't heard of for long.
    #[field(2, required)]
    pub status: String,
    /// When the node last reported on it.
    #[field(3)]
    pub last_heartbeat_time: Time,
    /// When the status last changed from one value to another.
    #[field(4)]
    pub last_transition_time: Time,
    /// One CamelCase word for why the status is what it is, for programs.
    #[field(5)]
    pub reason: String,
    /// What happened, for people.
    #[field(6)]
    pub message: String,
}

/// Where a kubelet was to take its settings from. No longer supported.
#[derive(Clone, Default, Schema)]
pub struct NodeConfigSource {
    /// A ConfigMap with them.
    #[field(2)]
    pub config_map: Option<Box<ConfigMapNodeConfigSource>>,
}

/// What became of the settings that a kubelet was to take. No longer supported.
#[derive(Clone, Default, Schema)]
pub struct NodeConfigStatus {
    /// What it's told to use.
    #[field(1)]
    pub assigned: Option<Box<NodeConfigSource>>,
    /// What it uses.
    #[field(2)]
    pub active: Option<Box<NodeConfigSource>>,
    /// What it falls back to.
    #[field(3)]
    pub last_known_good: Option<Box<NodeConfigSource>>,
    /// Why it doesn't use what it's told to.
    #[field(4)]
    pub error: String,
}

/// The ports of a node's daemons.
#[derive(Clone, Default, Schema)]
pub struct NodeDaemonEndpoints {
    /// Where the kubelet listens.
    #[field(1)]
    pub kubelet_endpoint: DaemonEndpoint,
}

/// What the container runtime of a node can do, whatever the handler.
#[derive(Clone, Default, Schema)]
pub struct NodeFeatures {
    /// Whether containers can be kept from groups that their image puts their user in.
    #[field(1)]
    pub supplemental_groups_policy: Option<bool>,
}

/// A list of Node objects.
#[derive(Clone, Default, Schema, Object)]
pub struct NodeList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<Node>,
}

/// A handler of a node's container runtime, as a RuntimeClass names it.
#[derive(Clone, Default, Schema)]
pub struct NodeRuntimeHandler {
    /// Its name. Empty for the default one.
    #[field(1, shown)]
    pub name: String,
    /// What it can do.
    #[field(2)]
    pub features: Option<Box<NodeRuntimeHandlerFeatures>>,
}

/// What a runtime handler can do.
#[derive(Clone, Default, Schema)]
pub struct NodeRuntimeHandlerFeatures {
    /// Whether a mount can be read-only with all that is mounted below it.
    #[field(1)]
    pub recursive_read_only_mounts: Option<bool>,
    /// Whether pods can have users of their own.
    #[field(2)]
    pub user_namespaces: Option<bool>,
}

/// What a node is told to be.
#[derive(Clone, Default, Schema)]
pub struct NodeSpec {
    /// The network that its pods get addresses from. The first of podCIDRs.
    #[field(1, json = "podCIDR")]
    pub pod_cidr: String,
    /// The networks that its pods get addresses from, one per IP family at most.
    #[field(7, json = "podCIDRs", list = "set", merge = "merge")]
    pub pod_cidrs: Vec<String>,
    /// What the cloud calls it, as provider://id. Can't change once set.
    #[field(3, json = "providerID")]
    pub provider_id: String,
    /// Whether new pods keep away from it, as after kubectl cordon.
    #[field(4)]
    pub unschedulable: bool,
    /// What keeps pods away that don't tolerate it.
    #[field(5, list = "atomic")]
    pub taints: Vec<Taint>,
    /// Where its kubelet was to take settings from. No longer supported.
    #[field(6)]
    pub config_source: Option<Box<NodeConfigSource>>,
    /// What an outside system called it. Deprecated: not used.
    #[field(2, json = "externalID")]
    pub external_id: String,
}

/// What a node has, runs and reports.
#[derive(Clone, Default, Schema)]
pub struct NodeStatus {
    /// All the resources it has.
    #[field(1)]
    pub capacity: BTreeMap<String, Quantity>,
    /// The resources that pods can have. Defaults to capacity.
    #[field(2)]
    pub allocatable: BTreeMap<String, Quantity>,
    /// Where it is in its life. Deprecated: not set any more.
    #[field(3, values = NODE_PHASES)]
    pub phase: String,
    /// Aspects of its state, one entry per type.
    #[field(4, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<NodeCondition>,
    /// Where it can be reached.
    #[field(5, keys("type"), merge = "merge", merge_key = "type")]
    pub addresses: Vec<NodeAddress>,
    /// The ports of its daemons.
    #[field(6)]
    pub daemon_endpoints: NodeDaemonEndpoints,
    /// Which versions of what it runs.
    #[field(7)]
    pub node_info: NodeSystemInfo,
    /// The images that it has, the largest first and not all.
    #[field(8, list = "atomic")]
    pub images: Vec<ContainerImage>,
    /// The attachable volumes that its pods use, which must stay attached.
    #[field(9, list = "atomic")]
    pub volumes_in_use: Vec<String>,
    /// The volumes attached to it.
    #[field(10, list = "atomic")]
    pub volumes_attached: Vec<AttachedVolume>,
    /// What became of settings from outside. No longer supported.
    #[field(11)]
    pub config: Option<Box<NodeConfigStatus>>,
    /// The handlers of its container runtime.
    #[field(12, list = "atomic")]
    pub runtime_handlers: Vec<NodeRuntimeHandler>,
    /// What its container runtime can do.
    #[field(13)]
    pub features: Option<Box<NodeFeatures>>,
    /// The features of Kubernetes that it says it has, for the scheduler.
    #[field(14, list = "atomic")]
    pub declared_features: Vec<String>,
}

/// The swap space of a node.
#[derive(Clone, Default, Schema)]
pub struct NodeSwapStatus {
    /// How much it has, in bytes.
    #[field(1)]
    pub capacity: Option<i64>,
}

/// What identifies a node, and which versions of what it runs.
#[derive(Clone, Default, Schema)]
pub struct NodeSystemInfo {
    /// The machine's id, as in /etc/machine-id.
    #[field(1, json = "machineID", required)]
    pub machine_id: String,
    /// The hardware's id.
    #[field(2, json = "systemUUID", required)]
    pub system_uuid: String,
    /// An id that changes with each boot.
    #[field(3, json = "bootID", required)]
    pub boot_id: String,
    /// The kernel, as uname -r says it.
    #[field(4, required)]
    pub kernel_version: String,
    /// The operating system, as in /etc/os-release.
    #[field(5, required)]
    pub os_image: String,
    /// The container runtime and its version, such as containerd://2.1.4.
    #[field(6, required)]
    pub container_runtime_version: String,
    /// The kubelet's version.
    #[field(7, required)]
    pub kubelet_version: String,
    /// Deprecated: not set any more.
    #[field(8, required)]
    pub kube_proxy_version: String,
    /// Such as linux or windows.
    #[field(9, required)]
    pub operating_system: String,
    /// Such as amd64 or arm64.
    #[field(10, required)]
    pub architecture: String,
    /// Its swap space.
    #[field(11)]
    pub swap: Option<Box<NodeSwapStatus>>,
}

/// What keeps pods away from a node unless they tolerate it.
#[derive(Clone, Default, Schema)]
pub struct Taint {
    /// Its name, with or without a domain in front.
    #[field(1, required)]
    pub key: String,
    /// Its value, if it needs one.
    #[field(2)]
    pub value: String,
    /// NoSchedule keeps new pods away, PreferNoSchedule does if it can, NoExecute drives away running ones
    /// as well.
    #[field(3, required, values = TAINT_EFFECTS)]
    pub effect: String,
    /// When it was added, from which tolerations count their seconds.
    #[field(4)]
    pub time_added: Option<Time>,
}
