//! `batch/v1`.

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

use crate::core::v1::{ObjectReference, PodTemplateSpec};

/// The values that a `CompletionMode` has.
pub const COMPLETION_MODES: &[&str] = &["NonIndexed", "Indexed"];
/// The values that a `ConcurrencyPolicy` has.
pub const CONCURRENCY_POLICYS: &[&str] = &["Allow", "Forbid", "Replace"];
/// The values that a `PodFailurePolicyAction` has.
pub const POD_FAILURE_POLICY_ACTIONS: &[&str] = &["FailJob", "FailIndex", "Ignore", "Count"];
/// The values that a `PodFailurePolicyOnExitCodesOperator` has.
pub const POD_FAILURE_POLICY_ON_EXIT_CODES_OPERATORS: &[&str] = &["In", "NotIn"];
/// The values that a `PodReplacementPolicy` has.
pub const POD_REPLACEMENT_POLICYS: &[&str] = &["TerminatingOrFailed", "Failed"];

#[derive(Clone, Default, Schema, Object)]
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

#[derive(Clone, Default, Schema, Object)]
pub struct CronJobList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<CronJob>,
}

#[derive(Clone, Default, Schema)]
pub struct CronJobSpec {
    #[field(1, required)]
    pub schedule: String,
    #[field(8)]
    pub time_zone: Option<String>,
    #[field(2)]
    pub starting_deadline_seconds: Option<i64>,
    #[field(3, values = CONCURRENCY_POLICYS)]
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

#[derive(Clone, Default, Schema)]
pub struct CronJobStatus {
    #[field(1, list = "atomic")]
    pub active: Vec<ObjectReference>,
    #[field(4)]
    pub last_schedule_time: Option<Time>,
    #[field(5)]
    pub last_successful_time: Option<Time>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct Job {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: JobSpec,
    #[field(3)]
    pub status: JobStatus,
}

#[derive(Clone, Default, Schema)]
pub struct JobCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(3)]
    pub last_probe_time: Time,
    #[field(4)]
    pub last_transition_time: Time,
    #[field(5)]
    pub reason: String,
    #[field(6)]
    pub message: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct JobList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Job>,
}

#[derive(Clone, Default, Schema)]
pub struct JobSpec {
    #[field(1)]
    pub parallelism: Option<i32>,
    #[field(2)]
    pub completions: Option<i32>,
    #[field(3)]
    pub active_deadline_seconds: Option<i64>,
    #[field(11)]
    pub pod_failure_policy: Option<Box<PodFailurePolicy>>,
    #[field(16)]
    pub success_policy: Option<Box<SuccessPolicy>>,
    #[field(7)]
    pub backoff_limit: Option<i32>,
    #[field(12)]
    pub backoff_limit_per_index: Option<i32>,
    #[field(13)]
    pub max_failed_indexes: Option<i32>,
    #[field(4)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(5)]
    pub manual_selector: Option<bool>,
    #[field(6, required)]
    pub template: PodTemplateSpec,
    #[field(8)]
    pub ttl_seconds_after_finished: Option<i32>,
    #[field(9, values = COMPLETION_MODES)]
    pub completion_mode: Option<String>,
    #[field(10)]
    pub suspend: Option<bool>,
    #[field(14, values = POD_REPLACEMENT_POLICYS)]
    pub pod_replacement_policy: Option<String>,
    #[field(15)]
    pub managed_by: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct JobStatus {
    #[field(1, list = "atomic", merge = "merge", merge_key = "type")]
    pub conditions: Vec<JobCondition>,
    #[field(2)]
    pub start_time: Option<Time>,
    #[field(3)]
    pub completion_time: Option<Time>,
    #[field(4)]
    pub active: i32,
    #[field(5)]
    pub succeeded: i32,
    #[field(6)]
    pub failed: i32,
    #[field(11)]
    pub terminating: Option<i32>,
    #[field(7)]
    pub completed_indexes: String,
    #[field(10)]
    pub failed_indexes: Option<String>,
    #[field(8)]
    pub uncounted_terminated_pods: Option<Box<UncountedTerminatedPods>>,
    #[field(9)]
    pub ready: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct JobTemplateSpec {
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: JobSpec,
}

#[derive(Clone, Default, Schema)]
pub struct PodFailurePolicy {
    #[field(1, required, list = "atomic")]
    pub rules: Vec<PodFailurePolicyRule>,
}

#[derive(Clone, Default, Schema)]
pub struct PodFailurePolicyOnExitCodesRequirement {
    #[field(1)]
    pub container_name: Option<String>,
    #[field(2, required, values = POD_FAILURE_POLICY_ON_EXIT_CODES_OPERATORS)]
    pub operator: String,
    #[field(3, required, list = "set")]
    pub values: Vec<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct PodFailurePolicyOnPodConditionsPattern {
    #[field(1, required)]
    pub type_: String,
    #[field(2, shown)]
    pub status: String,
}

#[derive(Clone, Default, Schema)]
pub struct PodFailurePolicyRule {
    #[field(1, required, values = POD_FAILURE_POLICY_ACTIONS)]
    pub action: String,
    #[field(2)]
    pub on_exit_codes: Option<Box<PodFailurePolicyOnExitCodesRequirement>>,
    #[field(3, list = "atomic")]
    pub on_pod_conditions: Vec<PodFailurePolicyOnPodConditionsPattern>,
}

#[derive(Clone, Default, Schema)]
pub struct SuccessPolicy {
    #[field(1, required, list = "atomic")]
    pub rules: Vec<SuccessPolicyRule>,
}

#[derive(Clone, Default, Schema)]
pub struct SuccessPolicyRule {
    #[field(1)]
    pub succeeded_indexes: Option<String>,
    #[field(2)]
    pub succeeded_count: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct UncountedTerminatedPods {
    #[field(1, list = "set")]
    pub succeeded: Vec<String>,
    #[field(2, list = "set")]
    pub failed: Vec<String>,
}
