//! The group `extensions`: the first home of kinds that have moved to `apps`, `networking.k8s.io` and `policy`. Its
//! hub types are those of the groups where the kinds live now.

mod networking;
pub mod v1beta1;
mod workloads;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::policy::v1beta1::{PodSecurityPolicy, PodSecurityPolicyList};

const GROUP: &str = "extensions";
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. Errors call a kind by the group that registered it first, so this is to be installed after the
/// groups where the kinds live now.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    workloads::install_workloads(builder)?;
    networking::install_networking(builder)?;
    // The same in `policy`, which it moved to and was given up in.
    for gv in [&V1BETA1, &HUB] {
        builder.register::<PodSecurityPolicy>(gv)?.register::<PodSecurityPolicyList>(gv)?;
    }
    crate::meta::add_to_group_version(builder, &V1BETA1)?;
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
