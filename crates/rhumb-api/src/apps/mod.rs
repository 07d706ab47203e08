//! The group `apps`: what runs pods and keeps them running.

pub(crate) mod defaults;
mod hub_form;
pub(crate) mod rollback;
mod scale;
pub(crate) mod template_generation;
pub mod v1;
pub mod v1beta1;
pub mod v1beta2;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::autoscaling;

const GROUP: &str = "apps";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA2: GroupVersion = GroupVersion::new_static(GROUP, "v1beta2");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 are the hub's. The two kinds that v1 doesn't have take their hub from
/// elsewhere: the Scale is that of `autoscaling/v1`, and the DeploymentRollback has one version only.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::ControllerRevision>(gv)?
            .register::<v1::ControllerRevisionList>(gv)?
            .register::<v1::DaemonSet>(gv)?
            .register::<v1::DaemonSetList>(gv)?
            .register::<v1::Deployment>(gv)?
            .register::<v1::DeploymentList>(gv)?
            .register::<v1::ReplicaSet>(gv)?
            .register::<v1::ReplicaSetList>(gv)?
            .register::<v1::StatefulSet>(gv)?
            .register::<v1::StatefulSetList>(gv)?;
    }
    builder
        .register::<v1beta2::ControllerRevision>(&V1BETA2)?
        .register::<v1beta2::ControllerRevisionList>(&V1BETA2)?
        .register::<v1beta2::DaemonSet>(&V1BETA2)?
        .register::<v1beta2::DaemonSetList>(&V1BETA2)?
        .register::<v1beta2::Deployment>(&V1BETA2)?
        .register::<v1beta2::DeploymentList>(&V1BETA2)?
        .register::<v1beta2::ReplicaSet>(&V1BETA2)?
        .register::<v1beta2::ReplicaSetList>(&V1BETA2)?
        .register::<v1beta2::StatefulSet>(&V1BETA2)?
        .register::<v1beta2::StatefulSetList>(&V1BETA2)?
        .register::<v1beta2::Scale>(&V1BETA2)?;
    builder
        .register::<v1beta1::ControllerRevision>(&V1BETA1)?
        .register::<v1beta1::ControllerRevisionList>(&V1BETA1)?
        .register::<v1beta1::Deployment>(&V1BETA1)?
        .register::<v1beta1::DeploymentList>(&V1BETA1)?
        .register::<v1beta1::DeploymentRollback>(&V1BETA1)?
        .register::<v1beta1::StatefulSet>(&V1BETA1)?
        .register::<v1beta1::StatefulSetList>(&V1BETA1)?
        .register::<v1beta1::Scale>(&V1BETA1)?;
    builder.register::<v1beta1::DeploymentRollback>(&HUB)?.register::<autoscaling::v1::Scale>(&HUB)?;
    builder
        .hub_conversion::<v1beta2::Scale, autoscaling::v1::Scale>()
        .hub_conversion::<v1beta1::Scale, autoscaling::v1::Scale>()
        .hub_conversion::<v1beta1::Deployment, v1::Deployment>()
        .hub_conversion::<v1beta1::DeploymentList, v1::DeploymentList>()
        .hub_conversion::<v1beta1::StatefulSet, v1::StatefulSet>()
        .hub_conversion::<v1beta1::StatefulSetList, v1::StatefulSetList>();
    defaults::register(builder);
    hub_form::register(builder);
    builder
        .field_labels(&V1BETA2.with_kind("StatefulSet"), |label, value| {
            stateful_set_label("appsv1beta2", label, value)
        })
        .field_labels(&V1BETA1.with_kind("StatefulSet"), |label, value| {
            stateful_set_label("appsv1beta1", label, value)
        });
    for gv in [&V1, &V1BETA2, &V1BETA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// What stateful sets of the beta versions can be selected by; the error names the version in Kubernetes' own way.
fn stateful_set_label(version: &str, label: &str, value: &str) -> Result<(String, String), String> {
    match label {
        "metadata.name" | "metadata.namespace" | "status.successful" => {
            Ok((label.to_owned(), value.to_owned()))
        }
        _ => Err(format!("field label not supported for {version}.StatefulSet: {label}")),
    }
}
