//! `apps/v1beta2`: v1 before it was called so. Only the Scale is its own.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::{Convert, ConvertError, Scope};

use super::scale;
use crate::autoscaling::v1 as hub;

pub use super::v1::{
    ControllerRevision, ControllerRevisionList, DaemonSet, DaemonSetCondition, DaemonSetList, DaemonSetSpec,
    DaemonSetStatus, DaemonSetUpdateStrategy, Deployment, DeploymentCondition, DeploymentList,
    DeploymentSpec, DeploymentStatus, DeploymentStrategy, ReplicaSet, ReplicaSetCondition, ReplicaSetList,
    ReplicaSetSpec, ReplicaSetStatus, RollingUpdateDaemonSet, RollingUpdateDeployment,
    RollingUpdateStatefulSetStrategy, StatefulSet, StatefulSetCondition, StatefulSetList,
    StatefulSetOrdinals, StatefulSetPersistentVolumeClaimRetentionPolicy, StatefulSetSpec, StatefulSetStatus,
    StatefulSetUpdateStrategy,
};

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

/// What a scale is asked to be.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = hub::ScaleSpec)]
pub struct ScaleSpec {
    /// How many pods there shall be.
    #[field(1, default = 0)]
    pub replicas: i32,
}

/// What a scale is.
#[derive(Clone, Default, Schema)]
pub struct ScaleStatus {
    /// How many pods there are.
    #[field(1, required)]
    pub replicas: i32,
    /// The labels that the pods have, if the selector asks for no more than equal labels.
    #[field(2, atomic)]
    pub selector: BTreeMap<String, String>,
    /// The selector of the pods as text, whatever it asks for.
    #[field(3)]
    pub target_selector: String,
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
