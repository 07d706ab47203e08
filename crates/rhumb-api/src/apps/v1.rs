//! `apps/v1`: Deployments, ReplicaSets, StatefulSets, DaemonSets, and the revisions the last two keep.

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object, Time};
use rhumb_schema::{RawJson, Schema};

use crate::core::v1::{PersistentVolumeClaim, PodTemplateSpec};

/// The values that a `DaemonSetUpdateStrategyType` has.
pub const DAEMON_SET_UPDATE_STRATEGY_TYPES: &[&str] = &["RollingUpdate", "OnDelete"];
/// The values that a `DeploymentStrategyType` has.
pub const DEPLOYMENT_STRATEGY_TYPES: &[&str] = &["Recreate", "RollingUpdate"];
/// The values that a `PodManagementPolicyType` has.
pub const POD_MANAGEMENT_POLICY_TYPES: &[&str] = &["OrderedReady", "Parallel"];
/// The values that a `StatefulSetUpdateStrategyType` has.
pub const STATEFUL_SET_UPDATE_STRATEGY_TYPES: &[&str] = &["RollingUpdate", "OnDelete"];

/// A past or present template of a StatefulSet or DaemonSet, kept for rolling back.
#[derive(Clone, Default, Schema, Object)]
pub struct ControllerRevision {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The template, as a patch of the object that owns the revision. Can't change.
    #[field(2)]
    pub data: RawJson,
    /// The place in the owner's history; the highest is the newest.
    #[field(3, required)]
    pub revision: i64,
}

/// A list of ControllerRevision objects.
#[derive(Clone, Default, Schema, Object)]
pub struct ControllerRevisionList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<ControllerRevision>,
}

/// Runs one pod on each node, or on each node that its template allows.
#[derive(Clone, Default, Schema, Object)]
pub struct DaemonSet {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What to run, and how to update it.
    #[field(2)]
    pub spec: DaemonSetSpec,
    /// On how many nodes its pods run.
    #[field(3)]
    pub status: DaemonSetStatus,
}

/// An aspect of a DaemonSet's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct DaemonSetCondition {
    /// Which aspect the condition is about.
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

/// A list of DaemonSet objects.
#[derive(Clone, Default, Schema, Object)]
pub struct DaemonSetList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<DaemonSet>,
}

/// What a DaemonSet should look like.
#[derive(Clone, Default, Schema)]
pub struct DaemonSetSpec {
    /// Which pods belong to it; must match the template's labels, and can't change later.
    #[field(1, required)]
    pub selector: Option<Box<LabelSelector>>,
    /// What its pods look like. Node selectors and affinities in it decide which nodes get one.
    #[field(2, required)]
    pub template: PodTemplateSpec,
    /// How pods are replaced after the template changes.
    #[field(3)]
    pub update_strategy: DaemonSetUpdateStrategy,
    /// How long a new pod must be ready without a crash before it counts as available. Defaults to 0.
    #[field(4)]
    pub min_ready_seconds: i32,
    /// How many old revisions to keep for rolling back. Defaults to 10.
    #[field(6)]
    pub revision_history_limit: Option<i32>,
}

/// How far a DaemonSet has come.
#[derive(Clone, Default, Schema)]
pub struct DaemonSetStatus {
    /// How many nodes run its pod and should.
    #[field(1, required)]
    pub current_number_scheduled: i32,
    /// How many nodes run its pod and should not.
    #[field(2, required)]
    pub number_misscheduled: i32,
    /// How many nodes should run its pod.
    #[field(3, required)]
    pub desired_number_scheduled: i32,
    /// How many nodes that should run its pod have one that is ready.
    #[field(4, required)]
    pub number_ready: i32,
    /// The generation that the controller has seen; the rest of the status is about it.
    #[field(5)]
    pub observed_generation: i64,
    /// How many nodes run a pod of the newest template.
    #[field(6)]
    pub updated_number_scheduled: i32,
    /// How many nodes that should run its pod have one that has been ready for minReadySeconds.
    #[field(7)]
    pub number_available: i32,
    /// How many nodes that should run its pod have none that is available.
    #[field(8)]
    pub number_unavailable: i32,
    /// How often the name of a new revision was taken already. It goes into the hash for the next name.
    #[field(9)]
    pub collision_count: Option<i32>,
    /// Aspects of its state, one entry per type.
    #[field(10, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<DaemonSetCondition>,
}

/// How a DaemonSet replaces its pods.
#[derive(Clone, Default, Schema)]
pub struct DaemonSetUpdateStrategy {
    /// RollingUpdate, the default, or OnDelete, which waits until somebody deletes the old pods.
    #[field(1, values = DAEMON_SET_UPDATE_STRATEGY_TYPES)]
    pub type_: String,
    /// The pace of a RollingUpdate; not allowed otherwise.
    #[field(2)]
    pub rolling_update: Option<Box<RollingUpdateDaemonSet>>,
}

/// Keeps a number of equal pods running, and moves them to new versions step by step.
#[derive(Clone, Default, Schema, Object)]
pub struct Deployment {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What to run, how often, and how to update it.
    #[field(2)]
    pub spec: DeploymentSpec,
    /// How many pods there are, and how far an update has come.
    #[field(3)]
    pub status: DeploymentStatus,
}

/// An aspect of a Deployment's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct DeploymentCondition {
    /// Available, Progressing or ReplicaFailure.
    #[field(1, required)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(2, required)]
    pub status: String,
    /// When the condition was last written, even if its status stayed the same.
    #[field(6)]
    pub last_update_time: Time,
    /// When the status last changed from one value to another.
    #[field(7)]
    pub last_transition_time: Time,
    /// One CamelCase word for why the status is what it is, for programs.
    #[field(4)]
    pub reason: String,
    /// What happened, for people.
    #[field(5)]
    pub message: String,
}

/// A list of Deployment objects.
#[derive(Clone, Default, Schema, Object)]
pub struct DeploymentList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<Deployment>,
}

/// What a Deployment should look like.
#[derive(Clone, Default, Schema)]
pub struct DeploymentSpec {
    /// How many pods to keep running. Defaults to 1.
    #[field(1)]
    pub replicas: Option<i32>,
    /// Which pods belong to it; must match the template's labels, and can't change later.
    #[field(2, required)]
    pub selector: Option<Box<LabelSelector>>,
    /// What its pods look like. Changing it starts an update.
    #[field(3, required)]
    pub template: PodTemplateSpec,
    /// How pods are replaced after the template changes.
    #[field(4, merge = "retainKeys")]
    pub strategy: DeploymentStrategy,
    /// How long a new pod must be ready without a crash before it counts as available. Defaults to 0.
    #[field(5)]
    pub min_ready_seconds: i32,
    /// How many old ReplicaSets to keep for rolling back. Defaults to 10.
    #[field(6)]
    pub revision_history_limit: Option<i32>,
    /// Whether changes of the template wait. Scaling still works.
    #[field(7)]
    pub paused: bool,
    /// After this long without progress, the Progressing condition says so; nothing is undone. Defaults to
    /// 600.
    #[field(9)]
    pub progress_deadline_seconds: Option<i32>,
}

/// How far a Deployment has come.
#[derive(Clone, Default, Schema)]
pub struct DeploymentStatus {
    /// The generation that the controller has seen; the rest of the status is about it.
    #[field(1)]
    pub observed_generation: i64,
    /// How many pods it has, old and new, without those that are terminating.
    #[field(2)]
    pub replicas: i32,
    /// How many of them are of the newest template.
    #[field(3)]
    pub updated_replicas: i32,
    /// How many of them are ready.
    #[field(7)]
    pub ready_replicas: i32,
    /// How many of them have been ready for minReadySeconds.
    #[field(4)]
    pub available_replicas: i32,
    /// How many pods are missing from full availability, be they not ready yet or not made yet.
    #[field(5)]
    pub unavailable_replicas: i32,
    /// How many of its pods are shutting down.
    #[field(9)]
    pub terminating_replicas: Option<i32>,
    /// Aspects of its state, one entry per type.
    #[field(6, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<DeploymentCondition>,
    /// How often the name of a new ReplicaSet was taken already. It goes into the hash for the next name.
    #[field(8)]
    pub collision_count: Option<i32>,
}

/// How a Deployment replaces its pods.
#[derive(Clone, Default, Schema)]
pub struct DeploymentStrategy {
    /// RollingUpdate, the default, or Recreate, which stops all old pods before it starts new ones.
    #[field(1, values = DEPLOYMENT_STRATEGY_TYPES)]
    pub type_: String,
    /// The pace of a RollingUpdate; not allowed otherwise.
    #[field(2)]
    pub rolling_update: Option<Box<RollingUpdateDeployment>>,
}

/// Keeps a number of equal pods running. Deployments make them; use those for anything that gets updates.
#[derive(Clone, Default, Schema, Object)]
pub struct ReplicaSet {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What to run, and how often.
    #[field(2)]
    pub spec: ReplicaSetSpec,
    /// How many pods there are.
    #[field(3)]
    pub status: ReplicaSetStatus,
}

/// An aspect of a ReplicaSet's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct ReplicaSetCondition {
    /// ReplicaFailure: pods could not be made or deleted.
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

/// A list of ReplicaSet objects.
#[derive(Clone, Default, Schema, Object)]
pub struct ReplicaSetList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<ReplicaSet>,
}

/// What a ReplicaSet should look like.
#[derive(Clone, Default, Schema)]
pub struct ReplicaSetSpec {
    /// How many pods to keep running. Defaults to 1.
    #[field(1)]
    pub replicas: Option<i32>,
    /// How long a new pod must be ready without a crash before it counts as available. Defaults to 0.
    #[field(4)]
    pub min_ready_seconds: i32,
    /// Which pods belong to it; must match the template's labels, and can't change later.
    #[field(2, required)]
    pub selector: Option<Box<LabelSelector>>,
    /// What new pods look like. Changing it leaves existing pods alone.
    #[field(3)]
    pub template: PodTemplateSpec,
}

/// How many pods a ReplicaSet has.
#[derive(Clone, Default, Schema)]
pub struct ReplicaSetStatus {
    /// How many pods it has, without those that are terminating.
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
    /// How many of its pods are shutting down.
    #[field(7)]
    pub terminating_replicas: Option<i32>,
    /// The generation that the controller has seen; the rest of the status is about it.
    #[field(3)]
    pub observed_generation: i64,
    /// Aspects of its state, one entry per type.
    #[field(6, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<ReplicaSetCondition>,
}

/// The pace at which a DaemonSet replaces its pods. Exactly one of the two must be above 0.
#[derive(Clone, Default, Schema)]
pub struct RollingUpdateDaemonSet {
    /// On how many nodes the pod may be down at a time: a number, or a percentage, rounded up. Defaults to
    /// 1.
    #[field(1)]
    pub max_unavailable: Option<IntOrString>,
    /// On how many nodes the new pod may start before the old one stops: a number, or a percentage, rounded
    /// up. Defaults to 0.
    #[field(2)]
    pub max_surge: Option<IntOrString>,
}

/// The pace at which a Deployment replaces its pods. One of the two must be above 0.
#[derive(Clone, Default, Schema)]
pub struct RollingUpdateDeployment {
    /// How many pods may be missing meanwhile: a number, or a percentage of replicas, rounded down. Defaults
    /// to 25%.
    #[field(1)]
    pub max_unavailable: Option<IntOrString>,
    /// How many pods there may be beyond replicas: a number, or a percentage of it, rounded up. Defaults to
    /// 25%.
    #[field(2)]
    pub max_surge: Option<IntOrString>,
}

/// Which pods a StatefulSet replaces, and how many at a time.
#[derive(Clone, Default, Schema)]
pub struct RollingUpdateStatefulSetStrategy {
    /// Only pods with this number or a higher one are updated, for trying a version on some. Defaults to 0,
    /// for all.
    #[field(1)]
    pub partition: Option<i32>,
    /// How many pods may be down at a time: a number, or a percentage, rounded up; not 0. Defaults to 1.
    /// Needs the MaxUnavailableStatefulSet feature.
    #[field(2)]
    pub max_unavailable: Option<IntOrString>,
}

/// Runs numbered pods that keep their name, their host name and their storage when they're replaced.
#[derive(Clone, Default, Schema, Object)]
pub struct StatefulSet {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What to run, how often, and with what storage.
    #[field(2)]
    pub spec: StatefulSetSpec,
    /// How many pods there are, and how far an update has come.
    #[field(3)]
    pub status: StatefulSetStatus,
}

/// An aspect of a StatefulSet's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct StatefulSetCondition {
    /// Which aspect the condition is about.
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

/// A list of StatefulSet objects.
#[derive(Clone, Default, Schema, Object)]
pub struct StatefulSetList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<StatefulSet>,
}

/// How the pods are numbered.
#[derive(Clone, Default, Schema)]
pub struct StatefulSetOrdinals {
    /// The number of the first pod. Defaults to 0.
    #[field(1, shown)]
    pub start: i32,
}

/// What becomes of the claims made from volumeClaimTemplates.
#[derive(Clone, Default, Schema)]
pub struct StatefulSetPersistentVolumeClaimRetentionPolicy {
    /// When the StatefulSet is deleted: Retain, the default, or Delete, which removes the data too.
    #[field(1)]
    pub when_deleted: String,
    /// When scaling down takes a claim's pod away: Retain, the default, or Delete, which removes the data
    /// too.
    #[field(2)]
    pub when_scaled: String,
}

/// What a StatefulSet should look like.
#[derive(Clone, Default, Schema)]
pub struct StatefulSetSpec {
    /// How many pods to keep running. Defaults to 1.
    #[field(1)]
    pub replicas: Option<i32>,
    /// Which pods belong to it; must match the template's labels, and can't change later.
    #[field(2, required)]
    pub selector: Option<Box<LabelSelector>>,
    /// What its pods look like, apart from name, number and claims.
    #[field(3, required)]
    pub template: PodTemplateSpec,
    /// A claim for each pod is made from each of these, and a volume of the same name mounts it. Can't
    /// change.
    #[field(4, list = "atomic")]
    pub volume_claim_templates: Vec<PersistentVolumeClaim>,
    /// The headless Service, made by you, that gives the pods their DNS names. Can't change.
    #[field(5, shown)]
    pub service_name: String,
    /// OrderedReady, the default, starts and stops pods one after another; Parallel doesn't wait. Can't
    /// change.
    #[field(6, values = POD_MANAGEMENT_POLICY_TYPES)]
    pub pod_management_policy: String,
    /// How pods are replaced after the template changes.
    #[field(7)]
    pub update_strategy: StatefulSetUpdateStrategy,
    /// How many old revisions to keep for rolling back. Defaults to 10.
    #[field(8)]
    pub revision_history_limit: Option<i32>,
    /// How long a new pod must be ready without a crash before it counts as available. Defaults to 0.
    #[field(9)]
    pub min_ready_seconds: i32,
    /// When the pods' claims are deleted. By default they never are.
    #[field(10)]
    pub persistent_volume_claim_retention_policy:
        Option<Box<StatefulSetPersistentVolumeClaimRetentionPolicy>>,
    /// How the pods are numbered. By default from 0.
    #[field(11)]
    pub ordinals: Option<Box<StatefulSetOrdinals>>,
}

/// How far a StatefulSet has come.
#[derive(Clone, Default, Schema)]
pub struct StatefulSetStatus {
    /// The generation that the controller has seen; the rest of the status is about it.
    #[field(1)]
    pub observed_generation: i64,
    /// How many pods it has.
    #[field(2, required)]
    pub replicas: i32,
    /// How many of them are ready.
    #[field(3)]
    pub ready_replicas: i32,
    /// How many of them are of the revision in currentRevision.
    #[field(4)]
    pub current_replicas: i32,
    /// How many of them are of the revision in updateRevision.
    #[field(5)]
    pub updated_replicas: i32,
    /// The revision that an update comes from. Equal to updateRevision when none is under way.
    #[field(6)]
    pub current_revision: String,
    /// The revision of the newest template.
    #[field(7)]
    pub update_revision: String,
    /// How often the name of a new revision was taken already. It goes into the hash for the next name.
    #[field(9)]
    pub collision_count: Option<i32>,
    /// Aspects of its state, one entry per type.
    #[field(10, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<StatefulSetCondition>,
    /// How many pods have been ready for minReadySeconds.
    #[field(11, shown)]
    pub available_replicas: i32,
}

/// How a StatefulSet replaces its pods.
#[derive(Clone, Default, Schema)]
pub struct StatefulSetUpdateStrategy {
    /// RollingUpdate, the default, or OnDelete, which waits until somebody deletes the old pods.
    #[field(1, values = STATEFUL_SET_UPDATE_STRATEGY_TYPES)]
    pub type_: String,
    /// The limits of a RollingUpdate.
    #[field(2)]
    pub rolling_update: Option<Box<RollingUpdateStatefulSetStrategy>>,
}
