//! The values that string fields of `v1` may have.

/// The values that a `AppArmorProfileType` has.
pub const APP_ARMOR_PROFILE_TYPES: &[&str] = &["Unconfined", "RuntimeDefault", "Localhost"];

/// The values that a `AzureDataDiskCachingMode` has.
pub const AZURE_DATA_DISK_CACHING_MODES: &[&str] = &["None", "ReadOnly", "ReadWrite"];

/// The values that a `AzureDataDiskKind` has.
pub const AZURE_DATA_DISK_KINDS: &[&str] = &["Shared", "Dedicated", "Managed"];

/// The values that a `ClaimResourceStatus` has.
pub const CLAIM_RESOURCE_STATUS: &[&str] = &[
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizePending",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
];

/// The values that a `DNSPolicy` has.
pub const DNS_POLICYS: &[&str] = &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/// The values that a `HostPathType` has.
pub const HOST_PATH_TYPES: &[&str] =
    &["", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"];

/// The values that a `IPFamily` has.
pub const IP_FAMILYS: &[&str] = &["IPv4", "IPv6", ""];

/// The values that a `IPFamilyPolicy` has.
pub const IP_FAMILY_POLICYS: &[&str] = &["SingleStack", "PreferDualStack", "RequireDualStack"];

/// The values that a `MountPropagationMode` has.
pub const MOUNT_PROPAGATION_MODES: &[&str] = &["None", "HostToContainer", "Bidirectional"];

/// The values that a `NamespacePhase` has.
pub const NAMESPACE_PHASES: &[&str] = &["Active", "Terminating"];

/// The values that a `NodeInclusionPolicy` has.
pub const NODE_INCLUSION_POLICYS: &[&str] = &["Ignore", "Honor"];

/// The values that a `NodePhase` has.
pub const NODE_PHASES: &[&str] = &["Pending", "Running", "Terminated"];

/// The values that a `NodeSelectorOperator` has.
pub const NODE_SELECTOR_OPERATORS: &[&str] = &["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];

/// The values that a `PersistentVolumeAccessMode` has.
pub const PERSISTENT_VOLUME_ACCESS_MODES: &[&str] =
    &["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];

/// The values that a `PersistentVolumeClaimModifyVolumeStatus` has.
pub const PERSISTENT_VOLUME_CLAIM_MODIFY_VOLUME_STATUS: &[&str] = &["Pending", "InProgress", "Infeasible"];

/// The values that a `PersistentVolumeClaimPhase` has.
pub const PERSISTENT_VOLUME_CLAIM_PHASES: &[&str] = &["Pending", "Bound", "Lost"];

/// The values that a `PersistentVolumeMode` has.
pub const PERSISTENT_VOLUME_MODES: &[&str] = &["Block", "Filesystem"];

/// The values that a `PersistentVolumePhase` has.
pub const PERSISTENT_VOLUME_PHASES: &[&str] = &["Pending", "Available", "Bound", "Released", "Failed"];

/// The values that a `PersistentVolumeReclaimPolicy` has.
pub const PERSISTENT_VOLUME_RECLAIM_POLICYS: &[&str] = &["Recycle", "Delete", "Retain"];

/// The values that a `PodFSGroupChangePolicy` has.
pub const POD_FS_GROUP_CHANGE_POLICYS: &[&str] = &["OnRootMismatch", "Always"];

/// The values that a `PodPhase` has.
pub const POD_PHASES: &[&str] = &["Pending", "Running", "Succeeded", "Failed", "Unknown"];

/// The values that a `PodQOSClass` has.
pub const POD_QOS_CLASS: &[&str] = &["Guaranteed", "Burstable", "BestEffort"];

/// The values that a `PreemptionPolicy` has.
pub const PREEMPTION_POLICYS: &[&str] = &["PreemptLowerPriority", "Never"];

/// The values that a `ProcMountType` has.
pub const PROC_MOUNT_TYPES: &[&str] = &["Default", "Unmasked"];

/// The values that a `Protocol` has.
pub const PROTOCOLS: &[&str] = &["TCP", "UDP", "SCTP"];

/// The values that a `PullPolicy` has.
pub const PULL_POLICYS: &[&str] = &["Always", "Never", "IfNotPresent"];

/// The values that a `ResourceQuotaScope` has.
pub const RESOURCE_QUOTA_SCOPES: &[&str] = &[
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
];

/// The values that a `RestartPolicy` has.
pub const RESTART_POLICYS: &[&str] = &["Always", "OnFailure", "Never"];

/// The values that a `ScopeSelectorOperator` has.
pub const SCOPE_SELECTOR_OPERATORS: &[&str] = &["In", "NotIn", "Exists", "DoesNotExist"];

/// The values that a `SeccompProfileType` has.
pub const SECCOMP_PROFILE_TYPES: &[&str] = &["Unconfined", "RuntimeDefault", "Localhost"];

/// The values that a `ServiceAffinity` has.
pub const SERVICE_AFFINITYS: &[&str] = &["ClientIP", "None"];

/// The values that a `ServiceExternalTrafficPolicy` has.
pub const SERVICE_EXTERNAL_TRAFFIC_POLICYS: &[&str] = &["Cluster", "Local"];

/// The values that a `ServiceInternalTrafficPolicy` has.
pub const SERVICE_INTERNAL_TRAFFIC_POLICYS: &[&str] = &["Cluster", "Local"];

/// The values that a `ServiceType` has.
pub const SERVICE_TYPES: &[&str] = &["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"];

/// The values that a `Signal` has.
pub const SIGNALS: &[&str] = &[
    "SIGABRT",
    "SIGALRM",
    "SIGBUS",
    "SIGCHLD",
    "SIGCLD",
    "SIGCONT",
    "SIGFPE",
    "SIGHUP",
    "SIGILL",
    "SIGINT",
    "SIGIO",
    "SIGIOT",
    "SIGKILL",
    "SIGPIPE",
    "SIGPOLL",
    "SIGPROF",
    "SIGPWR",
    "SIGQUIT",
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSTOP",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
    "SIGWINCH",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGRTMIN",
    "SIGRTMIN+1",
    "SIGRTMIN+2",
    "SIGRTMIN+3",
    "SIGRTMIN+4",
    "SIGRTMIN+5",
    "SIGRTMIN+6",
    "SIGRTMIN+7",
    "SIGRTMIN+8",
    "SIGRTMIN+9",
    "SIGRTMIN+10",
    "SIGRTMIN+11",
    "SIGRTMIN+12",
    "SIGRTMIN+13",
    "SIGRTMIN+14",
    "SIGRTMIN+15",
    "SIGRTMAX-14",
    "SIGRTMAX-13",
    "SIGRTMAX-12",
    "SIGRTMAX-11",
    "SIGRTMAX-10",
    "SIGRTMAX-9",
    "SIGRTMAX-8",
    "SIGRTMAX-7",
    "SIGRTMAX-6",
    "SIGRTMAX-5",
    "SIGRTMAX-4",
    "SIGRTMAX-3",
    "SIGRTMAX-2",
    "SIGRTMAX-1",
    "SIGRTMAX",
];

/// The values that a `SupplementalGroupsPolicy` has.
pub const SUPPLEMENTAL_GROUPS_POLICYS: &[&str] = &["Merge", "Strict"];

/// The values that a `TaintEffect` has.
pub const TAINT_EFFECTS: &[&str] = &["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// The values that a `TerminationMessagePolicy` has.
pub const TERMINATION_MESSAGE_POLICYS: &[&str] = &["File", "FallbackToLogsOnError"];

/// The values that a `TolerationOperator` has.
pub const TOLERATION_OPERATORS: &[&str] = &["Exists", "Equal", "Lt", "Gt"];

/// The values that a `UnsatisfiableConstraintAction` has.
pub const UNSATISFIABLE_CONSTRAINT_ACTIONS: &[&str] = &["DoNotSchedule", "ScheduleAnyway"];

/// The values that a `URIScheme` has.
pub const URI_SCHEMES: &[&str] = &["HTTP", "HTTPS"];
