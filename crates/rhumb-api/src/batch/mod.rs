//! The group `batch`: work that ends.

mod defaults;
pub mod v1;
pub mod v1beta1;
pub mod v2alpha1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "batch";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V2ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v2alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 are the hub's; the JobTemplate of v2alpha1 is its own.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::CronJob>(gv)?
            .register::<v1::CronJobList>(gv)?
            .register::<v1::Job>(gv)?
            .register::<v1::JobList>(gv)?;
    }
    builder
        .register::<v1beta1::CronJob>(&V1BETA1)?
        .register::<v1beta1::CronJobList>(&V1BETA1)?
        .register::<v1beta1::JobTemplate>(&V1BETA1)?;
    builder
        .register::<v2alpha1::CronJob>(&V2ALPHA1)?
        .register::<v2alpha1::CronJobList>(&V2ALPHA1)?
        .register::<v2alpha1::JobTemplate>(&V2ALPHA1)?
        .register::<v2alpha1::JobTemplate>(&HUB)?;
    builder
        .hub_conversion::<v2alpha1::CronJob, v1::CronJob>()
        .hub_conversion::<v2alpha1::CronJobList, v1::CronJobList>();
    defaults::register(builder);
    builder.field_labels(&V1.with_kind("Job"), |label, value| selectable(label, value, "Job"));
    for gv in [&V1BETA1, &V2ALPHA1] {
        builder
            .field_labels(&gv.with_kind("Job"), |label, value| selectable(label, value, "\"Job\""))
            .field_labels(&gv.with_kind("JobTemplate"), |label, value| {
                selectable(label, value, "\"JobTemplate\"")
            })
            .field_labels(&gv.with_kind("CronJob"), |label, value| selectable(label, value, "\"CronJob\""));
    }
    for gv in [&V1, &V1BETA1, &V2ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// What objects can be selected by; the error names the kind as the version does, which is with quotes in all but v1.
fn selectable(label: &str, value: &str, kind: &str) -> Result<(String, String), String> {
    match label {
        "metadata.name" | "metadata.namespace" | "status.successful" => {
            Ok((label.to_owned(), value.to_owned()))
        }
        _ => Err(format!("field label {label:?} not supported for {kind}")),
    }
}
