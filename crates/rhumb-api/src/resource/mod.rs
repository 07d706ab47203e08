//! The group `resource.k8s.io`: devices and claims on them.

pub mod v1;
pub mod v1beta2;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "resource.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA2: GroupVersion = GroupVersion::new_static(GROUP, "v1beta2");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::DeviceClass>(gv)?
            .register::<v1::DeviceClassList>(gv)?
            .register::<v1::ResourceClaim>(gv)?
            .register::<v1::ResourceClaimList>(gv)?
            .register::<v1::ResourceClaimTemplate>(gv)?
            .register::<v1::ResourceClaimTemplateList>(gv)?
            .register::<v1::ResourceSlice>(gv)?
            .register::<v1::ResourceSliceList>(gv)?;
    }
    for gv in [&V1BETA2, &HUB] {
        builder.register::<v1beta2::DeviceTaintRule>(gv)?.register::<v1beta2::DeviceTaintRuleList>(gv)?;
    }
    builder
        .register::<v1beta2::DeviceClass>(&V1BETA2)?
        .register::<v1beta2::DeviceClassList>(&V1BETA2)?
        .register::<v1beta2::ResourceClaim>(&V1BETA2)?
        .register::<v1beta2::ResourceClaimList>(&V1BETA2)?
        .register::<v1beta2::ResourceClaimTemplate>(&V1BETA2)?
        .register::<v1beta2::ResourceClaimTemplateList>(&V1BETA2)?
        .register::<v1beta2::ResourceSlice>(&V1BETA2)?
        .register::<v1beta2::ResourceSliceList>(&V1BETA2)?;
    for gv in [&V1, &V1BETA2] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, &["v1", "v1beta2"])?;
    Ok(())
}
