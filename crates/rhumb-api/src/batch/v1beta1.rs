//! `batch/v1beta1`: the CronJob of v1 before it was called so, and the JobTemplate of v2alpha1.

pub use super::v1::{CronJob, CronJobList, CronJobSpec, CronJobStatus, JobTemplateSpec};
pub use super::v2alpha1::JobTemplate;
