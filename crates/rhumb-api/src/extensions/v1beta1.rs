//! `extensions/v1beta1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object, Time};
use rhumb_schema::Schema;

use crate::core::v1::{PROTOCOLS, PodTemplateSpec, TypedLocalObjectReference};

#[derive(Clone, Default, Schema, Object)]
pub struct DaemonSet {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: DaemonSetSpec,
    #[field(3)]
    pub status: DaemonSetStatus,
}

#[derive(Clone, Default, Schema)]
pub struct DaemonSetCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(3)]
    pub last_transition_time: Time,
    #[field(4)]
    pub reason: String,
    #[field(5)]
    pub message: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct DaemonSetList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<DaemonSet>,
}

#[derive(Clone, Default, Schema)]
pub struct DaemonSetSpec {
    #[field(1)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(2, required)]
    pub template: PodTemplateSpec,
    #[field(3)]
    pub update_strategy: DaemonSetUpdateStrategy,
    #[field(4)]
    pub min_ready_seconds: i32,
    #[field(5)]
    pub template_generation: i64,
    #[field(6)]
    pub revision_history_limit: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct DaemonSetStatus {
    #[field(1, required)]
    pub current_number_scheduled: i32,
    #[field(2, required)]
    pub number_misscheduled: i32,
    #[field(3, required)]
    pub desired_number_scheduled: i32,
    #[field(4, required)]
    pub number_ready: i32,
    #[field(5)]
    pub observed_generation: i64,
    #[field(6)]
    pub updated_number_scheduled: i32,
    #[field(7)]
    pub number_available: i32,
    #[field(8)]
    pub number_unavailable: i32,
    #[field(9)]
    pub collision_count: Option<i32>,
    #[field(10, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<DaemonSetCondition>,
}

#[derive(Clone, Default, Schema)]
pub struct DaemonSetUpdateStrategy {
    #[field(1)]
    pub type_: String,
    #[field(2)]
    pub rolling_update: Option<Box<RollingUpdateDaemonSet>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct Deployment {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: DeploymentSpec,
    #[field(3)]
    pub status: DeploymentStatus,
}

#[derive(Clone, Default, Schema)]
pub struct DeploymentCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(6)]
    pub last_update_time: Time,
    #[field(7)]
    pub last_transition_time: Time,
    #[field(4)]
    pub reason: String,
    #[field(5)]
    pub message: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct DeploymentList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Deployment>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct DeploymentRollback {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub updated_annotations: BTreeMap<String, String>,
    #[field(3, required)]
    pub rollback_to: RollbackConfig,
}

#[derive(Clone, Default, Schema)]
pub struct DeploymentSpec {
    #[field(1)]
    pub replicas: Option<i32>,
    #[field(2)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(3, required)]
    pub template: PodTemplateSpec,
    #[field(4, merge = "retainKeys")]
    pub strategy: DeploymentStrategy,
    #[field(5)]
    pub min_ready_seconds: i32,
    #[field(6)]
    pub revision_history_limit: Option<i32>,
    #[field(7)]
    pub paused: bool,
    #[field(8)]
    pub rollback_to: Option<Box<RollbackConfig>>,
    #[field(9)]
    pub progress_deadline_seconds: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct DeploymentStatus {
    #[field(1)]
    pub observed_generation: i64,
    #[field(2)]
    pub replicas: i32,
    #[field(3)]
    pub updated_replicas: i32,
    #[field(7)]
    pub ready_replicas: i32,
    #[field(4)]
    pub available_replicas: i32,
    #[field(5)]
    pub unavailable_replicas: i32,
    #[field(9)]
    pub terminating_replicas: Option<i32>,
    #[field(6, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<DeploymentCondition>,
    #[field(8)]
    pub collision_count: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct DeploymentStrategy {
    #[field(1)]
    pub type_: String,
    #[field(2)]
    pub rolling_update: Option<Box<RollingUpdateDeployment>>,
}

#[derive(Clone, Default, Schema)]
pub struct HTTPIngressPath {
    #[field(1)]
    pub path: String,
    #[field(3)]
    pub path_type: Option<String>,
    #[field(2, required)]
    pub backend: IngressBackend,
}

#[derive(Clone, Default, Schema)]
pub struct HTTPIngressRuleValue {
    #[field(1, required, list = "atomic")]
    pub paths: Vec<HTTPIngressPath>,
}

#[derive(Clone, Default, Schema)]
pub struct IPBlock {
    #[field(1, required)]
    pub cidr: String,
    #[field(2, list = "atomic")]
    pub except: Vec<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct Ingress {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: IngressSpec,
    #[field(3)]
    pub status: IngressStatus,
}

#[derive(Clone, Default, Schema)]
pub struct IngressBackend {
    #[field(1)]
    pub service_name: String,
    #[field(2)]
    pub service_port: IntOrString,
    #[field(3)]
    pub resource: Option<Box<TypedLocalObjectReference>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct IngressList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Ingress>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressLoadBalancerIngress {
    #[field(1)]
    pub ip: String,
    #[field(2)]
    pub hostname: String,
    #[field(4, list = "atomic")]
    pub ports: Vec<IngressPortStatus>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressLoadBalancerStatus {
    #[field(1, list = "atomic")]
    pub ingress: Vec<IngressLoadBalancerIngress>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressPortStatus {
    #[field(1, required)]
    pub port: i32,
    #[field(2, required, values = PROTOCOLS)]
    pub protocol: String,
    #[field(3)]
    pub error: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressRule {
    #[field(1)]
    pub host: String,
    #[field(2, inline)]
    pub ingress_rule_value: IngressRuleValue,
}

#[derive(Clone, Default, Schema)]
pub struct IngressRuleValue {
    #[field(1)]
    pub http: Option<Box<HTTPIngressRuleValue>>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressSpec {
    #[field(4)]
    pub ingress_class_name: Option<String>,
    #[field(1)]
    pub backend: Option<Box<IngressBackend>>,
    #[field(2, list = "atomic")]
    pub tls: Vec<IngressTLS>,
    #[field(3, list = "atomic")]
    pub rules: Vec<IngressRule>,
}

#[derive(Clone, Default, Schema)]
pub struct IngressStatus {
    #[field(1)]
    pub load_balancer: IngressLoadBalancerStatus,
}

#[derive(Clone, Default, Schema)]
pub struct IngressTLS {
    #[field(1, list = "atomic")]
    pub hosts: Vec<String>,
    #[field(2)]
    pub secret_name: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct NetworkPolicy {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: NetworkPolicySpec,
}

#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyEgressRule {
    #[field(1, list = "atomic")]
    pub ports: Vec<NetworkPolicyPort>,
    #[field(2, list = "atomic")]
    pub to: Vec<NetworkPolicyPeer>,
}

#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyIngressRule {
    #[field(1, list = "atomic")]
    pub ports: Vec<NetworkPolicyPort>,
    #[field(2, list = "atomic")]
    pub from: Vec<NetworkPolicyPeer>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct NetworkPolicyList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<NetworkPolicy>,
}

#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyPeer {
    #[field(1)]
    pub pod_selector: Option<Box<LabelSelector>>,
    #[field(2)]
    pub namespace_selector: Option<Box<LabelSelector>>,
    #[field(3)]
    pub ip_block: Option<Box<IPBlock>>,
}

#[derive(Clone, Default, Schema)]
pub struct NetworkPolicyPort {
    #[field(1, values = PROTOCOLS)]
    pub protocol: Option<String>,
    #[field(2)]
    pub port: Option<IntOrString>,
    #[field(3)]
    pub end_port: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct NetworkPolicySpec {
    #[field(1, required)]
    pub pod_selector: LabelSelector,
    #[field(2, list = "atomic")]
    pub ingress: Vec<NetworkPolicyIngressRule>,
    #[field(3, list = "atomic")]
    pub egress: Vec<NetworkPolicyEgressRule>,
    #[field(4, list = "atomic")]
    pub policy_types: Vec<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ReplicaSet {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ReplicaSetSpec,
    #[field(3)]
    pub status: ReplicaSetStatus,
}

#[derive(Clone, Default, Schema)]
pub struct ReplicaSetCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(3)]
    pub last_transition_time: Time,
    #[field(4)]
    pub reason: String,
    #[field(5)]
    pub message: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ReplicaSetList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ReplicaSet>,
}

#[derive(Clone, Default, Schema)]
pub struct ReplicaSetSpec {
    #[field(1)]
    pub replicas: Option<i32>,
    #[field(4)]
    pub min_ready_seconds: i32,
    #[field(2)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(3)]
    pub template: PodTemplateSpec,
}

#[derive(Clone, Default, Schema)]
pub struct ReplicaSetStatus {
    #[field(1, required)]
    pub replicas: i32,
    #[field(2)]
    pub fully_labeled_replicas: i32,
    #[field(4)]
    pub ready_replicas: i32,
    #[field(5)]
    pub available_replicas: i32,
    #[field(7)]
    pub terminating_replicas: Option<i32>,
    #[field(3)]
    pub observed_generation: i64,
    #[field(6, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<ReplicaSetCondition>,
}

#[derive(Clone, Default, Schema)]
pub struct RollbackConfig {
    #[field(1)]
    pub revision: i64,
}

#[derive(Clone, Default, Schema)]
pub struct RollingUpdateDaemonSet {
    #[field(1)]
    pub max_unavailable: Option<IntOrString>,
    #[field(2)]
    pub max_surge: Option<IntOrString>,
}

#[derive(Clone, Default, Schema)]
pub struct RollingUpdateDeployment {
    #[field(1)]
    pub max_unavailable: Option<IntOrString>,
    #[field(2)]
    pub max_surge: Option<IntOrString>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct Scale {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ScaleSpec,
    #[field(3)]
    pub status: ScaleStatus,
}

#[derive(Clone, Default, Schema)]
pub struct ScaleSpec {
    #[field(1, default = 0)]
    pub replicas: i32,
}

#[derive(Clone, Default, Schema)]
pub struct ScaleStatus {
    #[field(1, required)]
    pub replicas: i32,
    #[field(2, atomic)]
    pub selector: BTreeMap<String, String>,
    #[field(3)]
    pub target_selector: String,
}
