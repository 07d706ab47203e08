//! The group `extensions`: the first home of kinds that have moved to `apps`, `networking.k8s.io` and `policy`. Its
//! hub types are those of the groups where the kinds live now.

mod defaults;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::apps::v1 as apps;
use crate::autoscaling;

const GROUP: &str = "extensions";
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    workloads(builder)?;
    defaults::register(builder);
    crate::meta::add_to_group_version(builder, &V1BETA1)?;
    builder.version_priority(GROUP, &["v1beta1"])?;
    Ok(())
}

/// The kinds that run pods. The conversion of the Scale comes with `apps/v1beta2`, whose type it has.
fn workloads(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .register::<v1beta1::DaemonSet>(&V1BETA1)?
        .register::<v1beta1::DaemonSetList>(&V1BETA1)?
        .register::<v1beta1::Deployment>(&V1BETA1)?
        .register::<v1beta1::DeploymentList>(&V1BETA1)?
        .register::<v1beta1::DeploymentRollback>(&V1BETA1)?
        .register::<v1beta1::ReplicaSet>(&V1BETA1)?
        .register::<v1beta1::ReplicaSetList>(&V1BETA1)?
        .register::<v1beta1::Scale>(&V1BETA1)?;
    builder
        .register::<apps::DaemonSet>(&HUB)?
        .register::<apps::DaemonSetList>(&HUB)?
        .register::<apps::Deployment>(&HUB)?
        .register::<apps::DeploymentList>(&HUB)?
        .register::<v1beta1::DeploymentRollback>(&HUB)?
        .register::<apps::ReplicaSet>(&HUB)?
        .register::<apps::ReplicaSetList>(&HUB)?
        .register::<autoscaling::v1::Scale>(&HUB)?;
    builder
        .hub_conversion::<v1beta1::DaemonSet, apps::DaemonSet>()
        .hub_conversion::<v1beta1::DaemonSetList, apps::DaemonSetList>()
        .hub_conversion::<v1beta1::Deployment, apps::Deployment>()
        .hub_conversion::<v1beta1::DeploymentList, apps::DeploymentList>()
        .hub_conversion::<v1beta1::ReplicaSet, apps::ReplicaSet>()
        .hub_conversion::<v1beta1::ReplicaSetList, apps::ReplicaSetList>();
    Ok(())
}
