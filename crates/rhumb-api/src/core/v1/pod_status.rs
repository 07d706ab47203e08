//! Pod_Statuss in `v1`.

use rhumb_meta::Quantity;
use rhumb_meta::Time;
use rhumb_meta::v1::Condition;
use rhumb_schema::Schema;
use std::collections::BTreeMap;
use super::*;


#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerState {
    #[field(1)]
    pub waiting: Option<Box<ContainerStateWaiting>>,
    #[field(2)]
    pub running: Option<Box<ContainerStateRunning>>,
    #[field(3)]
    pub terminated: Option<Box<ContainerStateTerminated>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerStateRunning {
    #[field(1)]
    pub started_at: Time,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerStateTerminated {
    #[field(1, required)]
    pub exit_code: i32,
    #[field(2)]
    pub signal: i32,
    #[field(3)]
    pub reason: String,
    #[field(4)]
    pub message: String,
    #[field(5)]
    pub started_at: Time,
    #[field(6)]
    pub finished_at: Time,
    #[field(7, json = "containerID")]
    pub container_id: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerStateWaiting {
    #[field(1)]
    pub reason: String,
    #[field(2)]
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerStatus {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub state: ContainerState,
    #[field(3)]
    pub last_state: ContainerState,
    #[field(4, required)]
    pub ready: bool,
    #[field(5, required)]
    pub restart_count: i32,
    #[field(6, required)]
    pub image: String,
    #[field(7, json = "imageID", required)]
    pub image_id: String,
    #[field(8, json = "containerID")]
    pub container_id: String,
    #[field(9)]
    pub started: Option<bool>,
    #[field(10)]
    pub allocated_resources: BTreeMap<String, Quantity>,
    #[field(11)]
    pub resources: Option<Box<ResourceRequirements>>,
    #[field(12, keys("mountPath"), merge = "merge", merge_key = "mountPath")]
    pub volume_mounts: Vec<VolumeMountStatus>,
    #[field(13)]
    pub user: Option<Box<ContainerUser>>,
    #[field(14, keys("name"), merge = "merge", merge_key = "name")]
    pub allocated_resources_status: Vec<ResourceStatus>,
    #[field(15, values = SIGNALS)]
    pub stop_signal: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct HostIP {
    #[field(1, required)]
    pub ip: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct LoadBalancerStatus {
    #[field(1, list = "atomic")]
    pub ingress: Vec<LoadBalancerIngress>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct NamespaceStatus {
    #[field(1, values = NAMESPACE_PHASES)]
    pub phase: String,
    #[field(2, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<NamespaceCondition>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct NodeAllocatableResourceClaimStatus {
    #[field(1, required)]
    pub resource_claim_name: String,
    #[field(2, list = "set")]
    pub containers: Vec<String>,
    #[field(3, required)]
    pub resources: BTreeMap<String, Quantity>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(7)]
    pub observed_generation: i64,
    #[field(2, required)]
    pub status: String,
    #[field(3)]
    pub last_probe_time: Time,
    #[field(4)]
    pub last_transition_time: Time,
    #[field(5)]
    pub reason: String,
    #[field(6)]
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodExtendedResourceClaimStatus {
    #[field(1, required, list = "atomic")]
    pub request_mappings: Vec<ContainerExtendedResourceRequest>,
    #[field(2, required)]
    pub resource_claim_name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodIP {
    #[field(1, required)]
    pub ip: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodResourceClaimStatus {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub resource_claim_name: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodStatus {
    #[field(17)]
    pub observed_generation: i64,
    #[field(1, values = POD_PHASES)]
    pub phase: String,
    #[field(2, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<PodCondition>,
    #[field(3)]
    pub message: String,
    #[field(4)]
    pub reason: String,
    #[field(11)]
    pub nominated_node_name: String,
    #[field(5, json = "hostIP")]
    pub host_ip: String,
    #[field(16, json = "hostIPs", list = "atomic", merge = "merge", merge_key = "ip")]
    pub host_ips: Vec<HostIP>,
    #[field(6, json = "podIP")]
    pub pod_ip: String,
    #[field(12, json = "podIPs", keys("ip"), merge = "merge", merge_key = "ip")]
    pub pod_ips: Vec<PodIP>,
    #[field(7)]
    pub start_time: Option<Time>,
    #[field(10, list = "atomic")]
    pub init_container_statuses: Vec<ContainerStatus>,
    #[field(8, list = "atomic")]
    pub container_statuses: Vec<ContainerStatus>,
    #[field(9, values = POD_QOS_CLASS)]
    pub qos_class: String,
    #[field(13, list = "atomic")]
    pub ephemeral_container_statuses: Vec<ContainerStatus>,
    #[field(14)]
    pub resize: String,
    #[field(15, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub resource_claim_statuses: Vec<PodResourceClaimStatus>,
    #[field(18)]
    pub extended_resource_claim_status: Option<Box<PodExtendedResourceClaimStatus>>,
    #[field(19)]
    pub allocated_resources: BTreeMap<String, Quantity>,
    #[field(20)]
    pub resources: Option<Box<ResourceRequirements>>,
    #[field(21, list = "atomic")]
    pub node_allocatable_resource_claim_statuses: Vec<NodeAllocatableResourceClaimStatus>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PortStatus {
    #[field(1, required)]
    pub port: i32,
    #[field(2, required, values = PROTOCOLS)]
    pub protocol: String,
    #[field(3)]
    pub error: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ResourceHealth {
    #[field(1, json = "resourceID", required)]
    pub resource_id: String,
    #[field(2)]
    pub health: String,
    #[field(6)]
    pub message: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ResourceStatus {
    #[field(1, required)]
    pub name: String,
    #[field(2, keys("resourceID"))]
    pub resources: Vec<ResourceHealth>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ServiceStatus {
    #[field(1)]
    pub load_balancer: LoadBalancerStatus,
    #[field(2, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}
