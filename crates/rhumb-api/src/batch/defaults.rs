//! Defaults of the group.

use rhumb_scheme::SchemeBuilder;

use super::v1::{CronJob, Job, PodFailurePolicyOnPodConditionsPattern};
use super::v2alpha1;

/// Registers the functions. What a CronJob's template says of its Jobs is filled in only when they are made.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder.defaults(job).defaults(cron_job).defaults(cron_job_v2alpha1).defaults(condition_pattern);
}

fn job(job: &mut Job) {
    let spec = &mut job.spec;
    if spec.parallelism.is_none() {
        spec.completions.get_or_insert(1);
    }
    spec.parallelism.get_or_insert(1);
    // Failures are bounded for each index or in all.
    let limit = if spec.backoff_limit_per_index.is_some() { i32::MAX } else { 6 };
    spec.backoff_limit.get_or_insert(limit);
    if job.metadata.labels.is_empty() {
        job.metadata.labels.clone_from(&spec.template.metadata.labels);
    }
    spec.completion_mode.get_or_insert_with(|| "NonIndexed".to_owned());
    spec.suspend.get_or_insert(false);
    // A policy on failures must see the pod's end before there is another pod.
    let replacement = if spec.pod_failure_policy.is_some() { "Failed" } else { "TerminatingOrFailed" };
    spec.pod_replacement_policy.get_or_insert_with(|| replacement.to_owned());
    spec.manual_selector.get_or_insert(false);
}

fn cron_job(cron_job: &mut CronJob) {
    let spec = &mut cron_job.spec;
    allow(&mut spec.concurrency_policy);
    spec.suspend.get_or_insert(false);
    spec.successful_jobs_history_limit.get_or_insert(3);
    spec.failed_jobs_history_limit.get_or_insert(1);
}

/// In this version all Jobs were kept unless someone said otherwise.
fn cron_job_v2alpha1(cron_job: &mut v2alpha1::CronJob) {
    allow(&mut cron_job.spec.concurrency_policy);
    cron_job.spec.suspend.get_or_insert(false);
}

fn allow(concurrency_policy: &mut String) {
    if concurrency_policy.is_empty() {
        "Allow".clone_into(concurrency_policy);
    }
}

fn condition_pattern(pattern: &mut PodFailurePolicyOnPodConditionsPattern) {
    if pattern.status.is_empty() {
        "True".clone_into(&mut pattern.status);
    }
}
