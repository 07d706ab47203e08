//! The group `internal.apiserver.k8s.io`: which API servers store which version.

pub mod v1alpha1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "internal.apiserver.k8s.io";
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1ALPHA1, &HUB] {
        builder.register::<v1alpha1::StorageVersion>(gv)?.register::<v1alpha1::StorageVersionList>(gv)?;
    }
    crate::meta::add_to_group_version(builder, &V1ALPHA1)?;
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
