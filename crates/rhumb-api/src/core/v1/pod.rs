//! Pods in `v1`.

use rhumb_meta::Object;
use rhumb_meta::Quantity;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;
use std::collections::BTreeMap;
use super::*;


#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ConfigMapEnvSource {
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    #[field(2)]
    pub optional: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct HostAlias {
    #[field(1, required)]
    pub ip: String,
    #[field(2, list = "atomic")]
    pub hostnames: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct LocalObjectReference {
    #[field(1, default = "")]
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct ObjectReference {
    #[field(1)]
    pub kind: String,
    #[field(2)]
    pub namespace: String,
    #[field(3)]
    pub name: String,
    #[field(4)]
    pub uid: String,
    #[field(5)]
    pub api_version: String,
    #[field(6)]
    pub resource_version: String,
    #[field(7)]
    pub field_path: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct Pod {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PodSpec,
    #[field(3)]
    pub status: PodStatus,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodDNSConfig {
    #[field(1, list = "atomic")]
    pub nameservers: Vec<String>,
    #[field(2, list = "atomic")]
    pub searches: Vec<String>,
    #[field(3, list = "atomic")]
    pub options: Vec<PodDNSConfigOption>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodDNSConfigOption {
    #[field(1)]
    pub name: String,
    #[field(2)]
    pub value: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct PodList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Pod>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodOS {
    #[field(1, required)]
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodReadinessGate {
    #[field(1, required)]
    pub condition_type: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodSchedulingGate {
    #[field(1, required)]
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodSchedulingGroup {
    #[field(1)]
    pub pod_group_name: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodSpec {
    #[field(1, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub volumes: Vec<Volume>,
    #[field(20, keys("name"), merge = "merge", merge_key = "name")]
    pub init_containers: Vec<Container>,
    #[field(2, required, keys("name"), merge = "merge", merge_key = "name")]
    pub containers: Vec<Container>,
    #[field(34, keys("name"), merge = "merge", merge_key = "name")]
    pub ephemeral_containers: Vec<EphemeralContainer>,
    #[field(3, values = RESTART_POLICYS)]
    pub restart_policy: String,
    #[field(4)]
    pub termination_grace_period_seconds: Option<i64>,
    #[field(5)]
    pub active_deadline_seconds: Option<i64>,
    #[field(6, values = DNS_POLICYS)]
    pub dns_policy: String,
    #[field(7, atomic)]
    pub node_selector: BTreeMap<String, String>,
    #[field(8)]
    pub service_account_name: String,
    #[field(9)]
    pub service_account: String,
    #[field(21)]
    pub automount_service_account_token: Option<bool>,
    #[field(10)]
    pub node_name: String,
    #[field(11)]
    pub host_network: bool,
    #[field(12, json = "hostPID")]
    pub host_pid: bool,
    #[field(13, json = "hostIPC")]
    pub host_ipc: bool,
    #[field(27)]
    pub share_process_namespace: Option<bool>,
    #[field(14)]
    pub security_context: Option<Box<PodSecurityContext>>,
    #[field(15, keys("name"), merge = "merge", merge_key = "name")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    #[field(16)]
    pub hostname: String,
    #[field(17)]
    pub subdomain: String,
    #[field(18)]
    pub affinity: Option<Box<Affinity>>,
    #[field(19)]
    pub scheduler_name: String,
    #[field(22, list = "atomic")]
    pub tolerations: Vec<Toleration>,
    #[field(23, keys("ip"), merge = "merge", merge_key = "ip")]
    pub host_aliases: Vec<HostAlias>,
    #[field(24)]
    pub priority_class_name: String,
    #[field(25)]
    pub priority: Option<i32>,
    #[field(26)]
    pub dns_config: Option<Box<PodDNSConfig>>,
    #[field(28, list = "atomic")]
    pub readiness_gates: Vec<PodReadinessGate>,
    #[field(29)]
    pub runtime_class_name: Option<String>,
    #[field(30)]
    pub enable_service_links: Option<bool>,
    #[field(31, values = PREEMPTION_POLICYS)]
    pub preemption_policy: Option<String>,
    #[field(32)]
    pub overhead: BTreeMap<String, Quantity>,
    #[field(33, keys("topologyKey", "whenUnsatisfiable"), merge = "merge", merge_key = "topologyKey")]
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    #[field(35, json = "setHostnameAsFQDN")]
    pub set_hostname_as_fqdn: Option<bool>,
    #[field(36)]
    pub os: Option<Box<PodOS>>,
    #[field(37)]
    pub host_users: Option<bool>,
    #[field(38, keys("name"), merge = "merge", merge_key = "name")]
    pub scheduling_gates: Vec<PodSchedulingGate>,
    #[field(39, keys("name"), merge = "merge,retainKeys", merge_key = "name")]
    pub resource_claims: Vec<PodResourceClaim>,
    #[field(40)]
    pub resources: Option<Box<ResourceRequirements>>,
    #[field(41)]
    pub hostname_override: Option<String>,
    #[field(43)]
    pub scheduling_group: Option<Box<PodSchedulingGroup>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct PodTemplate {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub template: PodTemplateSpec,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct PodTemplateList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PodTemplate>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodTemplateSpec {
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PodSpec,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct SecretEnvSource {
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    #[field(2)]
    pub optional: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct Sysctl {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub value: String,
}
