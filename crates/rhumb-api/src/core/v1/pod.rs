//! Pods and pod templates, and what a pod says for all its containers together.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity};
use rhumb_schema::Schema;

use super::*;

/// A ConfigMap whose entries become environment variables.
#[derive(Clone, Default, Schema)]
pub struct ConfigMapEnvSource {
    /// The ConfigMap, in the pod's namespace.
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    /// Whether the pod may start without it.
    #[field(2)]
    pub optional: Option<bool>,
}

/// A line for the pod's hosts file.
#[derive(Clone, Default, Schema)]
pub struct HostAlias {
    /// The address.
    #[field(1, required)]
    pub ip: String,
    /// The names that resolve to it.
    #[field(2, list = "atomic")]
    pub hostnames: Vec<String>,
}

/// An object in the same namespace.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct LocalObjectReference {
    /// Its name.
    #[field(1, default = "")]
    pub name: String,
}

/// An object anywhere in the cluster, or a part of it. Which fields count depends on where it's used.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ObjectReference {
    /// Its kind.
    #[field(1)]
    pub kind: String,
    /// Its namespace.
    #[field(2)]
    pub namespace: String,
    /// Its name.
    #[field(3)]
    pub name: String,
    /// Its UID.
    #[field(4)]
    pub uid: String,
    /// The group and version to read it in.
    #[field(5)]
    pub api_version: String,
    /// The resource version that was meant, if one was.
    #[field(6)]
    pub resource_version: String,
    /// The part that is meant, such as `spec.containers{web}`. Empty for the whole object.
    #[field(7)]
    pub field_path: String,
}

/// One or more containers that run together on a node and share network and volumes.
#[derive(Clone, Default, Schema, Object)]
pub struct Pod {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What to run. Little of it can change once the pod exists.
    #[field(2)]
    pub spec: PodSpec,
    /// What became of it.
    #[field(3)]
    pub status: PodStatus,
}

/// DNS settings of a pod, added to those that come from its DNS policy.
#[derive(Clone, Default, Schema)]
pub struct PodDNSConfig {
    /// Addresses of name servers, put after those of the policy.
    #[field(1, list = "atomic")]
    pub nameservers: Vec<String>,
    /// Domains to try for short names, put after those of the policy.
    #[field(2, list = "atomic")]
    pub searches: Vec<String>,
    /// Resolver options; they replace options of the policy with the same name.
    #[field(3, list = "atomic")]
    pub options: Vec<PodDNSConfigOption>,
}

/// A resolver option.
#[derive(Clone, Default, Schema)]
pub struct PodDNSConfigOption {
    /// Its name, such as ndots.
    #[field(1)]
    pub name: String,
    /// Its value, if it has one.
    #[field(2)]
    pub value: Option<String>,
}

/// A list of Pod objects.
#[derive(Clone, Default, Schema, Object)]
pub struct PodList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<Pod>,
}

/// The operating system of a pod's containers.
#[derive(Clone, Default, Schema)]
pub struct PodOS {
    /// linux or windows. The server then refuses settings that the other one has.
    #[field(1, required)]
    pub name: String,
}

/// A further condition for a pod to be ready.
#[derive(Clone, Default, Schema)]
pub struct PodReadinessGate {
    /// The type of the condition, which some controller sets in the pod's status.
    #[field(1, required)]
    pub condition_type: String,
}

/// A reason not to schedule a pod yet.
#[derive(Clone, Default, Schema)]
pub struct PodSchedulingGate {
    /// Its name; whoever is responsible for it removes the gate by that.
    #[field(1, required)]
    pub name: String,
}

/// The group of pods that a pod is scheduled with.
#[derive(Clone, Default, Schema)]
pub struct PodSchedulingGroup {
    /// The PodGroup, in the pod's namespace.
    #[field(1)]
    pub pod_group_name: Option<String>,
}

/// What a pod should look like.
#[derive(Clone, Default, Schema)]
pub struct PodSpec {
    /// Volumes that its containers can mount.
    #[field(1, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub volumes: Vec<Volume>,
    /// Containers that run one after another, each to success, before the others start. With restart policy
    /// Always they keep running beside the others, as sidecars.
    #[field(20, keys("name"), merge = "merge", merge_key = "name")]
    pub init_containers: Vec<Container>,
    /// The containers. At least one; none can be added or removed later.
    #[field(2, required, keys("name"), merge = "merge", merge_key = "name")]
    pub containers: Vec<Container>,
    /// Containers added to the running pod for debugging, through its ephemeralcontainers subresource only.
    #[field(34, keys("name"), merge = "merge", merge_key = "name")]
    pub ephemeral_containers: Vec<EphemeralContainer>,
    /// Whether ended containers are started again: Always (the default), OnFailure or Never.
    #[field(3, values = RESTART_POLICYS)]
    pub restart_policy: String,
    /// Seconds between asking the containers to stop and killing them. Defaults to 30; 0 kills at once.
    #[field(4)]
    pub termination_grace_period_seconds: Option<i64>,
    /// Seconds after its start until the pod is stopped and counts as failed.
    #[field(5)]
    pub active_deadline_seconds: Option<i64>,
    /// How names resolve: ClusterFirst (the default), ClusterFirstWithHostNet, Default for the node's way,
    /// or None.
    #[field(6, values = DNS_POLICYS)]
    pub dns_policy: String,
    /// Labels that a node must have to run the pod.
    #[field(7, atomic)]
    pub node_selector: BTreeMap<String, String>,
    /// The ServiceAccount it acts as. Defaults to the one named default.
    #[field(8)]
    pub service_account_name: String,
    /// Old name of serviceAccountName; use that one.
    #[field(9)]
    pub service_account: String,
    /// Whether a token of the ServiceAccount is mounted. Unset leaves it to the ServiceAccount, whose
    /// default is yes.
    #[field(21)]
    pub automount_service_account_token: Option<bool>,
    /// The node it's on, as the scheduler decided. Set it yourself to bypass the scheduler.
    #[field(10)]
    pub node_name: String,
    /// Use the node's network in place of an own one. Ports then have to be free on the node.
    #[field(11)]
    pub host_network: bool,
    /// See and be among the node's processes.
    #[field(12, json = "hostPID")]
    pub host_pid: bool,
    /// Share the node's IPC namespace.
    #[field(13, json = "hostIPC")]
    pub host_ipc: bool,
    /// Let the containers see each other's processes. Can't be combined with hostPID.
    #[field(27)]
    pub share_process_namespace: Option<bool>,
    /// Security settings for all containers, which they can override one by one.
    #[field(14)]
    pub security_context: Option<Box<PodSecurityContext>>,
    /// Secrets with credentials for the image registries.
    #[field(15, keys("name"), merge = "merge", merge_key = "name")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// The pod's host name. Defaults to its name.
    #[field(16)]
    pub hostname: String,
    /// Gives it the DNS name hostname.subdomain.namespace.svc, if there is a headless Service named like
    /// this.
    #[field(17)]
    pub subdomain: String,
    /// Where it may or should run.
    #[field(18)]
    pub affinity: Option<Box<Affinity>>,
    /// The scheduler that places it. Defaults to default-scheduler.
    #[field(19)]
    pub scheduler_name: String,
    /// The taints it can live with.
    #[field(22, list = "atomic")]
    pub tolerations: Vec<Toleration>,
    /// Lines to add to its hosts file.
    #[field(23, keys("ip"), merge = "merge", merge_key = "ip")]
    pub host_aliases: Vec<HostAlias>,
    /// The PriorityClass that gives it its priority. Defaults to the cluster's default class, if there is
    /// one.
    #[field(24)]
    pub priority_class_name: String,
    /// Its priority; higher goes first. Filled in from the PriorityClass.
    #[field(25)]
    pub priority: Option<i32>,
    /// DNS settings beyond those of dnsPolicy.
    #[field(26)]
    pub dns_config: Option<Box<PodDNSConfig>>,
    /// Conditions that must be True, beside ready containers, for the pod to be ready.
    #[field(28, list = "atomic")]
    pub readiness_gates: Vec<PodReadinessGate>,
    /// The RuntimeClass to run it with. Unset for the node's default runtime.
    #[field(29)]
    pub runtime_class_name: Option<String>,
    /// Whether it gets environment variables for each Service of its namespace. Defaults to true.
    #[field(30)]
    pub enable_service_links: Option<bool>,
    /// Whether pods of lower priority may be evicted for it: PreemptLowerPriority (the default) or Never.
    #[field(31, values = PREEMPTION_POLICYS)]
    pub preemption_policy: Option<String>,
    /// What running it costs beyond its containers. Filled in from the RuntimeClass; leave it unset.
    #[field(32)]
    pub overhead: BTreeMap<String, Quantity>,
    /// Rules that spread pods over zones, nodes or the like. All of them apply.
    #[field(33, keys("topologyKey", "whenUnsatisfiable"), merge = "merge", merge_key = "topologyKey")]
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// Whether the host name is the full domain name in place of its first part. Defaults to false.
    #[field(35, json = "setHostnameAsFQDN")]
    pub set_hostname_as_fqdn: Option<bool>,
    /// The operating system it's made for. Doesn't choose a node: add a node selector for that.
    #[field(36)]
    pub os: Option<Box<PodOS>>,
    /// Whether user IDs are the node's. If false, root in the pod is an ordinary user outside. Defaults to
    /// true.
    #[field(37)]
    pub host_users: Option<bool>,
    /// While there are any, the pod isn't scheduled. They can be given at creation only, and removed later.
    #[field(38, keys("name"), merge = "merge", merge_key = "name")]
    pub scheduling_gates: Vec<PodSchedulingGate>,
    /// Claims for devices and the like, which its containers can then use by name.
    #[field(39, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub resource_claims: Vec<PodResourceClaim>,
    /// Requests and limits for the pod as a whole, shared by its containers.
    #[field(40)]
    pub resources: Option<Box<ResourceRequirements>>,
    /// The host name inside the pod, over hostname and subdomain, without any effect on DNS. At most 64
    /// characters.
    #[field(41)]
    pub hostname_override: Option<String>,
    /// The group of pods it's to be scheduled with.
    #[field(43)]
    pub scheduling_group: Option<Box<PodSchedulingGroup>>,
}

/// A template for pods, stored on its own.
#[derive(Clone, Default, Schema, Object)]
pub struct PodTemplate {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the pods look like.
    #[field(2)]
    pub template: PodTemplateSpec,
}

/// A list of PodTemplate objects.
#[derive(Clone, Default, Schema, Object)]
pub struct PodTemplateList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<PodTemplate>,
}

/// What pods look like that a controller makes.
#[derive(Clone, Default, Schema)]
pub struct PodTemplateSpec {
    /// Labels, annotations and so on for the pods. The controller chooses their names.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the pods run.
    #[field(2)]
    pub spec: PodSpec,
}

/// A Secret whose entries become environment variables.
#[derive(Clone, Default, Schema)]
pub struct SecretEnvSource {
    /// The Secret, in the pod's namespace.
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    /// Whether the pod may start without it.
    #[field(2)]
    pub optional: Option<bool>,
}

/// A kernel parameter to set for a pod.
#[derive(Clone, Default, Schema)]
pub struct Sysctl {
    /// Its name, such as net.core.somaxconn.
    #[field(1, required)]
    pub name: String,
    /// The value to set.
    #[field(2, required)]
    pub value: String,
}
