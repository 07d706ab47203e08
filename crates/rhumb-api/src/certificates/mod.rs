//! The group `certificates.k8s.io`: requests for certificates and bundles of trusted ones.

pub mod v1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "certificates.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::CertificateSigningRequest>(gv)?
            .register::<v1::CertificateSigningRequestList>(gv)?;
    }
    crate::meta::add_to_group_version(builder, &V1)?;
    builder.version_priority(GROUP, &["v1"])?;
    Ok(())
}
