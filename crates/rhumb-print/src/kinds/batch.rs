//! Columns of jobs and cron jobs.

use rhumb_api::batch::v1::{CronJob, Job};
use serde_json::Value as Json;

use super::workloads::{CONTAINERS, IMAGES, SELECTOR};
use crate::column::{Column, Printed, cells};
use crate::human::human_duration;
use crate::now::{Now, between};
use crate::texts::{NONE, UNSET, container_names, images, selector_or_none, some_or};

impl Printed for Job {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Status", "What the job is doing, or how it ended."),
        Column::text("Completions", "How many pods have succeeded, of how many."),
        Column::text("Duration", "How long the job took, or has taken so far."),
        Column::AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let containers = &self.spec.template.spec.containers;
        cells![
            self.metadata.name.as_str(),
            status(self),
            completions(self),
            duration(self, now),
            now.since(&self.metadata.creation_timestamp),
            container_names(containers),
            images(containers),
            selector_or_none(self.spec.selector.as_deref()),
        ]
    }
}

fn status(job: &Job) -> &'static str {
    let holds = |type_: &str| {
        let found = job.status.conditions.iter().find(|condition| condition.type_ == type_);
        found.is_some_and(|condition| condition.status == "True")
    };
    if holds("Complete") {
        "Complete"
    } else if holds("Failed") {
        "Failed"
    } else if job.metadata.deletion_timestamp.is_some() {
        "Terminating"
    } else if holds("Suspended") {
        "Suspended"
    } else if holds("FailureTarget") {
        "FailureTarget"
    } else if holds("SuccessCriteriaMet") {
        "SuccessCriteriaMet"
    } else {
        "Running"
    }
}

fn completions(job: &Job) -> String {
    let succeeded = job.status.succeeded;
    match (job.spec.completions, job.spec.parallelism) {
        (Some(wanted), _) => format!("{succeeded}/{wanted}"),
        (None, Some(parallelism @ 2..)) => format!("{succeeded}/1 of {parallelism}"),
        (None, _) => format!("{succeeded}/1"),
    }
}

fn duration(job: &Job, now: &Now) -> String {
    match (&job.status.start_time, &job.status.completion_time) {
        (None, _) => String::new(),
        (Some(start), None) => now.since(start),
        (Some(start), Some(end)) => human_duration(between(start, end)),
    }
}

impl Printed for CronJob {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Schedule", "When jobs are started, in cron's notation."),
        Column::text("Timezone", "The time zone of the schedule."),
        Column::boolean("Suspend", "Whether no more jobs are started."),
        Column::integer("Active", "How many jobs are running."),
        Column::text("Last Schedule", "How long ago a job was last started."),
        Column::AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let job = &self.spec.job_template.spec;
        let containers = &job.template.spec.containers;
        let suspend = match self.spec.suspend {
            Some(true) => "True",
            Some(false) => "False",
            None => UNSET,
        };
        let last = self.status.last_schedule_time.as_ref();
        cells![
            self.metadata.name.as_str(),
            self.spec.schedule.as_str(),
            some_or(&self.spec.time_zone, NONE),
            suspend,
            self.status.active.len(),
            last.map_or_else(|| NONE.to_owned(), |time| now.since(time)),
            now.since(&self.metadata.creation_timestamp),
            container_names(containers),
            images(containers),
            selector_or_none(job.selector.as_deref()),
        ]
    }
}
