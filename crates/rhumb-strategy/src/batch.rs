//! Strategies of `batch`. Jobs generate their own selectors and labels.

use rhumb_api::batch::v1::{CronJob, CronJobSpec, CronJobStatus, Job, JobSpec, JobStatus};
use rhumb_meta::GroupVersion;
use rhumb_scheme::validation::FieldPath;

use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{count, fresh_counted, has_status, keep_spec, keep_status};
use crate::pod::{drop_disabled_template, warn_name, warn_template};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(Job: JobSpec, JobStatus; CronJob: CronJobSpec, CronJobStatus);

const JOB_VERSIONS: &[&str] = &["batch/v1"];
const CRON_VERSIONS: &[&str] = &["batch/v1", "batch/v1beta1"];
const JOB_ORPHANS: &[GroupVersion] = &[GroupVersion::new_static("batch", "v1")];
const CRON_ORPHANS: &[GroupVersion] = &[GroupVersion::new_static("batch", "v1beta1")];

const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";
const NAME_LABELS: [&str; 2] = ["job-name", "batch.kubernetes.io/job-name"];
const UID_LABELS: [&str; 2] = ["controller-uid", CONTROLLER_UID];

/// Number of completions above which a job may lose track.
const MANY_COMPLETIONS: i32 = 100_000;
const MANY_AT_ONCE: i32 = 10_000;

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder
        .add(
            Strategy::new("batch", "Job")
                .generation(Generation::Counted)
                .orphans_in(JOB_ORPHANS)
                .create(create_job)
                .update(update_job)
                .warn_create(|job: &Job| {
                    let name = warn_name(&job.metadata.name, "Pod names and hostnames");
                    name.into_iter().chain(warn(&job.spec, &FieldPath::new("spec"))).collect()
                })
                .warn_update(|new, old| {
                    let changed = new.metadata.generation != old.metadata.generation;
                    if changed { warn(&new.spec, &FieldPath::new("spec")) } else { Vec::new() }
                })
                .resets(JOB_VERSIONS, STATUS)
                .on("status", Part::new(keep_spec).resets(JOB_VERSIONS, SPEC)),
        )?
        .add(
            Strategy::new("batch", "CronJob")
                .generation(Generation::Counted)
                .orphans_in(CRON_ORPHANS)
                .create(create_cron_job)
                .update(update_cron_job)
                .warn_create(|job: &CronJob| {
                    let name = warn_name(&job.metadata.name, "Pod names and hostnames");
                    name.into_iter().chain(warn_template_of(job)).collect()
                })
                .warn_update(warn_cron_job)
                .resets(CRON_VERSIONS, STATUS)
                .on("status", Part::new(keep_spec).resets(CRON_VERSIONS, SPEC)),
        )?;
    Ok(())
}

fn create_job(job: &mut Job, context: &Context) {
    if !job.spec.manual_selector.unwrap_or(false) {
        select_own_pods(job);
    }
    fresh_counted(job, context);
    drop_disabled_template(&mut job.spec.template, None);
}

/// Sets a selector and labels with the job's unique UID. Existing labels are kept for validation.
///
/// A job without labels of its own took over those of its template by default. In Kubernetes both are one
/// map then, so that the job gets the new labels as well. Here a job that was sent with the same labels
/// can't be told from it.
fn select_own_pods(job: &mut Job) {
    let takes_over =
        !job.metadata.labels.is_empty() && job.metadata.labels == job.spec.template.metadata.labels;
    let labels = &mut job.spec.template.metadata.labels;
    for label in NAME_LABELS {
        labels.entry(label.to_owned()).or_insert_with(|| job.metadata.name.clone());
    }
    for label in UID_LABELS {
        labels.entry(label.to_owned()).or_insert_with(|| job.metadata.uid.clone());
    }
    if takes_over {
        job.metadata.labels.clone_from(labels);
    }
    let selected = &mut job.spec.selector.get_or_insert_default().match_labels;
    selected.entry(CONTROLLER_UID.to_owned()).or_insert_with(|| job.metadata.uid.clone());
}

fn update_job(new: &mut Job, old: &Job, context: &Context) {
    keep_status(new, old, context);
    drop_disabled_template(&mut new.spec.template, Some(&old.spec.template));
    count(new, old, context);
}

fn create_cron_job(job: &mut CronJob, context: &Context) {
    fresh_counted(job, context);
    drop_disabled_template(&mut job.spec.job_template.spec.template, None);
}

fn update_cron_job(new: &mut CronJob, old: &CronJob, context: &Context) {
    keep_status(new, old, context);
    let before = &old.spec.job_template.spec.template;
    drop_disabled_template(&mut new.spec.job_template.spec.template, Some(before));
    count(new, old, context);
}

fn warn(spec: &JobSpec, path: &FieldPath) -> Vec<String> {
    let mut warnings = Vec::new();
    if spec.completion_mode.as_deref() == Some("Indexed")
        && spec.completions.unwrap_or(0) > MANY_COMPLETIONS
        && spec.parallelism.unwrap_or(0) > MANY_AT_ONCE
    {
        warnings.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher \
             than 10^4, Kubernetes might not be able to track completedIndexes when a big number of \
             indexes fail"
        ));
    }
    warnings.extend(warn_template(&spec.template, &path.child("template")));
    warnings
}

fn warn_template_of(job: &CronJob) -> Vec<String> {
    let path = FieldPath::new("spec").child("jobTemplate").child("spec");
    warn(&job.spec.job_template.spec, &path)
}

fn warn_cron_job(new: &CronJob, old: &CronJob) -> Vec<String> {
    let changed = new.metadata.generation != old.metadata.generation;
    let mut warnings = if changed { warn_template_of(new) } else { Vec::new() };
    if new.spec.schedule.contains("TZ") {
        let page = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/";
        warnings.push(format!(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see {page} for more \
             details"
        ));
    }
    warnings
}
