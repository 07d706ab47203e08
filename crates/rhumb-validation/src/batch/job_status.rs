//! Validation of the status of Jobs. Who runs Jobs need not be the built-in controller, so that what it tells
//! is checked: most rules only where something they are about has changed.

use std::collections::BTreeSet;

use rhumb_api::batch::v1::{Job, JobStatus, UncountedTerminatedPods};
use rhumb_scheme::validation::{BadValue, Context, FieldErrors, FieldPath, Named, Shown, Wanted};

use super::indexes;
use crate::meta::{all_nonnegative, object_meta_update};

const COMPLETE: &str = "Complete";
const FAILED: &str = "Failed";
const FAILURE_TARGET: &str = "FailureTarget";
const SUCCESS_CRITERIA_MET: &str = "SuccessCriteriaMet";
const SUSPENDED: &str = "Suspended";

/// Reports whether a condition is there and true.
pub(super) fn is_true(status: &JobStatus, type_: &str) -> bool {
    has(status, type_, "True")
}

fn has(status: &JobStatus, type_: &str, value: &str) -> bool {
    status.conditions.iter().any(|condition| condition.type_ == type_ && condition.status == value)
}

fn is_finished(status: &JobStatus) -> bool {
    is_true(status, COMPLETE) || is_true(status, FAILED)
}

/// What changed between two statuses.
struct Change<'a> {
    job: &'a Job,
    new: &'a JobStatus,
    old: &'a JobStatus,
    path: FieldPath,
}

/// A change of the status.
pub(super) fn update(new: &Job, old: &Job, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let change = Change { job: new, new: &new.status, old: &old.status, path: FieldPath::new("status") };
    change.counts(errors);
    change.conditions(errors);
    change.times(errors);
    change.criteria(errors);
    change.finished(errors);
    change.indexes(errors);
    change.pods(errors);
    change.success(errors);
    change.backwards(errors);
}

impl Change<'_> {
    /// Reports whether a condition became true or ceased to be so.
    fn flipped(&self, type_: &str) -> bool {
        is_true(self.new, type_) != is_true(self.old, type_)
    }

    fn finish_flipped(&self) -> bool {
        is_finished(self.new) != is_finished(self.old)
    }

    fn wrong_conditions(&self, detail: &str, errors: &mut FieldErrors) {
        errors.invalid(&self.path.child("conditions"), &Shown(String::new()), detail);
    }

    fn counts(&self, errors: &mut FieldErrors) {
        let numbers = [
            ("active", self.new.active.into()),
            ("succeeded", self.new.succeeded.into()),
            ("failed", self.new.failed.into()),
            ("ready", self.new.ready.unwrap_or(0).into()),
            ("terminating", self.new.terminating.unwrap_or(0).into()),
        ];
        all_nonnegative(&numbers, &self.path, errors);
        if let Some(pods) = &self.new.uncounted_terminated_pods {
            uncounted(pods, &self.path.child("uncountedTerminatedPods"), errors);
        }
    }

    fn conditions(&self, errors: &mut FieldErrors) {
        let complete = is_true(self.new, COMPLETE);
        let flipped = self.flipped(COMPLETE);
        if (flipped || self.flipped(FAILED)) && complete && is_true(self.new, FAILED) {
            self.wrong_conditions("cannot set Complete=True and Failed=true conditions", errors);
        }
        if (flipped || self.flipped(FAILURE_TARGET)) && complete && is_true(self.new, FAILURE_TARGET) {
            self.wrong_conditions("cannot set Complete=True and FailureTarget=true conditions", errors);
        }
    }

    fn times(&self, errors: &mut FieldErrors) {
        let complete = is_true(self.new, COMPLETE);
        let completed_changed = self.new.completion_time != self.old.completion_time;
        let path = self.path.child("completionTime");
        if self.flipped(COMPLETE) || completed_changed {
            if self.new.completion_time.is_some() && !complete {
                let detail = "cannot set completionTime when there is no Complete=True condition";
                errors.invalid(&path, &self.new.completion_time, detail);
            }
            if self.new.completion_time.is_none() && complete {
                errors.required(&path, "completionTime is required for Complete jobs");
            }
        }
        if (completed_changed || self.new.start_time != self.old.start_time)
            && let (Some(start), Some(end)) = (&self.new.start_time, &self.new.completion_time)
            && (end.unix_seconds(), end.nanos()) < (start.unix_seconds(), start.nanos())
        {
            errors.invalid(&path, &self.new.completion_time, "must be equal to or after `startTime`");
        }
    }

    /// Before a Job ends, it is announced how.
    fn criteria(&self, errors: &mut FieldErrors) {
        let failed_indexes_changed = self.new.failed_indexes != self.old.failed_indexes;
        if (self.flipped(FAILED) || failed_indexes_changed)
            && is_true(self.new, FAILED)
            && !is_true(self.new, FAILURE_TARGET)
        {
            let detail = "cannot set Failed=True condition without the FailureTarget=true condition";
            self.wrong_conditions(detail, errors);
        }
        if (self.flipped(COMPLETE) || self.flipped(SUCCESS_CRITERIA_MET))
            && is_true(self.new, COMPLETE)
            && !is_true(self.new, SUCCESS_CRITERIA_MET)
        {
            let detail = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition";
            self.wrong_conditions(detail, errors);
        }
    }

    fn finished(&self, errors: &mut FieldErrors) {
        if !is_finished(self.new) {
            return;
        }
        let flipped = self.finish_flipped();
        if (flipped || self.new.active != self.old.active) && self.new.active > 0 {
            let detail = "active>0 is invalid for finished job";
            errors.invalid(&self.path.child("active"), &self.new.active, detail);
        }
        let never_ran = self.job.spec.suspend == Some(true) && self.job.spec.completions == Some(0);
        if (flipped || self.new.start_time != self.old.start_time)
            && !never_ran
            && self.new.start_time.is_none()
        {
            errors.required(&self.path.child("startTime"), "startTime is required for finished job");
        }
        let uncounted = &self.new.uncounted_terminated_pods;
        if (flipped || *uncounted != self.old.uncounted_terminated_pods)
            && let Some(pods) = uncounted.as_ref().filter(|p| !p.failed.is_empty() || !p.succeeded.is_empty())
        {
            let (succeeded, failed) = (pods.succeeded.shown(), pods.failed.shown());
            let shown = Shown(format!(r#"{{"Succeeded":{succeeded},"Failed":{failed}}}"#));
            let path = self.path.child("uncountedTerminatedPods");
            errors.invalid(&path, &shown, "must be empty for finished job");
        }
    }

    fn indexes(&self, errors: &mut FieldErrors) {
        let spec = &self.job.spec;
        let (completed, failed) = (&self.new.completed_indexes, &self.new.failed_indexes);
        let completed_changed = *completed != self.old.completed_indexes;
        let failed_changed = *failed != self.old.failed_indexes;
        let at_completed = self.path.child("completedIndexes");
        let at_failed = self.path.child("failedIndexes");
        if let Some(completions) = spec.completions {
            if completed_changed && let Err(reason) = indexes::count(completed, completions) {
                let detail = format!("error parsing completedIndexes: {reason}");
                errors.invalid(&at_completed, completed, &detail);
            }
            if failed_changed
                && spec.backoff_limit_per_index.is_some()
                && let Some(text) = failed
                && let Err(reason) = indexes::count(text, completions)
            {
                errors.invalid(&at_failed, failed, &format!("error parsing failedIndexes: {reason}"));
            }
        }
        if completed_changed && !completed.is_empty() && spec.completion_mode.as_deref() != Some("Indexed") {
            let detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
            errors.invalid(&at_completed, completed, detail);
        }
        let Some(failed) = failed else { return };
        if failed_changed && spec.backoff_limit_per_index.is_none() {
            let detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
            errors.invalid(&at_failed, failed, detail);
        }
        if (failed_changed || completed_changed)
            && let Some(completions) = spec.completions
            && let Some(index) = indexes::overlap(completed, failed, completions)
        {
            let detail = format!("failedIndexes and completedIndexes overlap at index: {index}");
            errors.invalid(&at_failed, failed, &detail);
        }
    }

    fn pods(&self, errors: &mut FieldErrors) {
        if (self.finish_flipped() || self.new.terminating != self.old.terminating)
            && is_finished(self.new)
            && self.new.terminating.is_some_and(|number| number > 0)
        {
            let detail = "terminating>0 is invalid for finished job";
            errors.invalid(&self.path.child("terminating"), &self.new.terminating, detail);
        }
        if (self.new.ready != self.old.ready || self.new.active != self.old.active)
            && let Some(ready) = self.new.ready.filter(|ready| *ready > self.new.active)
        {
            errors.invalid(&self.path.child("ready"), &ready, "cannot set more ready pods than active");
        }
    }

    fn success(&self, errors: &mut FieldErrors) {
        let met = is_true(self.new, SUCCESS_CRITERIA_MET);
        if met && is_true(self.new, FAILED) {
            self.wrong_conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions", errors);
        }
        if met && is_true(self.new, FAILURE_TARGET) {
            let detail = "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions";
            self.wrong_conditions(detail, errors);
        }
        if self.job.spec.success_policy.is_some() && !met && is_true(self.new, COMPLETE) {
            let detail = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
            self.wrong_conditions(detail, errors);
        }
    }

    /// What has happened can't be undone.
    fn backwards(&self, errors: &mut FieldErrors) {
        for type_ in [FAILED, COMPLETE, FAILURE_TARGET] {
            if is_true(self.old, type_) && !is_true(self.new, type_) {
                self.wrong_conditions(&format!("cannot disable the terminal {type_}=True condition"), errors);
            }
        }
        if self.new.failed < self.old.failed {
            let detail = "cannot decrease the failed counter";
            errors.invalid(&self.path.child("failed"), &self.new.failed, detail);
        }
        let spec = &self.job.spec;
        // A Job that has as many pods as completions can be scaled down, and then some successes don't count.
        let elastic =
            spec.completion_mode.as_deref() == Some("Indexed") && spec.completions == spec.parallelism;
        if !elastic && self.new.succeeded < self.old.succeeded {
            let detail = "cannot decrease the succeeded counter";
            errors.invalid(&self.path.child("succeeded"), &self.new.succeeded, detail);
        }
        let (new, old) = (self.new, self.old);
        if new.completion_time.is_some()
            && old.completion_time.is_some()
            && new.completion_time != old.completion_time
        {
            errors.invalid(&self.path.child("completionTime"), &new.completion_time, "field is immutable");
        }
        let resuming = is_true(old, SUSPENDED) && has(new, SUSPENDED, "False");
        if old.start_time.is_some()
            && new.start_time != old.start_time
            && !resuming
            && spec.suspend != Some(true)
        {
            let detail = "field is immutable for unsuspended job once set";
            errors.invalid(&self.path.child("startTime"), &new.start_time, detail);
        }
        let (met, was_met) = (is_true(new, SUCCESS_CRITERIA_MET), is_true(old, SUCCESS_CRITERIA_MET));
        if was_met && !met {
            self.wrong_conditions("cannot disable the SuccessCriteriaMet=True condition", errors);
        }
        if is_true(old, COMPLETE) && !was_met && met {
            let detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
            self.wrong_conditions(detail, errors);
        }
    }
}

fn uncounted(pods: &UncountedTerminatedPods, path: &FieldPath, errors: &mut FieldErrors) {
    let mut seen = BTreeSet::new();
    for (name, uids) in [("succeeded", &pods.succeeded), ("failed", &pods.failed)] {
        let path = path.child(name);
        for (index, uid) in uids.iter().enumerate().wanted() {
            if uid.is_empty() {
                errors.invalid(&path.index(index), &Named(uid), "must not be empty");
            } else if !seen.insert(uid) {
                errors.duplicate(&path.index(index), &Named(uid));
            }
        }
    }
}
