//! `batch/v2alpha1`: the first CronJob, without time zones and the time of the last success, and a kind for templates
//! of Jobs that nothing ever used.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::core::v1::ObjectReference;

pub use super::v1::JobTemplateSpec;

/// Makes a Job again and again, at the times of a schedule.
#[derive(Clone, Default, Schema, Object, Convert)]
#[schema(retired)]
#[convert(hub = super::v1::CronJob)]
pub struct CronJob {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What it shall do, and when.
    #[field(2)]
    pub spec: CronJobSpec,
    /// What it has done.
    #[field(3)]
    pub status: CronJobStatus,
}

/// A list of CronJob objects.
#[derive(Clone, Default, Schema, Object, Convert)]
#[schema(retired)]
#[convert(hub = super::v1::CronJobList)]
pub struct CronJobList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<CronJob>,
}

/// What a CronJob shall do, and when.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CronJobSpec, lacks(time_zone))]
pub struct CronJobSpec {
    /// When to make Jobs, in the five fields of cron: minute, hour, day of month, month, day of week.
    #[field(1, required)]
    pub schedule: String,
    /// How many seconds late a Job may still be made; later than that it is missed. No limit if not given.
    #[field(2)]
    pub starting_deadline_seconds: Option<i64>,
    /// What to do if the last Job still runs: Allow both, the default, Forbid the new one, or Replace the
    /// old one.
    #[field(3)]
    pub concurrency_policy: String,
    /// Whether no new Jobs are made; those that run are left alone. Defaults to false.
    #[field(4)]
    pub suspend: Option<bool>,
    /// What its Jobs look like.
    #[field(5, required)]
    pub job_template: JobTemplateSpec,
    /// How many Jobs that succeeded are kept; all if not given.
    #[field(6)]
    pub successful_jobs_history_limit: Option<i32>,
    /// How many Jobs that failed are kept; all if not given.
    #[field(7)]
    pub failed_jobs_history_limit: Option<i32>,
}

/// What a CronJob has done.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CronJobStatus, lacks(last_successful_time))]
pub struct CronJobStatus {
    /// The Jobs that run now.
    #[field(1)]
    pub active: Vec<ObjectReference>,
    /// When a Job was last due and made.
    #[field(4)]
    pub last_schedule_time: Option<Time>,
}

/// A Job to be made from, which no controller ever did.
#[derive(Clone, Default, Schema, Object)]
#[schema(retired)]
pub struct JobTemplate {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the Jobs look like.
    #[field(2)]
    pub template: JobTemplateSpec,
}
