//! Validation of pod failure policies and success policies.

use std::collections::BTreeSet;

use rhumb_api::batch::v1::{
    JobSpec, PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyOnPodConditionsPattern, PodFailurePolicyRule, SuccessPolicy, SuccessPolicyRule,
};
use rhumb_scheme::validation::{BadValue, FieldErrors, FieldPath, Named, Shown, Wanted};

use super::indexes;
use crate::meta::{nonnegative, qualified_name};

const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: [&str; 2] = ["In", "NotIn"];
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];
const MAX_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;
const MAX_PATTERNS: usize = 20;
const MAX_INDEXES_TEXT: usize = 64 * 1024;

/// What failed pods mean.
pub(super) fn failure_policy(
    policy: &PodFailurePolicy,
    spec: &JobSpec,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let path = path.child("rules");
    if policy.rules.len() > MAX_RULES {
        errors.too_many(&path, policy.rules.len(), MAX_RULES);
    }
    let pod = &spec.template.spec;
    let containers = pod.containers.iter().chain(&pod.init_containers);
    let containers: BTreeSet<&str> = containers.map(|container| container.name.as_str()).collect();
    for (index, rule) in policy.rules.iter().enumerate().wanted() {
        failure_rule(rule, spec, &containers, &path.index(index), errors);
    }
}

fn failure_rule(
    rule: &PodFailurePolicyRule,
    spec: &JobSpec,
    containers: &BTreeSet<&str>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let at = path.child("action");
    match rule.action.as_str() {
        "FailIndex" if spec.backoff_limit_per_index.is_none() => {
            errors.invalid(&at, &Named("FailIndex"), "requires the backoffLimitPerIndex to be set");
        }
        action => one_of(action, &ACTIONS, &at, errors),
    }
    if let Some(requirement) = &rule.on_exit_codes {
        exit_codes(requirement, containers, &path.child("onExitCodes"), errors);
    }
    pod_conditions(&rule.on_pod_conditions, &path.child("onPodConditions"), errors);
    let omitted = Shown(String::new());
    match (rule.on_exit_codes.is_some(), !rule.on_pod_conditions.is_empty()) {
        (true, true) => {
            let detail = "specifying both OnExitCodes and OnPodConditions is not supported";
            errors.invalid(path, &omitted, detail);
        }
        (false, false) => {
            let detail = "specifying one of OnExitCodes and OnPodConditions is required";
            errors.invalid(path, &omitted, detail);
        }
        _ => {}
    }
}

/// A value that must be given and be one of a few.
fn one_of(value: &str, supported: &[&str], path: &FieldPath, errors: &mut FieldErrors) {
    if value.is_empty() {
        let values: Vec<String> = supported.iter().map(BadValue::shown).collect();
        errors.required(path, &format!("valid values: [{}]", values.join(" ")));
    } else if !supported.contains(&value) {
        errors.not_supported(path, &Named(value), supported);
    }
}

fn pod_conditions(
    patterns: &[PodFailurePolicyOnPodConditionsPattern],
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if patterns.len() > MAX_PATTERNS {
        errors.too_many(path, patterns.len(), MAX_PATTERNS);
    }
    for (index, pattern) in patterns.iter().enumerate().wanted() {
        let path = path.index(index);
        qualified_name(&pattern.type_, &path.child("type"), errors);
        one_of(&pattern.status, &STATUSES, &path.child("status"), errors);
    }
}

fn exit_codes(
    requirement: &PodFailurePolicyOnExitCodesRequirement,
    containers: &BTreeSet<&str>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    one_of(&requirement.operator, &OPERATORS, &path.child("operator"), errors);
    if let Some(name) = &requirement.container_name
        && !containers.contains(name.as_str())
    {
        let detail = "must be one of the container or initContainer names in the pod template";
        errors.invalid(&path.child("containerName"), name, detail);
    }
    let values = &requirement.values;
    let path = path.child("values");
    if values.is_empty() {
        errors.invalid(&path, &Shown("[]".to_owned()), "at least one value is required");
    } else if values.len() > MAX_EXIT_CODES {
        errors.too_many(&path, values.len(), MAX_EXIT_CODES);
    }
    let mut seen = BTreeSet::new();
    for (index, value) in values.iter().enumerate().wanted() {
        if requirement.operator == "In" && *value == 0 {
            errors.invalid(&path.index(index), value, "must not be 0 for the In operator");
        }
        if !seen.insert(*value) {
            errors.duplicate(&path.index(index), value);
        }
    }
    if !values.is_sorted() {
        errors.invalid(&path, values, "must be ordered");
    }
}

/// When an Indexed Job has succeeded early.
pub(super) fn success_policy(
    policy: &SuccessPolicy,
    completions: Option<i32>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let path = path.child("rules");
    if policy.rules.is_empty() {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        errors.required(&path, detail);
    }
    if policy.rules.len() > MAX_RULES {
        errors.too_many(&path, policy.rules.len(), MAX_RULES);
    }
    for (index, rule) in policy.rules.iter().enumerate().wanted() {
        success_rule(rule, completions.unwrap_or(0), &path.index(index), errors);
    }
}

fn success_rule(rule: &SuccessPolicyRule, completions: i32, path: &FieldPath, errors: &mut FieldErrors) {
    if rule.succeeded_count.is_none() && rule.succeeded_indexes.is_none() {
        errors.required(path, "at least one of succeededCount or succeededIndexes must be specified");
    }
    let mut named = None;
    if let Some(text) = &rule.succeeded_indexes {
        let path = path.child("succeededIndexes");
        if text.len() > MAX_INDEXES_TEXT {
            errors.too_long(&path, MAX_INDEXES_TEXT);
        }
        named = Some(indexes::count(text, completions).unwrap_or_else(|reason| {
            errors.invalid(&path, text, &format!("error parsing succeededIndexes: {reason}"));
            0
        }));
    }
    let Some(count) = rule.succeeded_count else { return };
    let path = path.child("succeededCount");
    nonnegative(count.into(), &path, errors);
    let mut bounded = |bound: i32, what: &str| {
        if count > bound {
            errors.invalid(&path, &count, &format!("must be less than or equal to {bound} ({what})"));
        }
    };
    bounded(completions, "the number of specified completions");
    if let Some(named) = named {
        bounded(named, "the number of indexes in the specified succeededIndexes field");
    }
}

/// Returns the policy in its internal form.
pub(super) fn shown_failure_policy(policy: &PodFailurePolicy) -> String {
    let rules = policy.rules.iter().map(|rule| {
        let exit_codes = rule.on_exit_codes.as_ref().map_or_else(
            || "null".to_owned(),
            |codes| {
                let (name, values) = (codes.container_name.shown(), codes.values.shown());
                let operator = Named(&codes.operator).shown();
                format!(r#"{{"ContainerName":{name},"Operator":{operator},"Values":{values}}}"#)
            },
        );
        let patterns = rule.on_pod_conditions.iter().map(|pattern| {
            let (type_, status) = (Named(&pattern.type_).shown(), Named(&pattern.status).shown());
            format!(r#"{{"Type":{type_},"Status":{status}}}"#)
        });
        let (action, patterns) = (Named(&rule.action).shown(), list(patterns));
        format!(r#"{{"Action":{action},"OnExitCodes":{exit_codes},"OnPodConditions":{patterns}}}"#)
    });
    format!(r#"{{"Rules":{}}}"#, list(rules))
}

/// Returns the policy in its internal form.
pub(super) fn shown_success_policy(policy: &SuccessPolicy) -> String {
    let rules = policy.rules.iter().map(|rule| {
        let (indexes, count) = (rule.succeeded_indexes.shown(), rule.succeeded_count.shown());
        format!(r#"{{"SucceededIndexes":{indexes},"SucceededCount":{count}}}"#)
    });
    format!(r#"{{"Rules":{}}}"#, list(rules))
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "null".to_owned() } else { format!("[{}]", items.join(",")) }
}
