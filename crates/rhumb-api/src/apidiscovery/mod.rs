//! The group `apidiscovery.k8s.io`: what a server serves, in one document. The types are those of `rhumb-meta`.

pub use rhumb_meta::apidiscovery::{v2, v2beta1};
use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "apidiscovery.k8s.io";
const V2: GroupVersion = GroupVersion::new_static(GROUP, "v2");
const V2BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v2beta1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. Both versions have the same types.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V2, &V2BETA1, &HUB] {
        builder.register::<v2::APIGroupDiscovery>(gv)?.register::<v2::APIGroupDiscoveryList>(gv)?;
    }
    for gv in [&V2, &V2BETA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, &["v2", "v2beta1"])?;
    Ok(())
}
