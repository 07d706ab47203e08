//! Registers the group.

use super::{v1, v1alpha1, v1beta1};
use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

/// The name of the group `stable.example.com`.
pub const GROUP: &str = "stable.example.com";
/// The version `v1`.
pub const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
/// The version `v1beta1`.
pub const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
/// The version `v1alpha1`.
pub const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder.register::<v1::CronTab>(gv)?.register::<v1::CronTabList>(gv)?;
    }
    builder.register::<v1beta1::CronTab>(&V1BETA1)?.register::<v1beta1::CronTabList>(&V1BETA1)?;
    builder.register::<v1alpha1::CronTab>(&V1ALPHA1)?.register::<v1alpha1::CronTabList>(&V1ALPHA1)?;
    builder
        .hub_conversion::<v1beta1::CronTab, v1::CronTab>()
        .hub_conversion::<v1beta1::CronTabList, v1::CronTabList>()
        .hub_conversion::<v1alpha1::CronTab, v1::CronTab>()
        .hub_conversion::<v1alpha1::CronTabList, v1::CronTabList>();
    super::rules::register(builder)?;
    Ok(())
}
