//! The group `flowcontrol.apiserver.k8s.io`: how the API server shares itself among its clients.

mod defaults;
mod shares;
pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;
pub mod v1beta2;
pub mod v1beta3;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "flowcontrol.apiserver.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA3: GroupVersion = GroupVersion::new_static(GROUP, "v1beta3");
const V1BETA2: GroupVersion = GroupVersion::new_static(GROUP, "v1beta2");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 are the hub's.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::FlowSchema>(gv)?
            .register::<v1::FlowSchemaList>(gv)?
            .register::<v1::PriorityLevelConfiguration>(gv)?
            .register::<v1::PriorityLevelConfigurationList>(gv)?;
    }
    builder
        .register::<v1beta3::FlowSchema>(&V1BETA3)?
        .register::<v1beta3::FlowSchemaList>(&V1BETA3)?
        .register::<v1beta3::PriorityLevelConfiguration>(&V1BETA3)?
        .register::<v1beta3::PriorityLevelConfigurationList>(&V1BETA3)?;
    for gv in [&V1BETA2, &V1BETA1, &V1ALPHA1] {
        builder
            .register::<v1beta2::FlowSchema>(gv)?
            .register::<v1beta2::FlowSchemaList>(gv)?
            .register::<v1beta2::PriorityLevelConfiguration>(gv)?
            .register::<v1beta2::PriorityLevelConfigurationList>(gv)?;
    }
    builder
        .hub_conversion::<v1beta3::PriorityLevelConfiguration, v1::PriorityLevelConfiguration>()
        .hub_conversion::<v1beta3::PriorityLevelConfigurationList, v1::PriorityLevelConfigurationList>()
        .hub_conversion::<v1beta2::FlowSchema, v1::FlowSchema>()
        .hub_conversion::<v1beta2::FlowSchemaList, v1::FlowSchemaList>()
        .hub_conversion::<v1beta2::PriorityLevelConfiguration, v1::PriorityLevelConfiguration>()
        .hub_conversion::<v1beta2::PriorityLevelConfigurationList, v1::PriorityLevelConfigurationList>()
        .hub_form(shares::hub_form);
    defaults::register(builder);
    for gv in [&V1, &V1BETA3, &V1BETA2, &V1BETA1, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
