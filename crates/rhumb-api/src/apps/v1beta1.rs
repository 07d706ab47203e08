//! `apps/v1beta1`: the first version, with rollback in the Deployment's spec and labels taken from the pod template.

use std::collections::BTreeMap;

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object};
use rhumb_schema::Schema;
use rhumb_scheme::{Convert, ConvertError, Scope};

use super::{rollback, scale, v1};
use crate::autoscaling::v1 as hub;
use crate::core::v1::{PersistentVolumeClaim, PodTemplateSpec};

pub use super::v1::{
    ControllerRevision, ControllerRevisionList, DeploymentCondition, DeploymentStatus, DeploymentStrategy,
    RollingUpdateDeployment, StatefulSetCondition, StatefulSetOrdinals,
    StatefulSetPersistentVolumeClaimRetentionPolicy,
};
pub use super::v1beta2::ScaleSpec;

/// Replaces pods of one kind by pods of another without an interruption.
#[derive(Clone, Default, Schema, Object)]
pub struct Deployment {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: DeploymentSpec,
    #[field(3)]
    pub status: DeploymentStatus,
}

/// A list of deployments.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::DeploymentList)]
pub struct DeploymentList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<Deployment>,
}

/// Asks to roll a Deployment back: what is sent to its rollback subresource.
#[derive(Clone, Default, Schema, Object)]
pub struct DeploymentRollback {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The name of the Deployment.
    #[field(1, required)]
    pub name: String,
    /// Annotations to set on the Deployment along with it.
    #[field(2)]
    pub updated_annotations: BTreeMap<String, String>,
    /// What to roll back to.
    #[field(3, required)]
    pub rollback_to: RollbackConfig,
}

/// What a Deployment shall be.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::DeploymentSpec)]
pub struct DeploymentSpec {
    /// How many pods there shall be; 1 if not given.
    #[field(1)]
    pub replicas: Option<i32>,
    /// Which pods belong to it; the template's labels if not given.
    #[field(2)]
    #[convert(same)]
    pub selector: Option<Box<LabelSelector>>,
    /// What its pods look like.
    #[field(3, required)]
    #[convert(same)]
    pub template: PodTemplateSpec,
    /// How old pods are replaced.
    #[field(4, merge = "retainKeys")]
    pub strategy: DeploymentStrategy,
    /// For how long a pod must be ready to count as available.
    #[field(5)]
    pub min_ready_seconds: i32,
    /// How many old replica sets to keep for a rollback; 2 if not given.
    #[field(6)]
    pub revision_history_limit: Option<i32>,
    /// Whether a change of the template waits.
    #[field(7)]
    pub paused: bool,
    /// A rollback that is to be done. Later versions keep it in an annotation.
    #[field(8)]
    #[convert(skip)]
    pub rollback_to: Option<Box<RollbackConfig>>,
    /// After how long without progress the rollout counts as failed.
    #[field(9)]
    pub progress_deadline_seconds: Option<i32>,
}

/// Where to roll back to.
#[derive(Clone, Default, Schema)]
pub struct RollbackConfig {
    /// The revision to go back to; 0 for the last one.
    #[field(1)]
    pub revision: i64,
}

/// How a StatefulSet's pods are replaced one after the other.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::RollingUpdateStatefulSetStrategy)]
pub struct RollingUpdateStatefulSetStrategy {
    /// Pods with a lower number than this stay as they are.
    #[field(1)]
    pub partition: Option<i32>,
    /// How many pods may be missing during the update.
    #[field(2)]
    #[convert(same)]
    pub max_unavailable: Option<IntOrString>,
}

/// How many pods an object is asked for and has: the scale subresource of this version.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = hub::Scale)]
pub struct Scale {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ScaleSpec,
    #[field(3)]
    pub status: ScaleStatus,
}

/// What a scale is.
#[derive(Clone, Default, Schema)]
pub struct ScaleStatus {
    /// How many pods there are.
    #[field(1, required)]
    pub replicas: i32,
    /// The labels that the pods have, if the selector asks for no more than equal labels.
    #[field(2)]
    pub selector: BTreeMap<String, String>,
    /// The selector of the pods as text, whatever it asks for.
    #[field(3)]
    pub target_selector: String,
}

/// Runs pods that keep their name and their storage.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::StatefulSet)]
pub struct StatefulSet {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: StatefulSetSpec,
    #[field(3)]
    pub status: StatefulSetStatus,
}

/// A list of stateful sets.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::StatefulSetList)]
pub struct StatefulSetList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<StatefulSet>,
}

/// What a StatefulSet shall be.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::StatefulSetSpec)]
pub struct StatefulSetSpec {
    /// How many pods there shall be; 1 if not given.
    #[field(1)]
    pub replicas: Option<i32>,
    /// Which pods belong to it; the template's labels if not given.
    #[field(2)]
    #[convert(same)]
    pub selector: Option<Box<LabelSelector>>,
    /// What its pods look like.
    #[field(3, required)]
    #[convert(same)]
    pub template: PodTemplateSpec,
    /// The claims that every pod gets one each of.
    #[field(4, list = "atomic")]
    #[convert(same)]
    pub volume_claim_templates: Vec<PersistentVolumeClaim>,
    /// The service that gives the pods their names in the network.
    #[field(5, shown)]
    pub service_name: String,
    /// Whether pods are started one after the other or all at once.
    #[field(6)]
    pub pod_management_policy: String,
    /// How pods come to a new template.
    #[field(7)]
    pub update_strategy: StatefulSetUpdateStrategy,
    /// How many old revisions to keep.
    #[field(8)]
    pub revision_history_limit: Option<i32>,
    /// For how long a pod must be ready to count as available.
    #[field(9)]
    pub min_ready_seconds: i32,
    /// What becomes of the claims when pods go.
    #[field(10)]
    #[convert(same)]
    pub persistent_volume_claim_retention_policy:
        Option<Box<StatefulSetPersistentVolumeClaimRetentionPolicy>>,
    /// How the pods are numbered.
    #[field(11)]
    #[convert(same)]
    pub ordinals: Option<Box<StatefulSetOrdinals>>,
}

/// What a StatefulSet is.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::StatefulSetStatus)]
pub struct StatefulSetStatus {
    /// The generation that the controller saw last.
    #[field(1)]
    #[convert(with = generation)]
    pub observed_generation: Option<i64>,
    #[field(2, required)]
    pub replicas: i32,
    #[field(3)]
    pub ready_replicas: i32,
    #[field(4)]
    pub current_replicas: i32,
    #[field(5)]
    pub updated_replicas: i32,
    /// The revision of pods that are not updated yet.
    #[field(6)]
    pub current_revision: String,
    /// The revision of updated pods.
    #[field(7)]
    pub update_revision: String,
    /// How often the name of a revision was taken already.
    #[field(9)]
    pub collision_count: Option<i32>,
    #[field(10, keys("type"), merge = "merge", merge_key = "type")]
    #[convert(same)]
    pub conditions: Vec<StatefulSetCondition>,
    #[field(11, shown)]
    pub available_replicas: i32,
}

/// How a StatefulSet's pods come to a new template.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::StatefulSetUpdateStrategy)]
pub struct StatefulSetUpdateStrategy {
    /// RollingUpdate or OnDelete, which is the default in this version.
    #[field(1)]
    pub type_: String,
    /// How a rolling update goes.
    #[field(2)]
    pub rolling_update: Option<Box<RollingUpdateStatefulSetStrategy>>,
}

/// The hub has no absent generation.
mod generation {
    use super::{ConvertError, Scope};

    pub(super) fn to_hub(generation: Option<i64>, _scope: &Scope) -> Result<i64, ConvertError> {
        Ok(generation.unwrap_or_default())
    }

    pub(super) fn from_hub(generation: i64, _scope: &Scope) -> Result<Option<i64>, ConvertError> {
        Ok(Some(generation))
    }
}

impl Convert<v1::Deployment> for Deployment {
    fn convert(self, scope: &Scope) -> Result<v1::Deployment, ConvertError> {
        let Deployment { type_meta: _, mut metadata, spec, status } = self;
        rollback::write(&mut metadata, spec.rollback_to.as_ref().map(|rollback| rollback.revision));
        Ok(v1::Deployment { type_meta: TypeMeta::default(), metadata, spec: spec.convert(scope)?, status })
    }
}

impl Convert<Deployment> for v1::Deployment {
    fn convert(self, scope: &Scope) -> Result<Deployment, ConvertError> {
        let v1::Deployment { type_meta: _, mut metadata, spec, status } = self;
        let mut spec: DeploymentSpec = spec.convert(scope)?;
        spec.rollback_to =
            rollback::take(&mut metadata)?.map(|revision| Box::new(RollbackConfig { revision }));
        Ok(Deployment { type_meta: TypeMeta::default(), metadata, spec, status })
    }
}

impl Convert<hub::ScaleStatus> for ScaleStatus {
    fn convert(self, _scope: &Scope) -> Result<hub::ScaleStatus, ConvertError> {
        let selector = scale::selector_text(&self.selector, self.target_selector);
        Ok(hub::ScaleStatus { replicas: self.replicas, selector })
    }
}

impl Convert<ScaleStatus> for hub::ScaleStatus {
    fn convert(self, _scope: &Scope) -> Result<ScaleStatus, ConvertError> {
        let selector = scale::selector_labels(&self.selector)?;
        Ok(ScaleStatus { replicas: self.replicas, selector, target_selector: self.selector })
    }
}
