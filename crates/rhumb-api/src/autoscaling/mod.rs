//! The group `autoscaling`: what changes the number of pods by itself.

mod annotations;
mod defaults;
mod metrics;
pub mod v1;
pub mod v2;
pub mod v2beta1;
pub mod v2beta2;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "autoscaling";
const V2: GroupVersion = GroupVersion::new_static(GROUP, "v2");
const V2BETA2: GroupVersion = GroupVersion::new_static(GROUP, "v2beta2");
const V2BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v2beta1");
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v2 are the hub's.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V2, &HUB] {
        builder
            .register::<v2::HorizontalPodAutoscaler>(gv)?
            .register::<v2::HorizontalPodAutoscalerList>(gv)?;
    }
    builder
        .register::<v1::HorizontalPodAutoscaler>(&V1)?
        .register::<v1::HorizontalPodAutoscalerList>(&V1)?
        .register::<v1::Scale>(&V1)?
        .register::<v1::Scale>(&HUB)?
        .register::<v2beta1::HorizontalPodAutoscaler>(&V2BETA1)?
        .register::<v2beta1::HorizontalPodAutoscalerList>(&V2BETA1)?
        .register::<v2beta2::HorizontalPodAutoscaler>(&V2BETA2)?
        .register::<v2beta2::HorizontalPodAutoscalerList>(&V2BETA2)?;
    builder
        .hub_conversion::<v1::HorizontalPodAutoscaler, v2::HorizontalPodAutoscaler>()
        .hub_conversion::<v1::HorizontalPodAutoscalerList, v2::HorizontalPodAutoscalerList>()
        .hub_conversion::<v2beta1::HorizontalPodAutoscaler, v2::HorizontalPodAutoscaler>()
        .hub_conversion::<v2beta1::HorizontalPodAutoscalerList, v2::HorizontalPodAutoscalerList>()
        .hub_conversion::<v2beta2::HorizontalPodAutoscaler, v2::HorizontalPodAutoscaler>()
        .hub_conversion::<v2beta2::HorizontalPodAutoscalerList, v2::HorizontalPodAutoscalerList>()
        .hub_form(annotations::hub_form);
    defaults::register(builder);
    for gv in [&V2, &V1, &V2BETA2, &V2BETA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
