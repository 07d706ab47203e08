//! Containers in `v1`.

use rhumb_meta::IntOrString;
use rhumb_meta::Quantity;
use rhumb_schema::Schema;
use std::collections::BTreeMap;
use super::*;


#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct AppArmorProfile {
    #[field(1, required, values = APP_ARMOR_PROFILE_TYPES)]
    pub type_: String,
    #[field(2)]
    pub localhost_profile: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct Capabilities {
    #[field(1, list = "atomic")]
    pub add: Vec<String>,
    #[field(2, list = "atomic")]
    pub drop: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct ConfigMapKeySelector {
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    #[field(2, required)]
    pub key: String,
    #[field(3)]
    pub optional: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct Container {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub image: String,
    #[field(3, list = "atomic")]
    pub command: Vec<String>,
    #[field(4, list = "atomic")]
    pub args: Vec<String>,
    #[field(5)]
    pub working_dir: String,
    #[field(6, keys("containerPort", "protocol"), merge = "merge", merge_key = "containerPort")]
    pub ports: Vec<ContainerPort>,
    #[field(19, list = "atomic")]
    pub env_from: Vec<EnvFromSource>,
    #[field(7, keys("name"), merge = "merge", merge_key = "name")]
    pub env: Vec<EnvVar>,
    #[field(8)]
    pub resources: ResourceRequirements,
    #[field(23, list = "atomic")]
    pub resize_policy: Vec<ContainerResizePolicy>,
    #[field(24)]
    pub restart_policy: Option<String>,
    #[field(25, list = "atomic")]
    pub restart_policy_rules: Vec<ContainerRestartRule>,
    #[field(9, keys("mountPath"), merge = "merge", merge_key = "mountPath")]
    pub volume_mounts: Vec<VolumeMount>,
    #[field(21, keys("devicePath"), merge = "merge", merge_key = "devicePath")]
    pub volume_devices: Vec<VolumeDevice>,
    #[field(10)]
    pub liveness_probe: Option<Box<Probe>>,
    #[field(11)]
    pub readiness_probe: Option<Box<Probe>>,
    #[field(22)]
    pub startup_probe: Option<Box<Probe>>,
    #[field(12)]
    pub lifecycle: Option<Box<Lifecycle>>,
    #[field(13)]
    pub termination_message_path: String,
    #[field(20, values = TERMINATION_MESSAGE_POLICYS)]
    pub termination_message_policy: String,
    #[field(14, values = PULL_POLICYS)]
    pub image_pull_policy: String,
    #[field(15)]
    pub security_context: Option<Box<SecurityContext>>,
    #[field(16)]
    pub stdin: bool,
    #[field(17)]
    pub stdin_once: bool,
    #[field(18)]
    pub tty: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerExtendedResourceRequest {
    #[field(1, required)]
    pub container_name: String,
    #[field(2, required)]
    pub resource_name: String,
    #[field(3, required)]
    pub request_name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerPort {
    #[field(1)]
    pub name: String,
    #[field(2)]
    pub host_port: i32,
    #[field(3, required)]
    pub container_port: i32,
    #[field(4, default = "TCP", values = PROTOCOLS)]
    pub protocol: String,
    #[field(5, json = "hostIP")]
    pub host_ip: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerResizePolicy {
    #[field(1, required)]
    pub resource_name: String,
    #[field(2, required)]
    pub restart_policy: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerRestartRule {
    #[field(1, required_omitempty)]
    pub action: String,
    #[field(2)]
    pub exit_codes: Option<Box<ContainerRestartRuleOnExitCodes>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerRestartRuleOnExitCodes {
    #[field(1, required_omitempty)]
    pub operator: String,
    #[field(2, list = "set")]
    pub values: Vec<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerUser {
    #[field(1)]
    pub linux: Option<Box<LinuxContainerUser>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct EnvFromSource {
    #[field(1)]
    pub prefix: String,
    #[field(2)]
    pub config_map_ref: Option<Box<ConfigMapEnvSource>>,
    #[field(3)]
    pub secret_ref: Option<Box<SecretEnvSource>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct EnvVar {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub value: String,
    #[field(3)]
    pub value_from: Option<Box<EnvVarSource>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct EnvVarSource {
    #[field(1)]
    pub field_ref: Option<Box<ObjectFieldSelector>>,
    #[field(2)]
    pub resource_field_ref: Option<Box<ResourceFieldSelector>>,
    #[field(3)]
    pub config_map_key_ref: Option<Box<ConfigMapKeySelector>>,
    #[field(4)]
    pub secret_key_ref: Option<Box<SecretKeySelector>>,
    #[field(5)]
    pub file_key_ref: Option<Box<FileKeySelector>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct EphemeralContainer {
    #[field(1, inline)]
    pub ephemeral_container_common: EphemeralContainerCommon,
    #[field(2)]
    pub target_container_name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct EphemeralContainerCommon {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub image: String,
    #[field(3, list = "atomic")]
    pub command: Vec<String>,
    #[field(4, list = "atomic")]
    pub args: Vec<String>,
    #[field(5)]
    pub working_dir: String,
    #[field(6, keys("containerPort", "protocol"), merge = "merge", merge_key = "containerPort")]
    pub ports: Vec<ContainerPort>,
    #[field(19, list = "atomic")]
    pub env_from: Vec<EnvFromSource>,
    #[field(7, keys("name"), merge = "merge", merge_key = "name")]
    pub env: Vec<EnvVar>,
    #[field(8)]
    pub resources: ResourceRequirements,
    #[field(23, list = "atomic")]
    pub resize_policy: Vec<ContainerResizePolicy>,
    #[field(24)]
    pub restart_policy: Option<String>,
    #[field(25, list = "atomic")]
    pub restart_policy_rules: Vec<ContainerRestartRule>,
    #[field(9, keys("mountPath"), merge = "merge", merge_key = "mountPath")]
    pub volume_mounts: Vec<VolumeMount>,
    #[field(21, keys("devicePath"), merge = "merge", merge_key = "devicePath")]
    pub volume_devices: Vec<VolumeDevice>,
    #[field(10)]
    pub liveness_probe: Option<Box<Probe>>,
    #[field(11)]
    pub readiness_probe: Option<Box<Probe>>,
    #[field(22)]
    pub startup_probe: Option<Box<Probe>>,
    #[field(12)]
    pub lifecycle: Option<Box<Lifecycle>>,
    #[field(13)]
    pub termination_message_path: String,
    #[field(20, values = TERMINATION_MESSAGE_POLICYS)]
    pub termination_message_policy: String,
    #[field(14, values = PULL_POLICYS)]
    pub image_pull_policy: String,
    #[field(15)]
    pub security_context: Option<Box<SecurityContext>>,
    #[field(16)]
    pub stdin: bool,
    #[field(17)]
    pub stdin_once: bool,
    #[field(18)]
    pub tty: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ExecAction {
    #[field(1, list = "atomic")]
    pub command: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct FileKeySelector {
    #[field(1, required)]
    pub volume_name: String,
    #[field(2, required)]
    pub path: String,
    #[field(3, required)]
    pub key: String,
    #[field(4, default = false)]
    pub optional: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct GRPCAction {
    #[field(1, required)]
    pub port: i32,
    #[field(2, shown, default = "")]
    pub service: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct HTTPGetAction {
    #[field(1)]
    pub path: String,
    #[field(2, required)]
    pub port: IntOrString,
    #[field(3)]
    pub host: String,
    #[field(4, values = URI_SCHEMES)]
    pub scheme: String,
    #[field(5, list = "atomic")]
    pub http_headers: Vec<HTTPHeader>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct HTTPHeader {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub value: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct Lifecycle {
    #[field(1)]
    pub post_start: Option<Box<LifecycleHandler>>,
    #[field(2)]
    pub pre_stop: Option<Box<LifecycleHandler>>,
    #[field(3, values = SIGNALS)]
    pub stop_signal: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct LifecycleHandler {
    #[field(1)]
    pub exec: Option<Box<ExecAction>>,
    #[field(2)]
    pub http_get: Option<Box<HTTPGetAction>>,
    #[field(3)]
    pub tcp_socket: Option<Box<TCPSocketAction>>,
    #[field(4)]
    pub sleep: Option<Box<SleepAction>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct LinuxContainerUser {
    #[field(1, required)]
    pub uid: i64,
    #[field(2, required)]
    pub gid: i64,
    #[field(3, list = "atomic")]
    pub supplemental_groups: Vec<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct NodeSelector {
    #[field(1, required, list = "atomic")]
    pub node_selector_terms: Vec<NodeSelectorTerm>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct ObjectFieldSelector {
    #[field(1)]
    pub api_version: String,
    #[field(2, required)]
    pub field_path: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodResourceClaim {
    #[field(1, required)]
    pub name: String,
    #[field(3)]
    pub resource_claim_name: Option<String>,
    #[field(4)]
    pub resource_claim_template_name: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodSecurityContext {
    #[field(1)]
    pub se_linux_options: Option<Box<SELinuxOptions>>,
    #[field(8)]
    pub windows_options: Option<Box<WindowsSecurityContextOptions>>,
    #[field(2)]
    pub run_as_user: Option<i64>,
    #[field(6)]
    pub run_as_group: Option<i64>,
    #[field(3)]
    pub run_as_non_root: Option<bool>,
    #[field(4, list = "atomic")]
    pub supplemental_groups: Vec<i64>,
    #[field(12, values = SUPPLEMENTAL_GROUPS_POLICYS)]
    pub supplemental_groups_policy: Option<String>,
    #[field(5)]
    pub fs_group: Option<i64>,
    #[field(7, list = "atomic")]
    pub sysctls: Vec<Sysctl>,
    #[field(9, values = POD_FS_GROUP_CHANGE_POLICYS)]
    pub fs_group_change_policy: Option<String>,
    #[field(10)]
    pub seccomp_profile: Option<Box<SeccompProfile>>,
    #[field(11)]
    pub app_armor_profile: Option<Box<AppArmorProfile>>,
    #[field(13)]
    pub se_linux_change_policy: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct Probe {
    #[field(1, inline)]
    pub probe_handler: ProbeHandler,
    #[field(2)]
    pub initial_delay_seconds: i32,
    #[field(3)]
    pub timeout_seconds: i32,
    #[field(4)]
    pub period_seconds: i32,
    #[field(5)]
    pub success_threshold: i32,
    #[field(6)]
    pub failure_threshold: i32,
    #[field(7)]
    pub termination_grace_period_seconds: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ProbeHandler {
    #[field(1)]
    pub exec: Option<Box<ExecAction>>,
    #[field(2)]
    pub http_get: Option<Box<HTTPGetAction>>,
    #[field(3)]
    pub tcp_socket: Option<Box<TCPSocketAction>>,
    #[field(4)]
    pub grpc: Option<Box<GRPCAction>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ResourceClaim {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub request: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct ResourceFieldSelector {
    #[field(1)]
    pub container_name: String,
    #[field(2, required)]
    pub resource: String,
    #[field(3)]
    pub divisor: Quantity,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ResourceRequirements {
    #[field(1)]
    pub limits: BTreeMap<String, Quantity>,
    #[field(2)]
    pub requests: BTreeMap<String, Quantity>,
    #[field(3, keys("name"))]
    pub claims: Vec<ResourceClaim>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct SELinuxOptions {
    #[field(1)]
    pub user: String,
    #[field(2)]
    pub role: String,
    #[field(3)]
    pub type_: String,
    #[field(4)]
    pub level: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct SeccompProfile {
    #[field(1, required, values = SECCOMP_PROFILE_TYPES)]
    pub type_: String,
    #[field(2)]
    pub localhost_profile: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct SecretKeySelector {
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    #[field(2, required)]
    pub key: String,
    #[field(3)]
    pub optional: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct SecurityContext {
    #[field(1)]
    pub capabilities: Option<Box<Capabilities>>,
    #[field(2)]
    pub privileged: Option<bool>,
    #[field(3)]
    pub se_linux_options: Option<Box<SELinuxOptions>>,
    #[field(10)]
    pub windows_options: Option<Box<WindowsSecurityContextOptions>>,
    #[field(4)]
    pub run_as_user: Option<i64>,
    #[field(8)]
    pub run_as_group: Option<i64>,
    #[field(5)]
    pub run_as_non_root: Option<bool>,
    #[field(6)]
    pub read_only_root_filesystem: Option<bool>,
    #[field(7)]
    pub allow_privilege_escalation: Option<bool>,
    #[field(9, values = PROC_MOUNT_TYPES)]
    pub proc_mount: Option<String>,
    #[field(11)]
    pub seccomp_profile: Option<Box<SeccompProfile>>,
    #[field(12)]
    pub app_armor_profile: Option<Box<AppArmorProfile>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct SleepAction {
    #[field(1, required)]
    pub seconds: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct TCPSocketAction {
    #[field(1, required)]
    pub port: IntOrString,
    #[field(2)]
    pub host: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct WindowsSecurityContextOptions {
    #[field(1)]
    pub gmsa_credential_spec_name: Option<String>,
    #[field(2)]
    pub gmsa_credential_spec: Option<String>,
    #[field(3)]
    pub run_as_user_name: Option<String>,
    #[field(4)]
    pub host_process: Option<bool>,
}
