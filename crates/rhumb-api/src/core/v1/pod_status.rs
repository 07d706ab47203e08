//! What is observed of pods and their containers; also the statuses of services and namespaces.

use std::collections::BTreeMap;

use rhumb_meta::v1::Condition;
use rhumb_meta::{Quantity, Time};
use rhumb_schema::Schema;

use super::*;

/// What a container is doing. One of the three is set; if none is, it's waiting.
#[derive(Clone, Default, Schema)]
pub struct ContainerState {
    /// It isn't running yet, and why.
    #[field(1)]
    pub waiting: Option<Box<ContainerStateWaiting>>,
    /// It's running.
    #[field(2)]
    pub running: Option<Box<ContainerStateRunning>>,
    /// It has ended, and how.
    #[field(3)]
    pub terminated: Option<Box<ContainerStateTerminated>>,
}

/// A container that is running.
#[derive(Clone, Default, Schema)]
pub struct ContainerStateRunning {
    /// When it was started last.
    #[field(1)]
    pub started_at: Time,
}

/// A container that has ended.
#[derive(Clone, Default, Schema)]
pub struct ContainerStateTerminated {
    /// What it exited with.
    #[field(1, required)]
    pub exit_code: i32,
    /// The signal that ended it, if one did.
    #[field(2)]
    pub signal: i32,
    /// One word for why it ended, such as Completed, Error or OOMKilled.
    #[field(3)]
    pub reason: String,
    /// What it left as its termination message, or what the runtime says.
    #[field(4)]
    pub message: String,
    /// When it had started.
    #[field(5)]
    pub started_at: Time,
    /// When it ended.
    #[field(6)]
    pub finished_at: Time,
    /// The ID it had in the runtime, as in containerd://abc.
    #[field(7, json = "containerID")]
    pub container_id: String,
}

/// A container that isn't running yet.
#[derive(Clone, Default, Schema)]
pub struct ContainerStateWaiting {
    /// One word for what it's waiting for, such as ContainerCreating or CrashLoopBackOff.
    #[field(1)]
    pub reason: String,
    /// Details of the reason.
    #[field(2)]
    pub message: String,
}

/// What is observed of one container.
#[derive(Clone, Default, Schema)]
pub struct ContainerStatus {
    /// The container's name in the pod's spec.
    #[field(1, required)]
    pub name: String,
    /// What it's doing.
    #[field(2)]
    pub state: ContainerState,
    /// How it ended the time before, if it was restarted.
    #[field(3)]
    pub last_state: ContainerState,
    /// Whether it passes its readiness probe, or is simply running if it has none.
    #[field(4, required)]
    pub ready: bool,
    /// How often it was restarted, as far as the node can tell: old containers may have been cleaned up.
    #[field(5, required)]
    pub restart_count: i32,
    /// The image it runs, which the runtime may name differently from the spec.
    #[field(6, required)]
    pub image: String,
    /// The image's ID, mostly a digest.
    #[field(7, json = "imageID", required)]
    pub image_id: String,
    /// Its ID in the runtime, as in containerd://abc.
    #[field(8, json = "containerID")]
    pub container_id: String,
    /// Whether it has passed its startup probe and run its postStart hook. Unset means no.
    #[field(9)]
    pub started: Option<bool>,
    /// The requests that the node has set aside for it.
    #[field(10)]
    pub allocated_resources: BTreeMap<String, Quantity>,
    /// The requests and limits in force, which lag behind the spec during a resize.
    #[field(11)]
    pub resources: Option<Box<ResourceRequirements>>,
    /// How its volumes were mounted.
    #[field(12, keys("mountPath"), merge = "merge", merge_key = "mountPath")]
    pub volume_mounts: Vec<VolumeMountStatus>,
    /// Whom its first process was started as.
    #[field(13)]
    pub user: Option<Box<ContainerUser>>,
    /// The health of devices it was given.
    #[field(14, keys("name"), merge = "merge", merge_key = "name")]
    pub allocated_resources_status: Vec<ResourceStatus>,
    /// The signal that it's asked to stop with.
    #[field(15, values = SIGNALS)]
    pub stop_signal: Option<String>,
}

/// An address of a node.
#[derive(Clone, Default, Schema)]
pub struct HostIP {
    /// The address.
    #[field(1, required)]
    pub ip: String,
}

/// How a load balancer can be reached.
#[derive(Clone, Default, Schema)]
pub struct LoadBalancerStatus {
    /// Its addresses. Empty until it's set up.
    #[field(1, list = "atomic")]
    pub ingress: Vec<LoadBalancerIngress>,
}

/// Whether a namespace is in use or being deleted.
#[derive(Clone, Default, Schema)]
pub struct NamespaceStatus {
    /// Active, or Terminating once its deletion was asked for; nothing can be created in it then.
    #[field(1, values = NAMESPACE_PHASES)]
    pub phase: String,
    /// What its deletion is hindered by or waiting for, one entry per type.
    #[field(2, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<NamespaceCondition>,
}

/// What a resource claim gave a pod of a node's ordinary resources, such as CPU and memory.
#[derive(Clone, Default, Schema)]
pub struct NodeAllocatableResourceClaimStatus {
    /// The ResourceClaim.
    #[field(1, required)]
    pub resource_claim_name: String,
    /// The containers of the pod that use the claim.
    #[field(2, list = "set")]
    pub containers: Vec<String>,
    /// How much of each resource the claim holds in all.
    #[field(3, required)]
    pub resources: BTreeMap<String, Quantity>,
}

/// An aspect of a pod's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct PodCondition {
    /// Which aspect: PodScheduled, Initialized, ContainersReady, Ready and others, or one of a controller's
    /// own.
    #[field(1, required)]
    pub type_: String,
    /// The generation of the pod that it was judged on.
    #[field(7)]
    pub observed_generation: i64,
    /// True, False or Unknown.
    #[field(2, required)]
    pub status: String,
    /// When it was last checked. Mostly left empty.
    #[field(3)]
    pub last_probe_time: Time,
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

/// The claim that was made to satisfy a pod's extended resources.
#[derive(Clone, Default, Schema)]
pub struct PodExtendedResourceClaimStatus {
    /// Which request of the claim serves which container and resource.
    #[field(1, required, list = "atomic")]
    pub request_mappings: Vec<ContainerExtendedResourceRequest>,
    /// The ResourceClaim that was made, in the pod's namespace.
    #[field(2, required)]
    pub resource_claim_name: String,
}

/// An address of a pod.
#[derive(Clone, Default, Schema)]
pub struct PodIP {
    /// The address.
    #[field(1, required)]
    pub ip: String,
}

/// The ResourceClaim that stands behind a claim of a pod.
#[derive(Clone, Default, Schema)]
pub struct PodResourceClaimStatus {
    /// The name that the pod's spec gives the claim.
    #[field(1, required)]
    pub name: String,
    /// The ResourceClaim made from a template. Unset if none was needed.
    #[field(2)]
    pub resource_claim_name: Option<String>,
}

/// What became of a pod. The node's kubelet keeps it up to date, so it's stale if the node is cut off.
#[derive(Clone, Default, Schema)]
pub struct PodStatus {
    /// The generation of the pod that the status is about.
    #[field(17)]
    pub observed_generation: i64,
    /// Pending, Running, Succeeded, Failed or Unknown: where it is in its life, in brief. The conditions say
    /// more.
    #[field(1, values = POD_PHASES)]
    pub phase: String,
    /// Aspects of its state, one entry per type.
    #[field(2, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<PodCondition>,
    /// Why it's in this state, for people.
    #[field(3)]
    pub message: String,
    /// One word for why it's in this state, such as Evicted.
    #[field(4)]
    pub reason: String,
    /// The node where room is being made for it. It may still go elsewhere.
    #[field(11)]
    pub nominated_node_name: String,
    /// The address of its node.
    #[field(5, json = "hostIP")]
    pub host_ip: String,
    /// The addresses of its node, at most one per IP family. The first equals hostIP.
    #[field(16, json = "hostIPs", list = "atomic", merge = "merge", merge_key = "ip")]
    pub host_ips: Vec<HostIP>,
    /// Its address in the cluster. Empty until it has one.
    #[field(6, json = "podIP")]
    pub pod_ip: String,
    /// Its addresses, at most one per IP family. The first equals podIP.
    #[field(12, json = "podIPs", keys("ip"), merge = "merge", merge_key = "ip")]
    pub pod_ips: Vec<PodIP>,
    /// When the node took it on, before pulling images.
    #[field(7)]
    pub start_time: Option<Time>,
    /// What is observed of its init containers.
    #[field(10, list = "atomic")]
    pub init_container_statuses: Vec<ContainerStatus>,
    /// What is observed of its containers.
    #[field(8, list = "atomic")]
    pub container_statuses: Vec<ContainerStatus>,
    /// Guaranteed, Burstable or BestEffort, by its requests and limits: who goes last when memory is short.
    #[field(9, values = POD_QOS_CLASS)]
    pub qos_class: String,
    /// What is observed of its ephemeral containers.
    #[field(13, list = "atomic")]
    pub ephemeral_container_statuses: Vec<ContainerStatus>,
    /// How a resize is going. Deprecated: see the conditions PodResizePending and PodResizeInProgress.
    #[field(14)]
    pub resize: String,
    /// The ResourceClaims that stand behind its claims.
    #[field(15, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub resource_claim_statuses: Vec<PodResourceClaimStatus>,
    /// The ResourceClaim that was made for its extended resources.
    #[field(18)]
    pub extended_resource_claim_status: Option<Box<PodExtendedResourceClaimStatus>>,
    /// The requests that the node has set aside for the pod as a whole.
    #[field(19)]
    pub allocated_resources: BTreeMap<String, Quantity>,
    /// The requests and limits in force for the pod as a whole, if its spec has any.
    #[field(20)]
    pub resources: Option<Box<ResourceRequirements>>,
    /// What resource claims gave it of the node's ordinary resources, such as CPU and memory.
    #[field(21, list = "atomic")]
    pub node_allocatable_resource_claim_statuses: Vec<NodeAllocatableResourceClaimStatus>,
}

/// How a port of a load balancer fares.
#[derive(Clone, Default, Schema)]
pub struct PortStatus {
    /// The port of the Service.
    #[field(1, required)]
    pub port: i32,
    /// TCP, UDP or SCTP.
    #[field(2, required, values = PROTOCOLS)]
    pub protocol: String,
    /// What went wrong, as one CamelCase word; with a domain prefix if it's a provider's own.
    #[field(3)]
    pub error: Option<String>,
}

/// The health of one device.
#[derive(Clone, Default, Schema)]
pub struct ResourceHealth {
    /// The device, by an ID that is unique on its node.
    #[field(1, json = "resourceID", required)]
    pub resource_id: String,
    /// Healthy, Unhealthy or Unknown.
    #[field(2)]
    pub health: String,
    /// More about the health, if the driver says anything.
    #[field(6)]
    pub message: Option<String>,
}

/// The health of the devices that a container got for one resource.
#[derive(Clone, Default, Schema)]
pub struct ResourceStatus {
    /// The resource, such as example.com/gpu, or claim:NAME/REQUEST for a resource claim.
    #[field(1, required)]
    pub name: String,
    /// The devices.
    #[field(2, keys("resourceID"))]
    pub resources: Vec<ResourceHealth>,
}

/// What is observed of a Service.
#[derive(Clone, Default, Schema)]
pub struct ServiceStatus {
    /// How its load balancer can be reached.
    #[field(1)]
    pub load_balancer: LoadBalancerStatus,
    /// Aspects of its state, one entry per type.
    #[field(2, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}
