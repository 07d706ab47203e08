//! The group `node.k8s.io`: the runtimes that nodes have.

pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "node.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder.register::<v1::RuntimeClass>(gv)?.register::<v1::RuntimeClassList>(gv)?;
    }
    builder.register::<v1beta1::RuntimeClass>(&V1BETA1)?.register::<v1beta1::RuntimeClassList>(&V1BETA1)?;
    builder
        .register::<v1alpha1::RuntimeClass>(&V1ALPHA1)?
        .register::<v1alpha1::RuntimeClassList>(&V1ALPHA1)?
        .hub_conversion::<v1alpha1::RuntimeClass, v1::RuntimeClass>()
        .hub_conversion::<v1alpha1::RuntimeClassList, v1::RuntimeClassList>();
    for gv in [&V1, &V1BETA1, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
