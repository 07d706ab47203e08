//! The group `resource.k8s.io`: devices and claims on them.

mod conversion;
mod defaults;
pub mod v1;
pub mod v1alpha3;
pub mod v1beta1;
pub mod v1beta2;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "resource.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA2: GroupVersion = GroupVersion::new_static(GROUP, "v1beta2");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA3: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha3");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 are the hub's; what v1 doesn't have takes its hub from the newest version
/// that has it.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &V1BETA2, &HUB] {
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
    builder
        .register::<v1beta1::DeviceClass>(&V1BETA1)?
        .register::<v1beta1::DeviceClassList>(&V1BETA1)?
        .register::<v1beta1::ResourceClaim>(&V1BETA1)?
        .register::<v1beta1::ResourceClaimList>(&V1BETA1)?
        .register::<v1beta1::ResourceClaimTemplate>(&V1BETA1)?
        .register::<v1beta1::ResourceClaimTemplateList>(&V1BETA1)?
        .register::<v1beta1::ResourceSlice>(&V1BETA1)?
        .register::<v1beta1::ResourceSliceList>(&V1BETA1)?;
    for gv in [&V1BETA2, &V1ALPHA3, &HUB] {
        builder.register::<v1beta2::DeviceTaintRule>(gv)?.register::<v1beta2::DeviceTaintRuleList>(gv)?;
    }
    for gv in [&V1ALPHA3, &HUB] {
        builder
            .register::<v1alpha3::ResourcePoolStatusRequest>(gv)?
            .register::<v1alpha3::ResourcePoolStatusRequestList>(gv)?;
    }
    builder
        .hub_conversion::<v1beta1::ResourceClaim, v1::ResourceClaim>()
        .hub_conversion::<v1beta1::ResourceClaimList, v1::ResourceClaimList>()
        .hub_conversion::<v1beta1::ResourceClaimTemplate, v1::ResourceClaimTemplate>()
        .hub_conversion::<v1beta1::ResourceClaimTemplateList, v1::ResourceClaimTemplateList>()
        .hub_conversion::<v1beta1::ResourceSlice, v1::ResourceSlice>()
        .hub_conversion::<v1beta1::ResourceSliceList, v1::ResourceSliceList>();
    defaults::register(builder);
    builder
        .field_labels(&V1.with_kind("ResourceSlice"), |label, value| slice_label(&V1, label, value))
        .field_labels(&V1BETA2.with_kind("ResourceSlice"), |label, value| slice_label(&V1BETA2, label, value))
        .field_labels(&V1BETA1.with_kind("ResourceSlice"), |label, value| {
            slice_label(&V1BETA1, label, value)
        });
    for gv in [&V1, &V1BETA2, &V1BETA1, &V1ALPHA3] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// What slices can be selected by: the node and the driver, beside the name.
fn slice_label(version: &GroupVersion, label: &str, value: &str) -> Result<(String, String), String> {
    match label {
        "metadata.name" | "spec.nodeName" | "spec.driver" => Ok((label.to_owned(), value.to_owned())),
        _ => {
            let kind = version.with_kind("ResourceSlice");
            Err(format!("field label not supported for {kind}: {label}"))
        }
    }
}
