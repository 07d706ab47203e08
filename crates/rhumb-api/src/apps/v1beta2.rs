//! `apps/v1beta2`.

use rhumb_meta::Object;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;
use std::collections::BTreeMap;

pub use super::v1::{ControllerRevision, ControllerRevisionList, DaemonSet, DaemonSetCondition, DaemonSetList, DaemonSetSpec, DaemonSetStatus, DaemonSetUpdateStrategy, Deployment, DeploymentCondition, DeploymentList, DeploymentSpec, DeploymentStatus, DeploymentStrategy, ReplicaSet, ReplicaSetCondition, ReplicaSetList, ReplicaSetSpec, ReplicaSetStatus, RollingUpdateDaemonSet, RollingUpdateDeployment, RollingUpdateStatefulSetStrategy, StatefulSet, StatefulSetCondition, StatefulSetList, StatefulSetOrdinals, StatefulSetPersistentVolumeClaimRetentionPolicy, StatefulSetSpec, StatefulSetStatus, StatefulSetUpdateStrategy};


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
