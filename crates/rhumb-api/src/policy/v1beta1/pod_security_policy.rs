//! PodSecurityPolicy and what it consists of, as Kubernetes 1.20 had it. It is in no other version, so it is
//! its own hub.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use crate::core::v1::{PROC_MOUNT_TYPES, SELinuxOptions};

/// A CSI driver that pods may use inline.
#[derive(Clone, Default, Schema)]
pub struct AllowedCSIDriver {
    #[field(1, required)]
    pub name: String,
}

/// A flex volume driver that pods may use.
#[derive(Clone, Default, Schema)]
pub struct AllowedFlexVolume {
    #[field(1, required)]
    pub driver: String,
}

/// A part of the host's file system that pods may mount.
#[derive(Clone, Default, Schema)]
pub struct AllowedHostPath {
    /// The directory under which all is allowed.
    #[field(1)]
    pub path_prefix: String,
    /// Whether it may be mounted for reading only.
    #[field(2)]
    pub read_only: bool,
}

/// Which groups may own the volumes of a pod.
#[derive(Clone, Default, Schema)]
pub struct FSGroupStrategyOptions {
    /// How it is decided: MustRunAs, RunAsAny or, where it makes sense, another.
    #[field(1)]
    pub rule: String,
    /// The ids that are allowed.
    #[field(2)]
    pub ranges: Vec<IDRange>,
}

/// Ports from the first to the last.
#[derive(Clone, Default, Schema)]
pub struct HostPortRange {
    #[field(1, required)]
    pub min: i32,
    #[field(2, required)]
    pub max: i32,
}

/// Ids from the first to the last.
#[derive(Clone, Default, Schema)]
pub struct IDRange {
    #[field(1, required)]
    pub min: i64,
    #[field(2, required)]
    pub max: i64,
}

/// Decides what pods may ask for of the node that they run on. Gone since Kubernetes 1.25.
#[derive(Clone, Default, Schema, Object)]
#[schema(retired)]
pub struct PodSecurityPolicy {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What pods may ask for.
    #[field(2)]
    pub spec: PodSecurityPolicySpec,
}

/// A list of PodSecurityPolicy objects.
#[derive(Clone, Default, Schema, Object)]
#[schema(retired)]
pub struct PodSecurityPolicyList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<PodSecurityPolicy>,
}

/// What pods may ask for.
#[derive(Clone, Default, Schema)]
pub struct PodSecurityPolicySpec {
    /// Whether pods may be privileged.
    #[field(1)]
    pub privileged: bool,
    /// Capabilities that containers get unless they drop them.
    #[field(2)]
    pub default_add_capabilities: Vec<String>,
    /// Capabilities that containers lose.
    #[field(3)]
    pub required_drop_capabilities: Vec<String>,
    /// Capabilities that containers may add; `*` for any.
    #[field(4)]
    pub allowed_capabilities: Vec<String>,
    /// Kinds of volumes that are allowed; `*` for any.
    #[field(5)]
    pub volumes: Vec<String>,
    /// Whether pods may use the host's network.
    #[field(6)]
    pub host_network: bool,
    /// Ports of the host that pods may use.
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
    /// Whether containers must have a read-only root file system.
    #[field(14)]
    pub read_only_root_filesystem: bool,
    /// What containers get that do not say whether they may gain privileges.
    #[field(15)]
    pub default_allow_privilege_escalation: Option<bool>,
    /// Whether containers may ask to gain privileges. Defaults to true.
    #[field(16)]
    pub allow_privilege_escalation: Option<bool>,
    /// Parts of the host that may be mounted; all if empty.
    #[field(17)]
    pub allowed_host_paths: Vec<AllowedHostPath>,
    /// Flex volume drivers that are allowed; all if empty.
    #[field(18)]
    pub allowed_flex_volumes: Vec<AllowedFlexVolume>,
    /// CSI drivers that are allowed inline; all if empty.
    #[field(23, json = "allowedCSIDrivers")]
    pub allowed_csi_drivers: Vec<AllowedCSIDriver>,
    /// Unsafe sysctls that are allowed; a name may end in `*`.
    #[field(19)]
    pub allowed_unsafe_sysctls: Vec<String>,
    /// Sysctls that are forbidden; a name may end in `*`.
    #[field(20)]
    pub forbidden_sysctls: Vec<String>,
    /// Kinds of proc mounts that are allowed.
    #[field(21, values = PROC_MOUNT_TYPES)]
    pub allowed_proc_mount_types: Vec<String>,
    /// Which runtime classes pods may name; any if not given.
    #[field(24)]
    pub runtime_class: Option<Box<RuntimeClassStrategyOptions>>,
}

/// Which primary groups containers may run with.
#[derive(Clone, Default, Schema)]
pub struct RunAsGroupStrategyOptions {
    /// How it is decided: MustRunAs, RunAsAny or, where it makes sense, another.
    #[field(1, required)]
    pub rule: String,
    /// The ids that are allowed.
    #[field(2)]
    pub ranges: Vec<IDRange>,
}

/// Which users containers may run as.
#[derive(Clone, Default, Schema)]
pub struct RunAsUserStrategyOptions {
    /// How it is decided: MustRunAs, RunAsAny or, where it makes sense, another.
    #[field(1, required)]
    pub rule: String,
    /// The ids that are allowed.
    #[field(2)]
    pub ranges: Vec<IDRange>,
}

/// Which runtime classes pods may name.
#[derive(Clone, Default, Schema)]
pub struct RuntimeClassStrategyOptions {
    /// The names that are allowed; `*` allows all.
    #[field(1, required)]
    pub allowed_runtime_class_names: Vec<String>,
    /// The name that pods without one get.
    #[field(2)]
    pub default_runtime_class_name: Option<String>,
}

/// Which SELinux labels containers may have.
#[derive(Clone, Default, Schema)]
pub struct SELinuxStrategyOptions {
    /// MustRunAs or RunAsAny.
    #[field(1, required)]
    pub rule: String,
    /// The labels that are required with MustRunAs.
    #[field(2)]
    pub se_linux_options: Option<Box<SELinuxOptions>>,
}

/// Which further groups containers may run with.
#[derive(Clone, Default, Schema)]
pub struct SupplementalGroupsStrategyOptions {
    /// How it is decided: MustRunAs, RunAsAny or, where it makes sense, another.
    #[field(1)]
    pub rule: String,
    /// The ids that are allowed.
    #[field(2)]
    pub ranges: Vec<IDRange>,
}
