//! The group `authentication.k8s.io`: who a token or a request belongs to.

pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{ConvertError, RegisterError, SchemeBuilder};

const GROUP: &str = "authentication.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
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
            .register::<v1::SelfSubjectReview>(gv)?
            .register::<v1::TokenRequest>(gv)?
            .register::<v1::TokenReview>(gv)?;
    }
    builder.register::<v1beta1::SelfSubjectReview>(&V1BETA1)?.register::<v1beta1::TokenReview>(&V1BETA1)?;
    builder.register::<v1alpha1::SelfSubjectReview>(&V1ALPHA1)?;
    builder
        .defaults(|spec: &mut v1::TokenRequestSpec| {
            spec.expiration_seconds.get_or_insert(60 * 60);
        })
        .hub_form(token_form);
    for gv in [&V1, &V1BETA1, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// The hub knows no absent lifetime.
fn token_form(spec: &mut v1::TokenRequestSpec) -> Result<(), ConvertError> {
    spec.expiration_seconds.get_or_insert(0);
    Ok(())
}
