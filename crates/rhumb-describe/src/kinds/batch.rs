//! Jobs and CronJobs.

use std::fmt::Display;

use rhumb_api::batch::v1::{CronJob, Job, JobTemplateSpec};
use rhumb_meta::human::human_duration;
use rhumb_meta::v1::LabelSelector;

use super::{heading, labels_and_annotations, name_and_namespace};
use crate::Lines;
use crate::lines::nanos_between;
use crate::parts::{Events, controller_text, events, pod_template, selector, truth_or_unset};

/// Maximum length of the list of completed indexes.
const INDEXES_LENGTH: usize = 50;

/// Describes a Job.
pub fn job(out: &mut Lines, job: &Job, shown_events: Events<'_>) {
    let Job { metadata, spec, status, .. } = job;
    name_and_namespace(out, metadata);
    selector_field(out, spec.selector.as_deref());
    labels_and_annotations(out, metadata);
    if let Some(controller) = controller_text(metadata) {
        out.field(0, "Controlled By", controller);
    }
    if let Some(parallelism) = spec.parallelism {
        out.field(0, "Parallelism", parallelism);
    }
    or_unset(out, "Completions", spec.completions);
    if let Some(mode) = &spec.completion_mode {
        out.field(0, "Completion Mode", mode);
    }
    if let Some(suspend) = spec.suspend {
        out.field(0, "Suspend", suspend);
    }
    if let Some(limit) = spec.backoff_limit {
        out.field(0, "Backoff Limit", limit);
    }
    if let Some(seconds) = spec.ttl_seconds_after_finished {
        out.field(0, "TTL Seconds After Finished", seconds);
    }
    times(out, job);
    if let Some(seconds) = spec.active_deadline_seconds {
        out.field(0, "Active Deadline Seconds", format_args!("{seconds}s"));
    }
    let ready = status.ready.map(|ready| format!(" ({ready} Ready)")).unwrap_or_default();
    let (active, succeeded, failed) = (status.active, status.succeeded, status.failed);
    let pods = format!("{active} Active{ready} / {succeeded} Succeeded / {failed} Failed");
    out.field(0, "Pods Statuses", pods);
    if spec.completion_mode.as_deref() == Some("Indexed") {
        out.field(0, "Completed Indexes", shortened_indexes(&status.completed_indexes));
    }
    pod_template(out, Some(&spec.template));
    events(out, shown_events);
}

fn times(out: &mut Lines, job: &Job) {
    let (start, end) = (job.status.start_time.as_ref(), job.status.completion_time.as_ref());
    for (title, time) in [("Start Time", start), ("Completed At", end)] {
        if let Some(time) = time {
            let date = out.date(time);
            out.field(0, title, date);
        }
    }
    if let (Some(start), Some(end)) = (start, end) {
        let span = nanos_between((start.unix_seconds(), start.nanos()), (end.unix_seconds(), end.nanos()));
        out.field(0, "Duration", human_duration(span));
    }
}

/// Returns a list of indexes, cut at the first comma after so many characters.
fn shortened_indexes(indexes: &str) -> String {
    if indexes.is_empty() {
        return "<none>".to_owned();
    }
    let comma = indexes.bytes().enumerate().skip(INDEXES_LENGTH).find(|(_, byte)| *byte == b',');
    match comma.and_then(|(at, _)| indexes.get(..=at)) {
        Some(shown) => format!("{shown}..."),
        None => indexes.to_owned(),
    }
}

fn selector_field(out: &mut Lines, given: Option<&LabelSelector>) {
    match selector(given) {
        Ok(selector) => out.field(0, "Selector", selector),
        Err(error) => out.field(0, "Selector", format_args!("Failed to get selector: {error}")),
    }
}

fn or_unset(out: &mut Lines, title: &str, value: Option<impl Display>) {
    match value {
        Some(value) => out.field(0, title, value),
        None => out.field(0, title, "<unset>"),
    }
}

/// Describes a CronJob.
pub fn cron_job(out: &mut Lines, job: &CronJob, shown_events: Events<'_>) {
    let CronJob { metadata, spec, status, .. } = job;
    heading(out, metadata);
    out.field(0, "Schedule", &spec.schedule);
    out.field(0, "Concurrency Policy", &spec.concurrency_policy);
    out.field(0, "Suspend", truth_or_unset(spec.suspend));
    or_unset(out, "Time Zone", spec.time_zone.as_ref());
    or_unset(out, "Successful Job History Limit", spec.successful_jobs_history_limit);
    or_unset(out, "Failed Job History Limit", spec.failed_jobs_history_limit);
    let deadline = spec.starting_deadline_seconds.map(|seconds| format!("{seconds}s"));
    or_unset(out, "Starting Deadline Seconds", deadline);
    job_template(out, &spec.job_template);
    let last = status.last_schedule_time.as_ref().map(|time| out.date(time));
    or_unset(out, "Last Schedule Time", last);
    let active: Vec<&str> = status.active.iter().map(|job| job.name.as_str()).collect();
    match active.as_slice() {
        [] => out.field(0, "Active Jobs", "<none>"),
        active => out.field(0, "Active Jobs", active.join(", ")),
    }
    events(out, shown_events);
}

fn job_template(out: &mut Lines, template: &JobTemplateSpec) {
    let spec = &template.spec;
    match spec.selector.as_deref() {
        Some(selector) => selector_field(out, Some(selector)),
        None => out.field(0, "Selector", "<unset>"),
    }
    or_unset(out, "Parallelism", spec.parallelism);
    or_unset(out, "Completions", spec.completions);
    if let Some(seconds) = spec.active_deadline_seconds {
        out.field(0, "Active Deadline Seconds", format_args!("{seconds}s"));
    }
    pod_template(out, Some(&spec.template));
}
