//! `batch/v1`: Jobs, which run to an end, and CronJobs, which make them by the clock.

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

use crate::core::v1::{ObjectReference, PodTemplateSpec};

/// The values that a `CompletionMode` has.
pub const COMPLETION_MODES: &[&str] = &["NonIndexed", "Indexed"];
/// The values that a `ConcurrencyPolicy` has.
pub const CONCURRENCY_POLICIES: &[&str] = &["Allow", "Forbid", "Replace"];
/// The values that a `PodFailurePolicyAction` has.
pub const POD_FAILURE_POLICY_ACTIONS: &[&str] = &["FailJob", "FailIndex", "Ignore", "Count"];
/// The values that a `PodFailurePolicyOnExitCodesOperator` has.
pub const POD_FAILURE_POLICY_ON_EXIT_CODES_OPERATORS: &[&str] = &["In", "NotIn"];
/// The values that a `PodReplacementPolicy` has.
pub const POD_REPLACEMENT_POLICIES: &[&str] = &["TerminatingOrFailed", "Failed"];

/// Makes a Job again and again, at the times of a schedule.
#[derive(Clone, Default, Schema, Object)]
pub struct CronJob {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What it shall do, and when.
    #[field(2, required_omitempty)]
    pub spec: CronJobSpec,
    /// What it has done.
    #[field(3)]
    pub status: CronJobStatus,
}

/// A list of CronJob objects.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
pub struct CronJobSpec {
    /// When to make Jobs, in the five fields of cron: minute, hour, day of month, month, day of week.
    #[field(1, required)]
    pub schedule: String,
    /// The time zone of the schedule, such as `Europe/Rome`; the controller's own if not given.
    #[field(8)]
    pub time_zone: Option<String>,
    /// How many seconds late a Job may still be made; later than that it is missed. No limit if not given.
    #[field(2)]
    pub starting_deadline_seconds: Option<i64>,
    /// What to do if the last Job still runs: Allow both, the default, Forbid the new one, or Replace the
    /// old one.
    #[field(3, values = CONCURRENCY_POLICIES)]
    pub concurrency_policy: String,
    /// Whether no new Jobs are made; those that run are left alone. Defaults to false.
    #[field(4)]
    pub suspend: Option<bool>,
    /// What its Jobs look like.
    #[field(5, required)]
    pub job_template: JobTemplateSpec,
    /// How many Jobs that succeeded are kept. Defaults to 3.
    #[field(6)]
    pub successful_jobs_history_limit: Option<i32>,
    /// How many Jobs that failed are kept. Defaults to 1.
    #[field(7)]
    pub failed_jobs_history_limit: Option<i32>,
}

/// What a CronJob has done.
#[derive(Clone, Default, Schema)]
pub struct CronJobStatus {
    /// The Jobs that run now.
    #[field(1, list = "atomic")]
    pub active: Vec<ObjectReference>,
    /// When a Job was last due and made.
    #[field(4)]
    pub last_schedule_time: Option<Time>,
    /// When a Job last succeeded.
    #[field(5)]
    pub last_successful_time: Option<Time>,
}

/// Runs pods until enough of them have succeeded.
#[derive(Clone, Default, Schema, Object)]
pub struct Job {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What it shall run, how often, and when to give up.
    #[field(2)]
    pub spec: JobSpec,
    /// How far it has come.
    #[field(3)]
    pub status: JobStatus,
}

/// An aspect of a Job's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct JobCondition {
    /// Complete, Failed, Suspended, SuccessCriteriaMet or FailureTarget.
    #[field(1, required)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(2, required)]
    pub status: String,
    /// When the condition was last checked.
    #[field(3)]
    pub last_probe_time: Time,
    /// When the status last changed from one value to another.
    #[field(4)]
    pub last_transition_time: Time,
    /// One CamelCase word for why the status is what it is, for programs.
    #[field(5)]
    pub reason: String,
    /// What happened, for people.
    #[field(6)]
    pub message: String,
}

/// A list of Job objects.
#[derive(Clone, Default, Schema, Object)]
pub struct JobList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<Job>,
}

/// What a Job shall run, how often, and when to give up.
#[derive(Clone, Default, Schema)]
pub struct JobSpec {
    /// How many pods may run at once. Defaults to 1.
    #[field(1)]
    pub parallelism: Option<i32>,
    /// How many pods must succeed. If not given while parallelism is, one that succeeds ends the Job.
    #[field(2)]
    pub completions: Option<i32>,
    /// How many seconds the Job may run in all before it fails and its pods are ended.
    #[field(3)]
    pub active_deadline_seconds: Option<i64>,
    /// What failed pods mean, by exit code or condition. Without it, every failure counts toward
    /// backoffLimit.
    #[field(11)]
    pub pod_failure_policy: Option<Box<PodFailurePolicy>>,
    /// When an Indexed Job has succeeded before all of its indexes have.
    #[field(16)]
    pub success_policy: Option<Box<SuccessPolicy>>,
    /// How many failures until the Job fails. Defaults to 6, or to no limit if backoffLimitPerIndex is
    /// given.
    #[field(7)]
    pub backoff_limit: Option<i32>,
    /// How many failures until an index fails. For Indexed Jobs whose pods never restart.
    #[field(12)]
    pub backoff_limit_per_index: Option<i32>,
    /// How many indexes may fail before the Job does. Only with backoffLimitPerIndex.
    #[field(13)]
    pub max_failed_indexes: Option<i32>,
    /// Which pods belong to it. Normally the server writes it, and no one else.
    #[field(4)]
    pub selector: Option<Box<LabelSelector>>,
    /// Whether selector and labels are yours to keep apart from other Jobs'. Leave it out if in doubt.
    #[field(5)]
    pub manual_selector: Option<bool>,
    /// What its pods look like. Their restart policy must be Never or OnFailure.
    #[field(6, required)]
    pub template: PodTemplateSpec,
    /// How many seconds after its end the Job is deleted. Never, if not given.
    #[field(8)]
    pub ttl_seconds_after_finished: Option<i32>,
    /// NonIndexed, the default, where all pods are alike, or Indexed, where each has a number from 0 on.
    #[field(9, values = COMPLETION_MODES)]
    pub completion_mode: Option<String>,
    /// Whether no pods are made, and those that run are ended. Defaults to false.
    #[field(10)]
    pub suspend: Option<bool>,
    /// When a pod is replaced: TerminatingOrFailed, as soon as it begins to end, or Failed, after it has.
    #[field(14, values = POD_REPLACEMENT_POLICIES)]
    pub pod_replacement_policy: Option<String>,
    /// The controller that runs the Job, if not the built-in one. Cannot change.
    #[field(15)]
    pub managed_by: Option<String>,
}

/// How far a Job has come.
#[derive(Clone, Default, Schema)]
pub struct JobStatus {
    /// Aspects of its state, one entry per type.
    #[field(1, list = "atomic", merge = "merge", merge_key = "type")]
    pub conditions: Vec<JobCondition>,
    /// When the controller began with it; reset when it is resumed.
    #[field(2)]
    pub start_time: Option<Time>,
    /// When it succeeded; absent if it failed.
    #[field(3)]
    pub completion_time: Option<Time>,
    /// How many pods run or wait to run.
    #[field(4)]
    pub active: i32,
    /// How many pods have succeeded.
    #[field(5)]
    pub succeeded: i32,
    /// How many pods have failed.
    #[field(6)]
    pub failed: i32,
    /// How many pods are about to end.
    #[field(11)]
    pub terminating: Option<i32>,
    /// The indexes that succeeded, such as `1,3-5`.
    #[field(7)]
    pub completed_indexes: String,
    /// The indexes that failed, such as `1,3-5`.
    #[field(10)]
    pub failed_indexes: Option<String>,
    /// Pods that have ended but are not counted yet.
    #[field(8)]
    pub uncounted_terminated_pods: Option<Box<UncountedTerminatedPods>>,
    /// How many running pods are ready.
    #[field(9)]
    pub ready: Option<i32>,
}

/// What the Jobs of a CronJob look like.
#[derive(Clone, Default, Schema)]
pub struct JobTemplateSpec {
    /// The labels and annotations that the Jobs get.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the Jobs shall do.
    #[field(2)]
    pub spec: JobSpec,
}

/// Rules for what a failed pod means. The first rule that matches a pod counts.
#[derive(Clone, Default, Schema)]
pub struct PodFailurePolicy {
    /// The rules, in the order in which they are tried; at most 20.
    #[field(1, required, list = "atomic")]
    pub rules: Vec<PodFailurePolicyRule>,
}

/// Matches pods by the exit codes of their containers.
#[derive(Clone, Default, Schema)]
pub struct PodFailurePolicyOnExitCodesRequirement {
    /// The container whose exit code counts; any if not given.
    #[field(1)]
    pub container_name: Option<String>,
    /// In or NotIn.
    #[field(2, required, values = POD_FAILURE_POLICY_ON_EXIT_CODES_OPERATORS)]
    pub operator: String,
    /// The exit codes, in ascending order; 0 only with NotIn.
    #[field(3, required, list = "set")]
    pub values: Vec<i32>,
}

/// Matches a condition of a pod.
#[derive(Clone, Default, Schema)]
pub struct PodFailurePolicyOnPodConditionsPattern {
    /// The type of the condition.
    #[field(1, required)]
    pub type_: String,
    /// Its status. Defaults to True.
    #[field(2, shown)]
    pub status: String,
}

/// What to do with a failed pod, and which pods it is about: by exit codes or by conditions, not both.
#[derive(Clone, Default, Schema)]
pub struct PodFailurePolicyRule {
    /// FailJob, FailIndex, Ignore (the failure is not counted) or Count.
    #[field(1, required, values = POD_FAILURE_POLICY_ACTIONS)]
    pub action: String,
    /// Which exit codes the rule is about.
    #[field(2)]
    pub on_exit_codes: Option<Box<PodFailurePolicyOnExitCodesRequirement>>,
    /// Which conditions the rule is about; any of them suffices.
    #[field(3, list = "atomic")]
    pub on_pod_conditions: Vec<PodFailurePolicyOnPodConditionsPattern>,
}

/// Rules for when a Job has succeeded before all of its indexes have. Any of them suffices.
#[derive(Clone, Default, Schema)]
pub struct SuccessPolicy {
    /// The rules, in the order in which they are tried; at most 20.
    #[field(1, required, list = "atomic")]
    pub rules: Vec<SuccessPolicyRule>,
}

/// Which indexes must have succeeded, or how many, or how many of which.
#[derive(Clone, Default, Schema)]
pub struct SuccessPolicyRule {
    /// The indexes that count, such as `1,3-5`; all of them must succeed unless a count is given.
    #[field(1)]
    pub succeeded_indexes: Option<String>,
    /// How many of the indexes must succeed.
    #[field(2)]
    pub succeeded_count: Option<i32>,
}

/// Pods that have ended but are not in the counters of the status yet.
#[derive(Clone, Default, Schema)]
pub struct UncountedTerminatedPods {
    /// The uids of pods that succeeded.
    #[field(1, list = "set")]
    pub succeeded: Vec<String>,
    /// The uids of pods that failed.
    #[field(2, list = "set")]
    pub failed: Vec<String>,
}
