//! The group `authorization.k8s.io`: who may do what.

pub mod v1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "authorization.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 are the hub's.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::LocalSubjectAccessReview>(gv)?
            .register::<v1::SelfSubjectAccessReview>(gv)?
            .register::<v1::SelfSubjectRulesReview>(gv)?
            .register::<v1::SubjectAccessReview>(gv)?;
    }
    builder
        .register::<v1beta1::LocalSubjectAccessReview>(&V1BETA1)?
        .register::<v1beta1::SelfSubjectAccessReview>(&V1BETA1)?
        .register::<v1beta1::SelfSubjectRulesReview>(&V1BETA1)?
        .register::<v1beta1::SubjectAccessReview>(&V1BETA1)?;
    builder
        .hub_conversion::<v1beta1::LocalSubjectAccessReview, v1::LocalSubjectAccessReview>()
        .hub_conversion::<v1beta1::SubjectAccessReview, v1::SubjectAccessReview>();
    for gv in [&V1, &V1BETA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
