//! `apps/v1beta1`.

use crate::core::v1::PersistentVolumeClaim;
use crate::core::v1::PodTemplateSpec;
use rhumb_meta::IntOrString;
use rhumb_meta::Object;
use rhumb_meta::v1::LabelSelector;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;
use std::collections::BTreeMap;

pub use super::v1::{ControllerRevision, ControllerRevisionList, DeploymentCondition, DeploymentStatus, DeploymentStrategy, RollingUpdateDeployment, StatefulSetCondition, StatefulSetOrdinals, StatefulSetPersistentVolumeClaimRetentionPolicy};

pub use super::v1beta2::{ScaleSpec};


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
pub struct RollbackConfig {
    #[field(1)]
    pub revision: i64,
}

#[derive(Clone, Default, Schema)]
pub struct RollingUpdateStatefulSetStrategy {
    #[field(1)]
    pub partition: Option<i32>,
    #[field(2)]
    pub max_unavailable: Option<IntOrString>,
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
pub struct ScaleStatus {
    #[field(1, required)]
    pub replicas: i32,
    #[field(2)]
    pub selector: BTreeMap<String, String>,
    #[field(3)]
    pub target_selector: String,
}

#[derive(Clone, Default, Schema, Object)]
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

#[derive(Clone, Default, Schema, Object)]
pub struct StatefulSetList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<StatefulSet>,
}

#[derive(Clone, Default, Schema)]
pub struct StatefulSetSpec {
    #[field(1)]
    pub replicas: Option<i32>,
    #[field(2)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(3, required)]
    pub template: PodTemplateSpec,
    #[field(4, list = "atomic")]
    pub volume_claim_templates: Vec<PersistentVolumeClaim>,
    #[field(5, shown)]
    pub service_name: String,
    #[field(6)]
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

#[derive(Clone, Default, Schema)]
pub struct StatefulSetStatus {
    #[field(1)]
    pub observed_generation: Option<i64>,
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

#[derive(Clone, Default, Schema)]
pub struct StatefulSetUpdateStrategy {
    #[field(1)]
    pub type_: String,
    #[field(2)]
    pub rolling_update: Option<Box<RollingUpdateStatefulSetStrategy>>,
}
