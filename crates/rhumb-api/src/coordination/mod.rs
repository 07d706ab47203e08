//! The group `coordination.k8s.io`: leases, by which processes agree on who leads.

pub mod v1;
pub mod v1alpha1;
pub mod v1alpha2;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "coordination.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA2: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha2");
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder.register::<v1::Lease>(gv)?.register::<v1::LeaseList>(gv)?;
    }
    for gv in [&V1BETA1, &HUB] {
        builder.register::<v1beta1::LeaseCandidate>(gv)?.register::<v1beta1::LeaseCandidateList>(gv)?;
    }
    builder.register::<v1beta1::Lease>(&V1BETA1)?.register::<v1beta1::LeaseList>(&V1BETA1)?;
    builder
        .register::<v1alpha2::LeaseCandidate>(&V1ALPHA2)?
        .register::<v1alpha2::LeaseCandidateList>(&V1ALPHA2)?
        .register::<v1alpha1::LeaseCandidate>(&V1ALPHA1)?
        .register::<v1alpha1::LeaseCandidateList>(&V1ALPHA1)?
        .hub_conversion::<v1alpha1::LeaseCandidate, v1beta1::LeaseCandidate>()
        .hub_conversion::<v1alpha1::LeaseCandidateList, v1beta1::LeaseCandidateList>();
    for gv in [&V1, &V1BETA1, &V1ALPHA2, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
