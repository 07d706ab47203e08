//! `extensions/v1beta1`: where kinds lived before they had a group of their own.

mod workload;

pub use workload::{
    DaemonSet, DaemonSetCondition, DaemonSetList, DaemonSetSpec, DaemonSetStatus, DaemonSetUpdateStrategy,
    Deployment, DeploymentCondition, DeploymentList, DeploymentRollback, DeploymentSpec, DeploymentStatus,
    DeploymentStrategy, ReplicaSet, ReplicaSetCondition, ReplicaSetList, ReplicaSetSpec, ReplicaSetStatus,
    RollbackConfig, RollingUpdateDaemonSet, RollingUpdateDeployment, Scale, ScaleSpec, ScaleStatus,
};
