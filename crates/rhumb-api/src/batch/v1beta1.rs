//! `batch/v1beta1`: the CronJob of v1 before it was called so.

pub use super::v1::{CronJob, CronJobList, CronJobSpec, CronJobStatus, JobTemplateSpec};
