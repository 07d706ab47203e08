//! `apps/v1`.

use crate::core::v1::PersistentVolumeClaim;
use crate::core::v1::PodTemplateSpec;
use rhumb_meta::IntOrString;
use rhumb_meta::Object;
use rhumb_meta::Time;
use rhumb_meta::v1::LabelSelector;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::RawJson;
use rhumb_schema::Schema;

/// The values that a `DaemonSetUpdateStrategyType` has.
pub const DAEMON_SET_UPDATE_STRATEGY_TYPES: &[&str] = &["RollingUpdate", "OnDelete"];
/// The values that a `DeploymentStrategyType` has.
pub const DEPLOYMENT_STRATEGY_TYPES: &[&str] = &["Recreate", "RollingUpdate"];
/// The values that a `PodManagementPolicyType` has.
pub const POD_MANAGEMENT_POLICY_TYPES: &[&str] = &["OrderedReady", "Parallel"];
/// The values that a `StatefulSetUpdateStrategyType` has.
pub const STATEFUL_SET_UPDATE_STRATEGY_TYPES: &[&str] = &["RollingUpdate", "OnDelete"];

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct ControllerRevision {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub data: RawJson,
    #[field(3, required)]
    pub revision: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct ControllerRevisionList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ControllerRevision>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct DaemonSetList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<DaemonSet>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct DaemonSetSpec {
    #[field(1, required)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(2, required)]
    pub template: PodTemplateSpec,
    #[field(3)]
    pub update_strategy: DaemonSetUpdateStrategy,
    #[field(4)]
    pub min_ready_seconds: i32,
    #[field(6)]
    pub revision_history_limit: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct DaemonSetUpdateStrategy {
    #[field(1, values = DAEMON_SET_UPDATE_STRATEGY_TYPES)]
    pub type_: String,
    #[field(2)]
    pub rolling_update: Option<Box<RollingUpdateDaemonSet>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct DeploymentList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Deployment>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct DeploymentSpec {
    #[field(1)]
    pub replicas: Option<i32>,
    #[field(2, required)]
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
    #[field(9)]
    pub progress_deadline_seconds: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct DeploymentStrategy {
    #[field(1, values = DEPLOYMENT_STRATEGY_TYPES)]
    pub type_: String,
    #[field(2)]
    pub rolling_update: Option<Box<RollingUpdateDeployment>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct ReplicaSetList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ReplicaSet>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ReplicaSetSpec {
    #[field(1)]
    pub replicas: Option<i32>,
    #[field(4)]
    pub min_ready_seconds: i32,
    #[field(2, required)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(3)]
    pub template: PodTemplateSpec,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct RollingUpdateDaemonSet {
    #[field(1)]
    pub max_unavailable: Option<IntOrString>,
    #[field(2)]
    pub max_surge: Option<IntOrString>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct RollingUpdateDeployment {
    #[field(1)]
    pub max_unavailable: Option<IntOrString>,
    #[field(2)]
    pub max_surge: Option<IntOrString>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct RollingUpdateStatefulSetStrategy {
    #[field(1)]
    pub partition: Option<i32>,
    #[field(2)]
    pub max_unavailable: Option<IntOrString>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct StatefulSet {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: StatefulSetSpec,
    #[field(3)]
    pub status: StatefulSetStatus,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct StatefulSetCondition {
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

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct StatefulSetList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<StatefulSet>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct StatefulSetOrdinals {
    #[field(1, shown)]
    pub start: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct StatefulSetPersistentVolumeClaimRetentionPolicy {
    #[field(1)]
    pub when_deleted: String,
    #[field(2)]
    pub when_scaled: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct StatefulSetSpec {
    #[field(1)]
    pub replicas: Option<i32>,
    #[field(2, required)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(3, required)]
    pub template: PodTemplateSpec,
    #[field(4, list = "atomic")]
    pub volume_claim_templates: Vec<PersistentVolumeClaim>,
    #[field(5, shown)]
    pub service_name: String,
    #[field(6, values = POD_MANAGEMENT_POLICY_TYPES)]
    pub pod_management_policy: String,
    #[field(7)]
    pub update_strategy: StatefulSetUpdateStrategy,
    #[field(8)]
    pub revision_history_limit: Option<i32>,
    #[field(9)]
    pub min_ready_seconds: i32,
    #[field(10)]
    pub persistent_volume_claim_retention_policy: Option<Box<StatefulSetPersistentVolumeClaimRetentionPolicy>>,
    #[field(11)]
    pub ordinals: Option<Box<StatefulSetOrdinals>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct StatefulSetStatus {
    #[field(1)]
    pub observed_generation: i64,
    #[field(2, required)]
    pub replicas: i32,
    #[field(3)]
    pub ready_replicas: i32,
    #[field(4)]
    pub current_replicas: i32,
    #[field(5)]
    pub updated_replicas: i32,
    #[field(6)]
    pub current_revision: String,
    #[field(7)]
    pub update_revision: String,
    #[field(9)]
    pub collision_count: Option<i32>,
    #[field(10, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<StatefulSetCondition>,
    #[field(11, shown)]
    pub available_replicas: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct StatefulSetUpdateStrategy {
    #[field(1, values = STATEFUL_SET_UPDATE_STRATEGY_TYPES)]
    pub type_: String,
    #[field(2)]
    pub rolling_update: Option<Box<RollingUpdateStatefulSetStrategy>>,
}
