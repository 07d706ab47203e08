//! What the hub of the group wants said in one way only, as Kubernetes' internal types do.

use rhumb_meta::IntOrString;
use rhumb_scheme::{ConvertError, SchemeBuilder};

use super::v1::{
    DaemonSet, Deployment, DeploymentSpec, ReplicaSetSpec, RollingUpdateDaemonSet, RollingUpdateDeployment,
    RollingUpdateStatefulSetStrategy, StatefulSetSpec,
};
use super::{rollback, template_generation};

/// Registers the functions.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder
        .hub_form(deployment)
        .hub_form(deployment_spec)
        .hub_form(rolling_update_deployment)
        .hub_form(daemon_set)
        .hub_form(rolling_update_daemon_set)
        .hub_form(replica_set_spec)
        .hub_form(stateful_set_spec)
        .hub_form(rolling_update_stateful_set);
}

/// A revision to roll back to must be a number, and is written as one.
fn deployment(deployment: &mut Deployment) -> Result<(), ConvertError> {
    if !deployment.metadata.annotations.is_empty() {
        let revision = rollback::take(&mut deployment.metadata)?;
        rollback::write(&mut deployment.metadata, revision);
    }
    Ok(())
}

/// The hub knows no absent number of replicas.
fn deployment_spec(spec: &mut DeploymentSpec) -> Result<(), ConvertError> {
    spec.replicas.get_or_insert(0);
    Ok(())
}

/// The hub knows no absent bounds.
fn rolling_update_deployment(update: &mut RollingUpdateDeployment) -> Result<(), ConvertError> {
    update.max_unavailable.get_or_insert(IntOrString::Int(0));
    update.max_surge.get_or_insert(IntOrString::Int(0));
    Ok(())
}

/// Every DaemonSet shows the number of its template, as a number.
fn daemon_set(set: &mut DaemonSet) -> Result<(), ConvertError> {
    let generation = template_generation::read(&set.metadata)?;
    template_generation::write(&mut set.metadata, generation);
    Ok(())
}

/// The hub knows no absent bounds.
fn rolling_update_daemon_set(update: &mut RollingUpdateDaemonSet) -> Result<(), ConvertError> {
    update.max_unavailable.get_or_insert(IntOrString::Int(0));
    update.max_surge.get_or_insert(IntOrString::Int(0));
    Ok(())
}

/// The hub knows no absent number of replicas.
fn replica_set_spec(spec: &mut ReplicaSetSpec) -> Result<(), ConvertError> {
    spec.replicas.get_or_insert(0);
    Ok(())
}

/// Claims inside a StatefulSet always carry their kind.
fn stateful_set_spec(spec: &mut StatefulSetSpec) -> Result<(), ConvertError> {
    spec.replicas.get_or_insert(0);
    for claim in &mut spec.volume_claim_templates {
        claim.type_meta.set("v1", "PersistentVolumeClaim");
    }
    Ok(())
}

/// The hub knows no absent partition.
fn rolling_update_stateful_set(update: &mut RollingUpdateStatefulSetStrategy) -> Result<(), ConvertError> {
    update.partition.get_or_insert(0);
    Ok(())
}
