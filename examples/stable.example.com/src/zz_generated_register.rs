//! Registers the kinds of the group.

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::{v1, v1alpha1, v1beta1};

const GROUP: &str = "stable.example.com";

/// Registers the kinds of all versions and their conversions.
///
/// # Errors
/// If a kind has another type already.
pub(crate) fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for version in ["v1", INTERNAL] {
        let place = GroupVersion::new_static(GROUP, version);
        builder.register::<v1::CronTab>(&place)?.register::<v1::CronTabList>(&place)?;
    }
    let place = GroupVersion::new_static(GROUP, "v1beta1");
    builder.register::<v1beta1::CronTab>(&place)?.register::<v1beta1::CronTabList>(&place)?;
    let place = GroupVersion::new_static(GROUP, "v1alpha1");
    builder.register::<v1alpha1::CronTab>(&place)?.register::<v1alpha1::CronTabList>(&place)?;
    builder
        .hub_conversion::<v1beta1::CronTab, v1::CronTab>()
        .hub_conversion::<v1beta1::CronTabList, v1::CronTabList>()
        .hub_conversion::<v1alpha1::CronTab, v1::CronTab>()
        .hub_conversion::<v1alpha1::CronTabList, v1::CronTabList>();
    Ok(())
}
