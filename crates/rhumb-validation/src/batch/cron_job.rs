//! Validation of CronJobs.

use rhumb_api::batch::v1::{CronJob, CronJobSpec, JobTemplateSpec};
use rhumb_api::core::v1::PodTemplateSpec;
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::{job, schedule, time_zones};
use crate::meta::{Scope, all_nonnegative, nonnegative, object_meta, object_meta_update};

/// The name of a Job is that of its CronJob with eleven characters added.
const MAX_NAME: usize = 52;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(cron_job: &CronJob, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&cron_job.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    spec(&cron_job.spec, None, errors);
    if cron_job.metadata.name.len() > MAX_NAME {
        let name = cron_job.metadata.name.as_str();
        errors.invalid(&path.child("name"), name, "must be no more than 52 characters");
    }
}

fn update(new: &CronJob, old: &CronJob, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    spec(&new.spec, Some(&old.spec), errors);
}

/// The controller alone writes the status, and nobody checks it.
fn status(_: &CronJob, _: &CronJob, _: &Context, _: &mut FieldErrors) {}

fn spec(spec: &CronJobSpec, old: Option<&CronJobSpec>, errors: &mut FieldErrors) {
    let path = FieldPath::new("spec");
    if spec.schedule.is_empty() {
        errors.required(&path.child("schedule"), "");
    } else {
        check_schedule(spec, old, &path.child("schedule"), errors);
    }
    let seconds = spec.starting_deadline_seconds.unwrap_or(0);
    nonnegative(seconds, &path.child("startingDeadlineSeconds"), errors);
    if let Some(zone) = &spec.time_zone
        && old.is_none_or(|old| old.time_zone != spec.time_zone)
    {
        time_zone(zone, &path.child("timeZone"), errors);
    }
    let policy = spec.concurrency_policy.as_str();
    match policy {
        "Allow" | "Forbid" | "Replace" => {}
        "" => errors.required(&path.child("concurrencyPolicy"), ""),
        _ => {
            let supported = ["Allow", "Forbid", "Replace"];
            errors.not_supported(&path.child("concurrencyPolicy"), &Named(policy), &supported);
        }
    }
    let old_template = old.map(|old| &old.job_template.spec.template);
    job_template(&spec.job_template, old_template, &path.child("jobTemplate"), errors);
    let limits = [
        ("successfulJobsHistoryLimit", spec.successful_jobs_history_limit.unwrap_or(0).into()),
        ("failedJobsHistoryLimit", spec.failed_jobs_history_limit.unwrap_or(0).into()),
    ];
    all_nonnegative(&limits, &path, errors);
}

fn check_schedule(spec: &CronJobSpec, old: Option<&CronJobSpec>, path: &FieldPath, errors: &mut FieldErrors) {
    let text = spec.schedule.as_str();
    if let Err(reason) = schedule::check(text) {
        errors.invalid(path, text, &reason);
    }
    if !text.contains("TZ") {
        return;
    }
    // Who has had a zone in the schedule may keep it.
    if !old.is_some_and(|old| old.schedule.contains("TZ")) {
        errors.invalid(path, text, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    } else if spec.time_zone.is_some() {
        errors.invalid(path, text, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
    }
}

fn time_zone(zone: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let shown = Named(zone);
    if zone.is_empty() {
        return errors.invalid(path, &shown, "timeZone must be nil or non-empty string");
    }
    if !zone.split('/').all(is_part_of_zone) {
        return errors.invalid(path, &shown, &time_zones::unknown(zone));
    }
    if zone.eq_ignore_ascii_case("local") {
        let detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        errors.invalid(path, &shown, detail);
    }
    if let Err(reason) = time_zones::check(zone) {
        errors.invalid(path, &shown, &reason);
    }
}

fn is_part_of_zone(part: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
    part != "."
        && part != ".."
        && !part.starts_with('-')
        && (1..=14).contains(&part.len())
        && part.bytes().all(allowed)
}

fn job_template(
    template: &JobTemplateSpec,
    old_template: Option<&PodTemplateSpec>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let path = path.child("spec");
    job::unselected_spec(&template.spec, old_template, &path, errors);
    if let Some(selector) = &template.spec.selector {
        errors.invalid(&path.child("selector"), selector, "`selector` will be auto-generated");
    }
    if template.spec.manual_selector == Some(true) {
        errors.not_supported(&path.child("manualSelector"), &true, &["nil", "false"]);
    }
}
