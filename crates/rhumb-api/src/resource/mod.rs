//! The group `resource.k8s.io`: devices and claims on them.

mod conversion;
mod defaults;
pub mod v1;
pub mod v1alpha1;
pub mod v1alpha2;
pub mod v1alpha3;
pub mod v1beta1;
pub mod v1beta2;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::unconverted::unconverted;

const GROUP: &str = "resource.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA2: GroupVersion = GroupVersion::new_static(GROUP, "v1beta2");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA3: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha3");
const V1ALPHA2: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha2");
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
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
    install_former(builder)?;
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
        .field_labels(&V1BETA1.with_kind("ResourceSlice"), |label, value| slice_label(&V1BETA1, label, value))
        .field_labels(&V1ALPHA3.with_kind("ResourceSlice"), |label, value| {
            slice_label(&V1ALPHA3, label, value)
        })
        .field_labels(&V1ALPHA2.with_kind("ResourceSlice"), |label, value| match label {
            "metadata.name" | "nodeName" | "driverName" => Ok((label.to_owned(), value.to_owned())),
            _ => slice_label(&V1ALPHA2, "", value).map_err(|error| error + label),
        });
    for gv in [&V1, &V1BETA2, &V1BETA1, &V1ALPHA3, &V1ALPHA2, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// Registers what older releases had: claims and slices of v1alpha3, and the versions from before there were devices.
fn install_former(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .register::<v1alpha3::DeviceClass>(&V1ALPHA3)?
        .register::<v1alpha3::DeviceClassList>(&V1ALPHA3)?
        .register::<v1alpha3::ResourceClaim>(&V1ALPHA3)?
        .register::<v1alpha3::ResourceClaimList>(&V1ALPHA3)?
        .register::<v1alpha3::ResourceClaimTemplate>(&V1ALPHA3)?
        .register::<v1alpha3::ResourceClaimTemplateList>(&V1ALPHA3)?
        .register::<v1alpha3::ResourceSlice>(&V1ALPHA3)?
        .register::<v1alpha3::ResourceSliceList>(&V1ALPHA3)?
        .hub_conversion::<v1alpha3::ResourceClaim, v1::ResourceClaim>()
        .hub_conversion::<v1alpha3::ResourceClaimList, v1::ResourceClaimList>()
        .hub_conversion::<v1alpha3::ResourceSlice, v1::ResourceSlice>()
        .hub_conversion::<v1alpha3::ResourceSliceList, v1::ResourceSliceList>();
    for gv in [&V1ALPHA3, &HUB] {
        builder
            .register::<v1alpha3::PodSchedulingContext>(gv)?
            .register::<v1alpha3::PodSchedulingContextList>(gv)?;
    }
    builder
        .register::<v1alpha2::PodSchedulingContext>(&V1ALPHA2)?
        .register::<v1alpha2::PodSchedulingContextList>(&V1ALPHA2)?
        .register::<v1alpha2::ResourceClaim>(&V1ALPHA2)?
        .register::<v1alpha2::ResourceClaimList>(&V1ALPHA2)?
        .register::<v1alpha2::ResourceClaimTemplate>(&V1ALPHA2)?
        .register::<v1alpha2::ResourceClaimTemplateList>(&V1ALPHA2)?
        .register::<v1alpha2::ResourceSlice>(&V1ALPHA2)?
        .register::<v1alpha2::ResourceSliceList>(&V1ALPHA2)?
        .hub_conversion::<v1alpha2::PodSchedulingContext, v1alpha3::PodSchedulingContext>()
        .hub_conversion::<v1alpha2::PodSchedulingContextList, v1alpha3::PodSchedulingContextList>();
    for gv in [&V1ALPHA2, &HUB] {
        builder
            .register::<v1alpha2::ResourceClaimParameters>(gv)?
            .register::<v1alpha2::ResourceClaimParametersList>(gv)?
            .register::<v1alpha2::ResourceClass>(gv)?
            .register::<v1alpha2::ResourceClassList>(gv)?
            .register::<v1alpha2::ResourceClassParameters>(gv)?
            .register::<v1alpha2::ResourceClassParametersList>(gv)?;
    }
    builder
        .register::<v1alpha1::ResourceClaim>(&V1ALPHA1)?
        .register::<v1alpha1::ResourceClaimList>(&V1ALPHA1)?
        .register::<v1alpha1::ResourceClaimTemplate>(&V1ALPHA1)?
        .register::<v1alpha1::ResourceClaimTemplateList>(&V1ALPHA1)?
        .register::<v1alpha1::ResourceClass>(&V1ALPHA1)?
        .register::<v1alpha1::ResourceClassList>(&V1ALPHA1)?
        .hub_conversion::<v1alpha1::ResourceClass, v1alpha2::ResourceClass>()
        .hub_conversion::<v1alpha1::ResourceClassList, v1alpha2::ResourceClassList>();
    for gv in [&V1ALPHA1, &HUB] {
        builder.register::<v1alpha1::PodScheduling>(gv)?.register::<v1alpha1::PodSchedulingList>(gv)?;
    }
    unconverted::<v1alpha2::ResourceClaim, v1::ResourceClaim>(builder);
    unconverted::<v1alpha2::ResourceClaimList, v1::ResourceClaimList>(builder);
    unconverted::<v1alpha2::ResourceClaimTemplate, v1::ResourceClaimTemplate>(builder);
    unconverted::<v1alpha2::ResourceClaimTemplateList, v1::ResourceClaimTemplateList>(builder);
    unconverted::<v1alpha2::ResourceSlice, v1::ResourceSlice>(builder);
    unconverted::<v1alpha2::ResourceSliceList, v1::ResourceSliceList>(builder);
    unconverted::<v1alpha1::ResourceClaim, v1::ResourceClaim>(builder);
    unconverted::<v1alpha1::ResourceClaimList, v1::ResourceClaimList>(builder);
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
