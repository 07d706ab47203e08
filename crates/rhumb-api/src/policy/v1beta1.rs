//! `policy/v1beta1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object, Time};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::core::v1::{PROC_MOUNT_TYPES, SELinuxOptions};

pub use super::v1::Eviction;

#[derive(Clone, Default, Schema)]
pub struct AllowedCSIDriver {
    #[field(1, required)]
    pub name: String,
}

#[derive(Clone, Default, Schema)]
pub struct AllowedFlexVolume {
    #[field(1, required)]
    pub driver: String,
}

#[derive(Clone, Default, Schema)]
pub struct AllowedHostPath {
    #[field(1)]
    pub path_prefix: String,
    #[field(2)]
    pub read_only: bool,
}

#[derive(Clone, Default, Schema)]
pub struct FSGroupStrategyOptions {
    #[field(1)]
    pub rule: String,
    #[field(2)]
    pub ranges: Vec<IDRange>,
}

#[derive(Clone, Default, Schema)]
pub struct HostPortRange {
    #[field(1, required)]
    pub min: i32,
    #[field(2, required)]
    pub max: i32,
}

#[derive(Clone, Default, Schema)]
pub struct IDRange {
    #[field(1, required)]
    pub min: i64,
    #[field(2, required)]
    pub max: i64,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::PodDisruptionBudget)]
pub struct PodDisruptionBudget {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PodDisruptionBudgetSpec,
    #[field(3)]
    pub status: PodDisruptionBudgetStatus,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::PodDisruptionBudgetList)]
pub struct PodDisruptionBudgetList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PodDisruptionBudget>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::PodDisruptionBudgetSpec)]
pub struct PodDisruptionBudgetSpec {
    #[field(1)]
    pub min_available: Option<IntOrString>,
    #[field(2)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(3)]
    pub max_unavailable: Option<IntOrString>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::PodDisruptionBudgetStatus)]
pub struct PodDisruptionBudgetStatus {
    #[field(1)]
    pub observed_generation: i64,
    #[field(2)]
    pub disrupted_pods: BTreeMap<String, Time>,
    #[field(3, required)]
    pub disruptions_allowed: i32,
    #[field(4, required)]
    pub current_healthy: i32,
    #[field(5, required)]
    pub desired_healthy: i32,
    #[field(6, required)]
    pub expected_pods: i32,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodSecurityPolicy {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PodSecurityPolicySpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodSecurityPolicyList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PodSecurityPolicy>,
}

#[derive(Clone, Default, Schema)]
pub struct PodSecurityPolicySpec {
    #[field(1)]
    pub privileged: bool,
    #[field(2)]
    pub default_add_capabilities: Vec<String>,
    #[field(3)]
    pub required_drop_capabilities: Vec<String>,
    #[field(4)]
    pub allowed_capabilities: Vec<String>,
    #[field(5)]
    pub volumes: Vec<String>,
    #[field(6)]
    pub host_network: bool,
    #[field(7)]
    pub host_ports: Vec<HostPortRange>,
    #[field(8, json = "hostPID")]
    pub host_pid: bool,
    #[field(9, json = "hostIPC")]
    pub host_ipc: bool,
    #[field(10, required)]
    pub se_linux: SELinuxStrategyOptions,
    #[field(11, required)]
    pub run_as_user: RunAsUserStrategyOptions,
    #[field(22)]
    pub run_as_group: Option<Box<RunAsGroupStrategyOptions>>,
    #[field(12, required)]
    pub supplemental_groups: SupplementalGroupsStrategyOptions,
    #[field(13, required)]
    pub fs_group: FSGroupStrategyOptions,
    #[field(14)]
    pub read_only_root_filesystem: bool,
    #[field(15)]
    pub default_allow_privilege_escalation: Option<bool>,
    #[field(16)]
    pub allow_privilege_escalation: Option<bool>,
    #[field(17)]
    pub allowed_host_paths: Vec<AllowedHostPath>,
    #[field(18)]
    pub allowed_flex_volumes: Vec<AllowedFlexVolume>,
    #[field(23, json = "allowedCSIDrivers")]
    pub allowed_csi_drivers: Vec<AllowedCSIDriver>,
    #[field(19)]
    pub allowed_unsafe_sysctls: Vec<String>,
    #[field(20)]
    pub forbidden_sysctls: Vec<String>,
    #[field(21, values = PROC_MOUNT_TYPES)]
    pub allowed_proc_mount_types: Vec<String>,
    #[field(24)]
    pub runtime_class: Option<Box<RuntimeClassStrategyOptions>>,
}

#[derive(Clone, Default, Schema)]
pub struct RunAsGroupStrategyOptions {
    #[field(1, required)]
    pub rule: String,
    #[field(2)]
    pub ranges: Vec<IDRange>,
}

#[derive(Clone, Default, Schema)]
pub struct RunAsUserStrategyOptions {
    #[field(1, required)]
    pub rule: String,
    #[field(2)]
    pub ranges: Vec<IDRange>,
}

#[derive(Clone, Default, Schema)]
pub struct RuntimeClassStrategyOptions {
    #[field(1, required)]
    pub allowed_runtime_class_names: Vec<String>,
    #[field(2)]
    pub default_runtime_class_name: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct SELinuxStrategyOptions {
    #[field(1, required)]
    pub rule: String,
    #[field(2)]
    pub se_linux_options: Option<Box<SELinuxOptions>>,
}

#[derive(Clone, Default, Schema)]
pub struct SupplementalGroupsStrategyOptions {
    #[field(1)]
    pub rule: String,
    #[field(2)]
    pub ranges: Vec<IDRange>,
}
