//! `batch/v1beta1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::batch::v1::JobSpec;

pub use super::v1::CronJobStatus;

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CronJob)]
pub struct CronJob {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required_omitempty)]
    pub spec: CronJobSpec,
    #[field(3)]
    pub status: CronJobStatus,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CronJobList)]
pub struct CronJobList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<CronJob>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CronJobSpec)]
pub struct CronJobSpec {
    #[field(1, required)]
    pub schedule: String,
    #[field(8)]
    pub time_zone: Option<String>,
    #[field(2)]
    pub starting_deadline_seconds: Option<i64>,
    #[field(3)]
    pub concurrency_policy: String,
    #[field(4)]
    pub suspend: Option<bool>,
    #[field(5, required)]
    pub job_template: JobTemplateSpec,
    #[field(6)]
    pub successful_jobs_history_limit: Option<i32>,
    #[field(7)]
    pub failed_jobs_history_limit: Option<i32>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::JobTemplateSpec)]
pub struct JobTemplateSpec {
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: JobSpec,
}
