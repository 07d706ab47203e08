//! Replication_Controllers in `v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

use super::*;

#[derive(Clone, Default, Schema, Object)]
pub struct ReplicationController {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ReplicationControllerSpec,
    #[field(3)]
    pub status: ReplicationControllerStatus,
}

#[derive(Clone, Default, Schema)]
pub struct ReplicationControllerCondition {
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
pub struct ReplicationControllerList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ReplicationController>,
}

#[derive(Clone, Default, Schema)]
pub struct ReplicationControllerSpec {
    #[field(1, default = 1)]
    pub replicas: Option<i32>,
    #[field(4, default = 0)]
    pub min_ready_seconds: i32,
    #[field(2, atomic)]
    pub selector: BTreeMap<String, String>,
    #[field(3)]
    pub template: Option<Box<PodTemplateSpec>>,
}

#[derive(Clone, Default, Schema)]
pub struct ReplicationControllerStatus {
    #[field(1, required)]
    pub replicas: i32,
    #[field(2)]
    pub fully_labeled_replicas: i32,
    #[field(4)]
    pub ready_replicas: i32,
    #[field(5)]
    pub available_replicas: i32,
    #[field(3)]
    pub observed_generation: i64,
    #[field(6, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<ReplicationControllerCondition>,
}
