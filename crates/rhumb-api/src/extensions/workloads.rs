//! What the group had of `apps` before there was that group. The hubs are those of their successors, the
//! defaults those of the first days: rollouts one pod at a time, history without end.

use rhumb_meta::{GroupVersion, INTERNAL, IntOrString};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::v1beta1::workload::{self, DaemonSet, Deployment, ReplicaSet};
use crate::apps::defaults::take_labels;
use crate::apps::v1 as apps;
use crate::autoscaling;

const V1BETA1: GroupVersion = GroupVersion::new_static("extensions", "v1beta1");
const HUB: GroupVersion = GroupVersion::new_static("extensions", INTERNAL);

/// Registers the kinds that run pods. The conversion of the Scale comes with `apps/v1beta2`, whose type it has.
///
/// # Errors
/// If a kind has another type already.
pub(super) fn install_workloads(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .register::<workload::DaemonSet>(&V1BETA1)?
        .register::<workload::DaemonSetList>(&V1BETA1)?
        .register::<workload::Deployment>(&V1BETA1)?
        .register::<workload::DeploymentList>(&V1BETA1)?
        .register::<workload::DeploymentRollback>(&V1BETA1)?
        .register::<workload::ReplicaSet>(&V1BETA1)?
        .register::<workload::ReplicaSetList>(&V1BETA1)?
        .register::<workload::ReplicationControllerDummy>(&V1BETA1)?
        .register::<workload::Scale>(&V1BETA1)?;
    builder
        .register::<apps::DaemonSet>(&HUB)?
        .register::<apps::DaemonSetList>(&HUB)?
        .register::<apps::Deployment>(&HUB)?
        .register::<apps::DeploymentList>(&HUB)?
        .register::<workload::DeploymentRollback>(&HUB)?
        .register::<apps::ReplicaSet>(&HUB)?
        .register::<apps::ReplicaSetList>(&HUB)?
        .register::<workload::ReplicationControllerDummy>(&HUB)?
        .register::<autoscaling::v1::Scale>(&HUB)?;
    builder
        .hub_conversion::<workload::DaemonSet, apps::DaemonSet>()
        .hub_conversion::<workload::DaemonSetList, apps::DaemonSetList>()
        .hub_conversion::<workload::Deployment, apps::Deployment>()
        .hub_conversion::<workload::DeploymentList, apps::DeploymentList>()
        .hub_conversion::<workload::ReplicaSet, apps::ReplicaSet>()
        .hub_conversion::<workload::ReplicaSetList, apps::ReplicaSetList>();
    builder.defaults(daemon_set).defaults(deployment).defaults(replica_set);
    Ok(())
}

fn daemon_set(set: &mut DaemonSet) {
    let spec = &mut set.spec;
    take_labels(&spec.template.metadata.labels, &mut spec.selector, &mut set.metadata.labels);
    let strategy = &mut spec.update_strategy;
    if strategy.type_.is_empty() {
        "OnDelete".clone_into(&mut strategy.type_);
    }
    if strategy.type_ == "RollingUpdate" {
        let update = strategy.rolling_update.get_or_insert_default();
        update.max_unavailable.get_or_insert(IntOrString::Int(1));
        update.max_surge.get_or_insert(IntOrString::Int(0));
    }
    spec.revision_history_limit.get_or_insert(10);
}

fn deployment(deployment: &mut Deployment) {
    let spec = &mut deployment.spec;
    take_labels(&spec.template.metadata.labels, &mut spec.selector, &mut deployment.metadata.labels);
    spec.replicas.get_or_insert(1);
    let strategy = &mut spec.strategy;
    if strategy.type_.is_empty() {
        "RollingUpdate".clone_into(&mut strategy.type_);
    }
    // Details of a rolling update are filled in even under another strategy, if there are any.
    if strategy.type_ == "RollingUpdate" || strategy.rolling_update.is_some() {
        let update = strategy.rolling_update.get_or_insert_default();
        update.max_unavailable.get_or_insert(IntOrString::Int(1));
        update.max_surge.get_or_insert(IntOrString::Int(1));
    }
    // The greatest number means the same as none.
    spec.progress_deadline_seconds.get_or_insert(i32::MAX);
    spec.revision_history_limit.get_or_insert(i32::MAX);
}

fn replica_set(set: &mut ReplicaSet) {
    let spec = &mut set.spec;
    take_labels(&spec.template.metadata.labels, &mut spec.selector, &mut set.metadata.labels);
    spec.replicas.get_or_insert(1);
}
