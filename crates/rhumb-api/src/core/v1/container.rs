//! Containers and what they're made of: environment, resources, probes, hooks and security settings.

use std::collections::BTreeMap;

use rhumb_meta::{IntOrString, Quantity};
use rhumb_schema::Schema;

use super::*;

/// The AppArmor profile that confines a container.
#[derive(Clone, Default, Schema)]
pub struct AppArmorProfile {
    /// RuntimeDefault, Localhost for a profile that the node has loaded, or Unconfined.
    #[field(1, required, values = APP_ARMOR_PROFILE_TYPES)]
    pub type_: String,
    /// The name of the profile on the node. For Localhost only, which needs it.
    #[field(2)]
    pub localhost_profile: Option<String>,
}

/// Linux capabilities to give or take, compared with the runtime's defaults.
#[derive(Clone, Default, Schema)]
pub struct Capabilities {
    /// Capabilities to give, such as NET_ADMIN.
    #[field(1, list = "atomic")]
    pub add: Vec<String>,
    /// Capabilities to take away. ALL takes every one.
    #[field(2, list = "atomic")]
    pub drop: Vec<String>,
}

/// One entry of a ConfigMap.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ConfigMapKeySelector {
    /// The ConfigMap, in the pod's namespace.
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    /// The entry's key.
    #[field(2, required)]
    pub key: String,
    /// Whether the ConfigMap or the key may be missing.
    #[field(3)]
    pub optional: Option<bool>,
}

/// A container of a pod.
#[derive(Clone, Default, Schema)]
pub struct Container {
    /// Its name, unique in the pod. Can't change.
    #[field(1, required)]
    pub name: String,
    /// The image to run.
    #[field(2)]
    pub image: String,
    /// The program to start, without a shell; replaces the image's entrypoint. $(NAME) stands for a
    /// variable; write $$(NAME) for the text itself.
    #[field(3, list = "atomic")]
    pub command: Vec<String>,
    /// The arguments; they replace the image's. $(NAME) works as in command.
    #[field(4, list = "atomic")]
    pub args: Vec<String>,
    /// The directory to start in. Defaults to the image's.
    #[field(5)]
    pub working_dir: String,
    /// The ports it listens on. Mostly for information: any port it listens on can be reached without an
    /// entry here.
    #[field(6, keys("containerPort", "protocol"), merge = "merge", merge_key = "containerPort")]
    pub ports: Vec<ContainerPort>,
    /// ConfigMaps and Secrets whose entries become environment variables. Later ones win over earlier ones,
    /// and env over all.
    #[field(19, list = "atomic")]
    pub env_from: Vec<EnvFromSource>,
    /// Environment variables.
    #[field(7, keys("name"), merge = "merge", merge_key = "name")]
    pub env: Vec<EnvVar>,
    /// How much CPU, memory and other resources it needs and may use.
    #[field(8)]
    pub resources: ResourceRequirements,
    /// Whether it's restarted when its resources change, by resource.
    #[field(23, list = "atomic")]
    pub resize_policy: Vec<ContainerResizePolicy>,
    /// Overrides the pod's restart policy. Always, on an init container, makes it a sidecar.
    #[field(24)]
    pub restart_policy: Option<String>,
    /// Exceptions to the restart policy, by exit code; the first rule that matches counts. Needs
    /// restartPolicy to be set.
    #[field(25, list = "atomic")]
    pub restart_policy_rules: Vec<ContainerRestartRule>,
    /// Volumes to mount as file systems.
    #[field(9, keys("mountPath"), merge = "merge", merge_key = "mountPath")]
    pub volume_mounts: Vec<VolumeMount>,
    /// Volumes to use as block devices.
    #[field(21, keys("devicePath"), merge = "merge", merge_key = "devicePath")]
    pub volume_devices: Vec<VolumeDevice>,
    /// Tells whether it still works. If not, it's restarted.
    #[field(10)]
    pub liveness_probe: Option<Box<Probe>>,
    /// Tells whether it can take requests. If not, the pod gets none from Services.
    #[field(11)]
    pub readiness_probe: Option<Box<Probe>>,
    /// Tells whether it has come up. The other probes wait for it; if it fails for good, the container is
    /// restarted.
    #[field(22)]
    pub startup_probe: Option<Box<Probe>>,
    /// What to do right after it starts and before it stops.
    #[field(12)]
    pub lifecycle: Option<Box<Lifecycle>>,
    /// The file it can leave a last message in, of at most 4096 bytes. Defaults to /dev/termination-log.
    #[field(13)]
    pub termination_message_path: String,
    /// Where that message comes from: File (the default), or FallbackToLogsOnError, which takes the end of
    /// the log if the file is empty and it failed.
    #[field(20, values = TERMINATION_MESSAGE_POLICYS)]
    pub termination_message_policy: String,
    /// Always, IfNotPresent or Never. Defaults to Always for the tag latest or none, and else to
    /// IfNotPresent.
    #[field(14, values = PULL_POLICYS)]
    pub image_pull_policy: String,
    /// Security settings. They win over those of the pod.
    #[field(15)]
    pub security_context: Option<Box<SecurityContext>>,
    /// Keep its standard input open, so that one can attach to it. Otherwise reads hit the end at once.
    #[field(16)]
    pub stdin: bool,
    /// Close standard input after the first client that attached goes away.
    #[field(17)]
    pub stdin_once: bool,
    /// Give it a terminal. Set stdin as well.
    #[field(18)]
    pub tty: bool,
}

/// Which request of a ResourceClaim serves an extended resource of a container.
#[derive(Clone, Default, Schema)]
pub struct ContainerExtendedResourceRequest {
    /// The container.
    #[field(1, required)]
    pub container_name: String,
    /// The extended resource, such as example.com/gpu.
    #[field(2, required)]
    pub resource_name: String,
    /// The request in the claim.
    #[field(3, required)]
    pub request_name: String,
}

/// A port that a container listens on.
#[derive(Clone, Default, Schema)]
pub struct ContainerPort {
    /// A name for Services and probes to refer to; unique in the pod, at most 15 characters.
    #[field(1)]
    pub name: String,
    /// A port of the node that leads to it, which only one pod per node can have. Rarely needed.
    #[field(2)]
    pub host_port: i32,
    /// The port in the pod.
    #[field(3, required)]
    pub container_port: i32,
    /// TCP (the default), UDP or SCTP.
    #[field(4, default = "TCP", values = PROTOCOLS)]
    pub protocol: String,
    /// The node's address to bind hostPort to. Unset for all.
    #[field(5, json = "hostIP")]
    pub host_ip: String,
}

/// What a change of one resource means for a running container.
#[derive(Clone, Default, Schema)]
pub struct ContainerResizePolicy {
    /// The resource: cpu or memory.
    #[field(1, required)]
    pub resource_name: String,
    /// NotRequired (the default) changes it in place; RestartContainer restarts the container.
    #[field(2, required)]
    pub restart_policy: String,
}

/// What to do when a container ends in a certain way.
#[derive(Clone, Default, Schema)]
pub struct ContainerRestartRule {
    /// Restart starts it again; RestartAllContainers starts all containers of the pod again.
    #[field(1, required_omitempty)]
    pub action: String,
    /// The exit codes that the rule is for.
    #[field(2)]
    pub exit_codes: Option<Box<ContainerRestartRuleOnExitCodes>>,
}

/// A set of exit codes.
#[derive(Clone, Default, Schema)]
pub struct ContainerRestartRuleOnExitCodes {
    /// In for the codes listed, NotIn for all others.
    #[field(1, required_omitempty)]
    pub operator: String,
    /// The codes.
    #[field(2, list = "set")]
    pub values: Vec<i32>,
}

/// Whom a container's first process was started as.
#[derive(Clone, Default, Schema)]
pub struct ContainerUser {
    /// User and groups, on Linux.
    #[field(1)]
    pub linux: Option<Box<LinuxContainerUser>>,
}

/// A ConfigMap or Secret whose entries become environment variables. Exactly one is set.
#[derive(Clone, Default, Schema)]
pub struct EnvFromSource {
    /// Put before each name.
    #[field(1)]
    pub prefix: String,
    /// The ConfigMap.
    #[field(2)]
    pub config_map_ref: Option<Box<ConfigMapEnvSource>>,
    /// The Secret.
    #[field(3)]
    pub secret_ref: Option<Box<SecretEnvSource>>,
}

/// An environment variable.
#[derive(Clone, Default, Schema)]
pub struct EnvVar {
    /// Its name.
    #[field(1, required)]
    pub name: String,
    /// Its value, in which $(NAME) stands for a variable defined before. Empty by default.
    #[field(2)]
    pub value: String,
    /// Where to take the value from; not with value.
    #[field(3)]
    pub value_from: Option<Box<EnvVarSource>>,
}

/// Where an environment variable gets its value. Exactly one is set.
#[derive(Clone, Default, Schema)]
pub struct EnvVarSource {
    /// A field of the pod, such as metadata.name or status.podIP.
    #[field(1)]
    pub field_ref: Option<Box<ObjectFieldSelector>>,
    /// A request or limit of a container.
    #[field(2)]
    pub resource_field_ref: Option<Box<ResourceFieldSelector>>,
    /// An entry of a ConfigMap.
    #[field(3)]
    pub config_map_key_ref: Option<Box<ConfigMapKeySelector>>,
    /// An entry of a Secret.
    #[field(4)]
    pub secret_key_ref: Option<Box<SecretKeySelector>>,
    /// An entry of an environment file on a volume, which an init container can write.
    #[field(5)]
    pub file_key_ref: Option<Box<FileKeySelector>>,
}

/// A container that is added to a running pod, for debugging. It can't be removed or changed afterwards.
#[derive(Clone, Default, Schema)]
pub struct EphemeralContainer {
    /// What it shares with ordinary containers.
    #[field(1, inline)]
    pub ephemeral_container_common: EphemeralContainerCommon,
    /// The container whose processes it gets to see. Unset for the pod's default.
    #[field(2)]
    pub target_container_name: String,
}

/// What ephemeral containers share with ordinary ones, including fields they must not set.
#[derive(Clone, Default, Schema)]
pub struct EphemeralContainerCommon {
    /// Its name, unique among all containers of the pod.
    #[field(1, required)]
    pub name: String,
    /// The image to run.
    #[field(2)]
    pub image: String,
    /// The program to start, without a shell; replaces the image's entrypoint. $(NAME) stands for a
    /// variable; write $$(NAME) for the text itself.
    #[field(3, list = "atomic")]
    pub command: Vec<String>,
    /// The arguments; they replace the image's. $(NAME) works as in command.
    #[field(4, list = "atomic")]
    pub args: Vec<String>,
    /// The directory to start in. Defaults to the image's.
    #[field(5)]
    pub working_dir: String,
    /// Not allowed on ephemeral containers.
    #[field(6, keys("containerPort", "protocol"), merge = "merge", merge_key = "containerPort")]
    pub ports: Vec<ContainerPort>,
    /// ConfigMaps and Secrets whose entries become environment variables. Later ones win over earlier ones,
    /// and env over all.
    #[field(19, list = "atomic")]
    pub env_from: Vec<EnvFromSource>,
    /// Environment variables.
    #[field(7, keys("name"), merge = "merge", merge_key = "name")]
    pub env: Vec<EnvVar>,
    /// Not allowed: ephemeral containers use what is left of the pod's resources.
    #[field(8)]
    pub resources: ResourceRequirements,
    /// Not allowed on ephemeral containers.
    #[field(23, list = "atomic")]
    pub resize_policy: Vec<ContainerResizePolicy>,
    /// Not allowed: ephemeral containers are never restarted.
    #[field(24)]
    pub restart_policy: Option<String>,
    /// Not allowed: ephemeral containers are never restarted.
    #[field(25, list = "atomic")]
    pub restart_policy_rules: Vec<ContainerRestartRule>,
    /// Volumes to mount as file systems. Without subPath.
    #[field(9, keys("mountPath"), merge = "merge", merge_key = "mountPath")]
    pub volume_mounts: Vec<VolumeMount>,
    /// Volumes to use as block devices.
    #[field(21, keys("devicePath"), merge = "merge", merge_key = "devicePath")]
    pub volume_devices: Vec<VolumeDevice>,
    /// Not allowed on ephemeral containers.
    #[field(10)]
    pub liveness_probe: Option<Box<Probe>>,
    /// Not allowed on ephemeral containers.
    #[field(11)]
    pub readiness_probe: Option<Box<Probe>>,
    /// Not allowed on ephemeral containers.
    #[field(22)]
    pub startup_probe: Option<Box<Probe>>,
    /// Not allowed on ephemeral containers.
    #[field(12)]
    pub lifecycle: Option<Box<Lifecycle>>,
    /// The file it can leave a last message in, of at most 4096 bytes. Defaults to /dev/termination-log.
    #[field(13)]
    pub termination_message_path: String,
    /// Where that message comes from: File (the default), or FallbackToLogsOnError, which takes the end of
    /// the log if the file is empty and it failed.
    #[field(20, values = TERMINATION_MESSAGE_POLICYS)]
    pub termination_message_policy: String,
    /// Always, IfNotPresent or Never. Defaults to Always for the tag latest or none, and else to
    /// IfNotPresent.
    #[field(14, values = PULL_POLICYS)]
    pub image_pull_policy: String,
    /// Security settings, which win over those of the pod.
    #[field(15)]
    pub security_context: Option<Box<SecurityContext>>,
    /// Keep its standard input open, so that one can attach to it. Otherwise reads hit the end at once.
    #[field(16)]
    pub stdin: bool,
    /// Close standard input after the first client that attached goes away.
    #[field(17)]
    pub stdin_once: bool,
    /// Give it a terminal. Set stdin as well.
    #[field(18)]
    pub tty: bool,
}

/// Runs a program in the container; exit code 0 is success.
#[derive(Clone, Default, Schema)]
pub struct ExecAction {
    /// The program and its arguments, started without a shell.
    #[field(1, list = "atomic")]
    pub command: Vec<String>,
}

/// One entry of an environment file on a volume.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct FileKeySelector {
    /// The pod's volume that has the file. Must be an emptyDir.
    #[field(1, required)]
    pub volume_name: String,
    /// The file's path in the volume; relative and without `..`.
    #[field(2, required)]
    pub path: String,
    /// The entry's key.
    #[field(3, required)]
    pub key: String,
    /// Whether the file or the key may be missing. Defaults to false.
    #[field(4, default = false)]
    pub optional: Option<bool>,
}

/// Asks the gRPC health service of the container.
#[derive(Clone, Default, Schema)]
pub struct GRPCAction {
    /// The port, as a number.
    #[field(1, required)]
    pub port: i32,
    /// The service to ask about. Defaults to the empty name, which means the server as a whole.
    #[field(2, shown, default = "")]
    pub service: Option<String>,
}

/// Sends an HTTP GET; any answer from 200 to 399 is success.
#[derive(Clone, Default, Schema)]
pub struct HTTPGetAction {
    /// The path. Defaults to /.
    #[field(1)]
    pub path: String,
    /// The port: a number, or the name of a container port.
    #[field(2, required)]
    pub port: IntOrString,
    /// Where to connect to, if not to the pod's address; to choose a virtual host, set the Host header.
    #[field(3)]
    pub host: String,
    /// HTTP (the default) or HTTPS, which doesn't verify the certificate.
    #[field(4, values = URI_SCHEMES)]
    pub scheme: String,
    /// Headers to send. The same name can come more than once.
    #[field(5, list = "atomic")]
    pub http_headers: Vec<HTTPHeader>,
}

/// A header of a request.
#[derive(Clone, Default, Schema)]
pub struct HTTPHeader {
    /// Its name.
    #[field(1, required)]
    pub name: String,
    /// Its value.
    #[field(2, required)]
    pub value: String,
}

/// What to do right after a container starts and before it stops.
#[derive(Clone, Default, Schema)]
pub struct Lifecycle {
    /// Runs once the container has started, beside its program. If it fails, the container is killed.
    #[field(1)]
    pub post_start: Option<Box<LifecycleHandler>>,
    /// Runs before the container is asked to stop; the time it takes counts as grace period. Not run if it
    /// ends by itself.
    #[field(2)]
    pub pre_stop: Option<Box<LifecycleHandler>>,
    /// The signal to ask it to stop with. Defaults to the image's, or SIGTERM. Needs spec.os.name.
    #[field(3, values = SIGNALS)]
    pub stop_signal: Option<String>,
}

/// What a hook does. Exactly one is set.
#[derive(Clone, Default, Schema)]
pub struct LifecycleHandler {
    /// Run a program in the container.
    #[field(1)]
    pub exec: Option<Box<ExecAction>>,
    /// Send an HTTP request.
    #[field(2)]
    pub http_get: Option<Box<HTTPGetAction>>,
    /// Deprecated and without a working implementation: a hook with it fails.
    #[field(3)]
    pub tcp_socket: Option<Box<TCPSocketAction>>,
    /// Wait.
    #[field(4)]
    pub sleep: Option<Box<SleepAction>>,
}

/// The user and groups of a process on Linux.
#[derive(Clone, Default, Schema)]
pub struct LinuxContainerUser {
    /// The user's ID.
    #[field(1, required)]
    pub uid: i64,
    /// The main group's ID.
    #[field(2, required)]
    pub gid: i64,
    /// The IDs of further groups.
    #[field(3, list = "atomic")]
    pub supplemental_groups: Vec<i64>,
}

/// A set of nodes: those that match at least one term.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct NodeSelector {
    /// The terms.
    #[field(1, required, list = "atomic")]
    pub node_selector_terms: Vec<NodeSelectorTerm>,
}

/// A field of the pod.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ObjectFieldSelector {
    /// The version that the path is written for. Defaults to v1.
    #[field(1)]
    pub api_version: String,
    /// The field's path, such as metadata.labels.
    #[field(2, required)]
    pub field_path: String,
}

/// A claim that a pod has. One of the two sources is set.
#[derive(Clone, Default, Schema)]
pub struct PodResourceClaim {
    /// The name that the pod's containers refer to it by.
    #[field(1, required)]
    pub name: String,
    /// Gone since Kubernetes 1.31; kinds that were given up before still have it.
    #[field(2, gone)]
    pub source: Option<Box<ClaimSource>>,
    /// An existing ResourceClaim, which other pods may use as well.
    #[field(3)]
    pub resource_claim_name: Option<String>,
    /// A ResourceClaimTemplate. A claim made from it belongs to the pod and goes with it.
    #[field(4)]
    pub resource_claim_template_name: Option<String>,
}

/// Security settings for a pod and, unless they have their own, its containers.
#[derive(Clone, Default, Schema)]
pub struct PodSecurityContext {
    /// The SELinux label. By default the runtime chooses a random one per container.
    #[field(1)]
    pub se_linux_options: Option<Box<SELinuxOptions>>,
    /// Settings for Windows only.
    #[field(8)]
    pub windows_options: Option<Box<WindowsSecurityContextOptions>>,
    /// The user ID to run as. Defaults to the image's.
    #[field(2)]
    pub run_as_user: Option<i64>,
    /// The main group ID to run as. Defaults to the runtime's choice.
    #[field(6)]
    pub run_as_group: Option<i64>,
    /// Refuse to start containers that would run as root.
    #[field(3)]
    pub run_as_non_root: Option<bool>,
    /// Further group IDs of the first processes. Whether the image's groups count depends on
    /// supplementalGroupsPolicy.
    #[field(4, list = "atomic")]
    pub supplemental_groups: Vec<i64>,
    /// Merge (the default) adds the groups that the image's /etc/group has for the user; Strict doesn't.
    #[field(12, values = SUPPLEMENTAL_GROUPS_POLICYS)]
    pub supplemental_groups_policy: Option<String>,
    /// A further group ID, which also becomes the owner of volumes that support it.
    #[field(5)]
    pub fs_group: Option<i64>,
    /// Kernel parameters to set. Those that nodes consider unsafe have to be allowed there.
    #[field(7, list = "atomic")]
    pub sysctls: Vec<Sysctl>,
    /// Always (the default) sets the owner of volumes on each mount; OnRootMismatch only if their root
    /// differs, which is faster.
    #[field(9, values = POD_FS_GROUP_CHANGE_POLICYS)]
    pub fs_group_change_policy: Option<String>,
    /// The system calls that are allowed.
    #[field(10)]
    pub seccomp_profile: Option<Box<SeccompProfile>>,
    /// The AppArmor profile.
    #[field(11)]
    pub app_armor_profile: Option<Box<AppArmorProfile>>,
    /// How volumes get the SELinux label: MountOption, by mounting with it, or Recursive, file by file. Pods
    /// that share a volume should agree.
    #[field(13)]
    pub se_linux_change_policy: Option<String>,
}

/// A check that is made on a container again and again.
#[derive(Clone, Default, Schema)]
pub struct Probe {
    /// What to check.
    #[field(1, inline)]
    pub probe_handler: ProbeHandler,
    /// Seconds to wait after the start before the first check. Defaults to 0.
    #[field(2)]
    pub initial_delay_seconds: i32,
    /// Seconds after which a check has failed. Defaults to 1.
    #[field(3)]
    pub timeout_seconds: i32,
    /// Seconds between checks. Defaults to 10.
    #[field(4)]
    pub period_seconds: i32,
    /// Successes in a row that make up for a failure. Defaults to 1, as liveness and startup require.
    #[field(5)]
    pub success_threshold: i32,
    /// Failures in a row that count as one. Defaults to 3.
    #[field(6)]
    pub failure_threshold: i32,
    /// Grace period if this probe ends the container, in place of the pod's. Not for readiness.
    #[field(7)]
    pub termination_grace_period_seconds: Option<i64>,
}

/// How a probe checks. Exactly one is set.
#[derive(Clone, Default, Schema)]
pub struct ProbeHandler {
    /// Run a program in the container.
    #[field(1)]
    pub exec: Option<Box<ExecAction>>,
    /// Send an HTTP request.
    #[field(2)]
    pub http_get: Option<Box<HTTPGetAction>>,
    /// Open a TCP connection.
    #[field(3)]
    pub tcp_socket: Option<Box<TCPSocketAction>>,
    /// Ask the gRPC health service.
    #[field(4)]
    pub grpc: Option<Box<GRPCAction>>,
}

/// A claim of the pod that a container uses.
#[derive(Clone, Default, Schema)]
pub struct ResourceClaim {
    /// The claim's name in spec.resourceClaims.
    #[field(1, required)]
    pub name: String,
    /// The request in the claim to use. Empty for all.
    #[field(2, newer)]
    pub request: String,
}

/// A request or limit of a container.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ResourceFieldSelector {
    /// The container. Needed in volumes; in environment variables it defaults to the own one.
    #[field(1)]
    pub container_name: String,
    /// What to take, such as limits.cpu or requests.memory.
    #[field(2, required)]
    pub resource: String,
    /// The unit of the result, such as 1Mi; it's rounded up. Defaults to 1.
    #[field(3)]
    pub divisor: Quantity,
}

/// How much of each resource is needed, and how much may be used.
#[derive(Clone, Default, Schema)]
pub struct ResourceRequirements {
    /// The most that may be used. Beyond it, CPU is throttled and memory gets the process killed.
    #[field(1)]
    pub limits: BTreeMap<String, Quantity>,
    /// What the scheduler sets aside. Defaults to the limit if there is one, and else to nothing.
    #[field(2)]
    pub requests: BTreeMap<String, Quantity>,
    /// Claims of the pod to use. Can't change.
    #[field(3, keys("name"))]
    pub claims: Vec<ResourceClaim>,
}

/// An SELinux label.
#[derive(Clone, Default, Schema)]
pub struct SELinuxOptions {
    /// The SELinux user.
    #[field(1)]
    pub user: String,
    /// The SELinux role.
    #[field(2)]
    pub role: String,
    /// The SELinux type.
    #[field(3)]
    pub type_: String,
    /// The SELinux level, as in s0:c123,c456.
    #[field(4)]
    pub level: String,
}

/// The system calls that a container may make.
#[derive(Clone, Default, Schema)]
pub struct SeccompProfile {
    /// RuntimeDefault, Localhost for a profile stored on the node, or Unconfined.
    #[field(1, required, values = SECCOMP_PROFILE_TYPES)]
    pub type_: String,
    /// The profile's file, below the kubelet's seccomp directory. For Localhost only, which needs it.
    #[field(2)]
    pub localhost_profile: Option<String>,
}

/// One entry of a Secret.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct SecretKeySelector {
    /// The Secret, in the pod's namespace.
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    /// The entry's key.
    #[field(2, required)]
    pub key: String,
    /// Whether the Secret or the key may be missing.
    #[field(3)]
    pub optional: Option<bool>,
}

/// Security settings for one container. They win over those of the pod.
#[derive(Clone, Default, Schema)]
pub struct SecurityContext {
    /// Linux capabilities to give or take.
    #[field(1)]
    pub capabilities: Option<Box<Capabilities>>,
    /// Give it almost everything that root on the node may do. Defaults to false.
    #[field(2)]
    pub privileged: Option<bool>,
    /// The SELinux label. By default the runtime chooses a random one.
    #[field(3)]
    pub se_linux_options: Option<Box<SELinuxOptions>>,
    /// Settings for Windows only.
    #[field(10)]
    pub windows_options: Option<Box<WindowsSecurityContextOptions>>,
    /// The user ID to run as. Defaults to the image's.
    #[field(4)]
    pub run_as_user: Option<i64>,
    /// The main group ID to run as. Defaults to the runtime's choice.
    #[field(8)]
    pub run_as_group: Option<i64>,
    /// Refuse to start if it would run as root.
    #[field(5)]
    pub run_as_non_root: Option<bool>,
    /// Mount its root file system read-only. Defaults to false.
    #[field(6)]
    pub read_only_root_filesystem: Option<bool>,
    /// Whether a process may gain more rights than its parent, as with setuid programs. Always true if
    /// privileged or with CAP_SYS_ADMIN.
    #[field(7)]
    pub allow_privilege_escalation: Option<bool>,
    /// Default hides parts of /proc; Unmasked shows them, and needs hostUsers to be false.
    #[field(9, values = PROC_MOUNT_TYPES)]
    pub proc_mount: Option<String>,
    /// The system calls that are allowed.
    #[field(11)]
    pub seccomp_profile: Option<Box<SeccompProfile>>,
    /// The AppArmor profile.
    #[field(12)]
    pub app_armor_profile: Option<Box<AppArmorProfile>>,
}

/// Waits.
#[derive(Clone, Default, Schema)]
pub struct SleepAction {
    /// How long, in seconds.
    #[field(1, required)]
    pub seconds: i64,
}

/// Opens a TCP connection; if it can be opened, that is success.
#[derive(Clone, Default, Schema)]
pub struct TCPSocketAction {
    /// The port: a number, or the name of a container port.
    #[field(1, required)]
    pub port: IntOrString,
    /// Where to connect to, if not to the pod's address.
    #[field(2)]
    pub host: String,
}

/// Security settings for Windows.
#[derive(Clone, Default, Schema)]
pub struct WindowsSecurityContextOptions {
    /// The GMSA credential spec object to use.
    #[field(1)]
    pub gmsa_credential_spec_name: Option<String>,
    /// The GMSA credential spec itself, filled in from the object by a webhook.
    #[field(2)]
    pub gmsa_credential_spec: Option<String>,
    /// The Windows user to run as. Defaults to the image's.
    #[field(3)]
    pub run_as_user_name: Option<String>,
    /// Run as a process of the node itself. All containers of a pod must agree, and it needs hostNetwork.
    #[field(4)]
    pub host_process: Option<bool>,
}
