//! The group `apiextensions.k8s.io`: custom resource definitions.

mod conversion;
mod defaults;
mod hub_form;
pub mod v1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "apiextensions.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .register::<v1::CustomResourceDefinition>(&V1)?
        .register::<v1::CustomResourceDefinitionList>(&V1)?;
    for gv in [&V1BETA1, &HUB] {
        builder
            .register::<v1beta1::CustomResourceDefinition>(gv)?
            .register::<v1beta1::CustomResourceDefinitionList>(gv)?;
    }
    for gv in [&V1, &V1BETA1, &HUB] {
        builder.register::<v1::ConversionReview>(gv)?;
    }
    builder
        .hub_conversion::<v1::CustomResourceDefinition, v1beta1::CustomResourceDefinition>()
        .hub_conversion::<v1::CustomResourceDefinitionList, v1beta1::CustomResourceDefinitionList>();
    defaults::register(builder);
    hub_form::register(builder);
    for gv in [&V1, &V1BETA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
