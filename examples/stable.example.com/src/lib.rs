//! The group `stable.example.com`: CronTabs, which run an image on a schedule, in three versions.
//!
//! | version | what it says differently |
//! |---|---|
//! | [`v1alpha1`] | `image` has the tag in it: `example.com/tick:7` |
//! | [`v1beta1`] | `image` is split into `image` and `tag` |
//! | [`v1`] | `cronSpec` is renamed to `schedule`, and `suspend` has moved into `policy` |
//!
//! [`v1`] is the hub: every version converts to it and back. An object that was written in one version can be read
//! in every other.

mod columns;
mod rules;
pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;
mod zz_generated_register;

use rhumb_api::resources::{Group, Resource, Subresource};
use rhumb_scheme::{RegisterError, SchemeBuilder};
use rhumb_server::ApiGroup;

/// The versions, the most wanted first.
const VERSIONS: &[&str] = &["v1", "v1beta1", "v1alpha1"];

/// What is served, and under which names.
pub static GROUP: Group = Group {
    name: "stable.example.com",
    versions: VERSIONS,
    resources: &[Resource::namespaced("crontabs", "CronTab")
        .short(&["ct"])
        .categories(&["all"])
        .versions(VERSIONS)
        .with(&[Subresource::STATUS])],
};

/// Registers the kinds of all versions with their conversions, defaults and rules.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    zz_generated_register::install(builder)?;
    builder.rules::<v1::CronTab>(rules::cron_tab())?;
    Ok(())
}

/// The group as a server takes it.
pub fn group() -> ApiGroup {
    ApiGroup::new(&GROUP, install).columns::<v1::CronTab>()
}
