//! The kinds of `extensions/v1beta1` that run pods. They went on to `apps`, whose hub they share; what differs is
//! that selectors may be left out, that rollbacks and template numbers are fields, and the defaults.

use rhumb_meta::Object;
use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::{Convert, ConvertError, Scope};

use crate::apps::{rollback, template_generation, v1};
use crate::core::v1::PodTemplateSpec;

pub use crate::apps::v1::{
    DaemonSetCondition, DaemonSetStatus, DaemonSetUpdateStrategy, DeploymentCondition, DeploymentStatus,
    DeploymentStrategy, ReplicaSetCondition, ReplicaSetStatus, RollingUpdateDaemonSet,
    RollingUpdateDeployment,
};
pub use crate::apps::v1beta1::{DeploymentRollback, DeploymentSpec, RollbackConfig};
pub use crate::apps::v1beta2::{Scale, ScaleSpec, ScaleStatus};

/// Runs one pod on each node, or on each node that its template allows.
#[derive(Clone, Default, Schema, Object)]
pub struct DaemonSet {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: DaemonSetSpec,
    #[field(3)]
    pub status: DaemonSetStatus,
}

/// A list of DaemonSet objects.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::DaemonSetList)]
pub struct DaemonSetList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<DaemonSet>,
}

/// What a DaemonSet shall be.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::DaemonSetSpec)]
pub struct DaemonSetSpec {
    /// Which pods belong to it; the template's labels if not given.
    #[field(1)]
    #[convert(same)]
    pub selector: Option<Box<LabelSelector>>,
    /// What its pods look like.
    #[field(2, required)]
    #[convert(same)]
    pub template: PodTemplateSpec,
    /// How pods come to a new template; OnDelete if not given.
    #[field(3)]
    pub update_strategy: DaemonSetUpdateStrategy,
    /// For how long a pod must be ready to count as available.
    #[field(4)]
    pub min_ready_seconds: i32,
    /// Counts the changes of the template. Later versions keep it in an annotation.
    #[field(5)]
    #[convert(skip)]
    pub template_generation: i64,
    /// How many old revisions to keep; 10 if not given.
    #[field(6)]
    pub revision_history_limit: Option<i32>,
}

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

/// A list of Deployment objects.
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

/// Keeps a number of equal pods running.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ReplicaSet)]
pub struct ReplicaSet {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ReplicaSetSpec,
    #[field(3)]
    pub status: ReplicaSetStatus,
}

/// A list of ReplicaSet objects.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::ReplicaSetList)]
pub struct ReplicaSetList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ReplicaSet>,
}

/// What a ReplicaSet shall be.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::ReplicaSetSpec)]
pub struct ReplicaSetSpec {
    /// How many pods there shall be; 1 if not given.
    #[field(1)]
    pub replicas: Option<i32>,
    /// For how long a pod must be ready to count as available.
    #[field(4)]
    pub min_ready_seconds: i32,
    /// Which pods belong to it; the template's labels if not given.
    #[field(2)]
    #[convert(same)]
    pub selector: Option<Box<LabelSelector>>,
    /// What its pods look like.
    #[field(3)]
    #[convert(same)]
    pub template: PodTemplateSpec,
}

impl Convert<v1::DaemonSet> for DaemonSet {
    fn convert(self, scope: &Scope) -> Result<v1::DaemonSet, ConvertError> {
        let DaemonSet { type_meta: _, mut metadata, spec, status } = self;
        template_generation::write(&mut metadata, spec.template_generation);
        Ok(v1::DaemonSet { type_meta: TypeMeta::default(), metadata, spec: spec.convert(scope)?, status })
    }
}

impl Convert<DaemonSet> for v1::DaemonSet {
    fn convert(self, scope: &Scope) -> Result<DaemonSet, ConvertError> {
        let v1::DaemonSet { type_meta: _, mut metadata, spec, status } = self;
        let mut spec: DaemonSetSpec = spec.convert(scope)?;
        spec.template_generation = template_generation::take(&mut metadata)?;
        Ok(DaemonSet { type_meta: TypeMeta::default(), metadata, spec, status })
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

/// A kind that says nothing, which held the place of ReplicationControllers. Gone since Kubernetes 1.18.
#[derive(Clone, Default, Schema, Object)]
#[schema(retired)]
pub struct ReplicationControllerDummy {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
}
