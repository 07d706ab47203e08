//! ReplicationControllers, which ReplicaSets took the place of.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

use super::*;

/// Keeps a number of equal pods running. Deployments do it better.
#[derive(Clone, Default, Schema, Object)]
pub struct ReplicationController {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// How many pods, and which.
    #[field(2)]
    pub spec: ReplicationControllerSpec,
    /// How many there are.
    #[field(3)]
    pub status: ReplicationControllerStatus,
}

/// An aspect of a controller's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct ReplicationControllerCondition {
    /// Which aspect, such as ReplicaFailure.
    #[field(1, required)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(2, required)]
    pub status: String,
    /// When the status last changed from one value to another.
    #[field(3)]
    pub last_transition_time: Time,
    /// One CamelCase word for why the status is what it is, for programs.
    #[field(4)]
    pub reason: String,
    /// What happened, for people.
    #[field(5)]
    pub message: String,
}

/// A list of ReplicationController objects.
#[derive(Clone, Default, Schema, Object)]
pub struct ReplicationControllerList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<ReplicationController>,
}

/// How many pods there should be, and which.
#[derive(Clone, Default, Schema)]
pub struct ReplicationControllerSpec {
    /// How many pods. Defaults to 1.
    #[field(1, default = 1)]
    pub replicas: Option<i32>,
    /// How long a pod must have been ready to count as available. Defaults to 0.
    #[field(4, default = 0)]
    pub min_ready_seconds: i32,
    /// The labels of the pods that count. Defaults to those of the template.
    #[field(2, atomic)]
    pub selector: BTreeMap<String, String>,
    /// What new pods look like. They are always restarted.
    #[field(3)]
    pub template: Option<Box<PodTemplateSpec>>,
}

/// How many pods there are.
#[derive(Clone, Default, Schema)]
pub struct ReplicationControllerStatus {
    /// How many pods there are.
    #[field(1, required)]
    pub replicas: i32,
    /// How many of them have all labels of the template.
    #[field(2)]
    pub fully_labeled_replicas: i32,
    /// How many of them are ready.
    #[field(4)]
    pub ready_replicas: i32,
    /// How many of them have been ready for minReadySeconds.
    #[field(5)]
    pub available_replicas: i32,
    /// The generation of the spec that this tells of.
    #[field(3)]
    pub observed_generation: i64,
    /// Aspects of its state, one entry per type.
    #[field(6, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<ReplicationControllerCondition>,
}
