//! The group `extensions`: the first home of kinds that have moved to `apps`, `networking.k8s.io` and `policy`. Its
//! hub types are those of the groups where the kinds live now.

mod networking;
pub mod v1beta1;
mod workloads;

use rhumb_meta::GroupVersion;
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "extensions";
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    networking::install_networking(builder)?;
    workloads::install_workloads(builder)?;
    crate::meta::add_to_group_version(builder, &V1BETA1)?;
    builder.version_priority(GROUP, &["v1beta1"])?;
    Ok(())
}
