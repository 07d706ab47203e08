//! The group with derives, and registered by hand.

mod defaults;
pub mod v1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "stable.example.com";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder.register::<v1::CronTab>(gv)?.register::<v1::CronTabList>(gv)?;
    }
    builder.register::<v1beta1::CronTab>(&V1BETA1)?.register::<v1beta1::CronTabList>(&V1BETA1)?;
    builder
        .hub_conversion::<v1beta1::CronTab, v1::CronTab>()
        .hub_conversion::<v1beta1::CronTabList, v1::CronTabList>();
    builder.defaults(defaults::default_cron_tab).defaults(v1beta1::default_cron_tab_spec);
    for gv in [&V1, &V1BETA1] {
        builder.add_to_group_version(gv)?;
    }
    builder.version_priority(GROUP, &["v1", "v1beta1"])?;
    Ok(())
}
