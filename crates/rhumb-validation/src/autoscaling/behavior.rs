//! Validation of scaling behavior.

use rhumb_api::autoscaling::v2::{HPAScalingPolicy, HPAScalingRules, HorizontalPodAutoscalerBehavior};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use crate::meta::nonnegative_quantity;

const MAX_WINDOW: i32 = 3600;
const MAX_PERIOD: i32 = 1800;

/// Both directions.
pub(super) fn behavior(
    behavior: &HorizontalPodAutoscalerBehavior,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (name, given) in [("scaleUp", &behavior.scale_up), ("scaleDown", &behavior.scale_down)] {
        if let Some(given) = given {
            rules(given, &path.child(name), errors);
        }
    }
}

fn rules(rules: &HPAScalingRules, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("stabilizationWindowSeconds");
    match rules.stabilization_window_seconds {
        Some(seconds @ ..0) => errors.invalid(&at, &seconds, "must be greater than or equal to zero"),
        Some(seconds) if seconds > MAX_WINDOW => {
            errors.invalid(&at, &seconds, &format!("must be less than or equal to {MAX_WINDOW}"));
        }
        _ => {}
    }
    let supported = ["Disabled", "Max", "Min"];
    if let Some(policy) = rules.select_policy.as_deref().filter(|policy| !supported.contains(policy)) {
        errors.not_supported(&path.child("selectPolicy"), &Named(policy), &supported);
    }
    let policies = path.child("policies");
    if rules.policies.is_empty() {
        errors.required(&policies, "must specify at least one Policy");
    }
    for (index, given) in rules.policies.iter().enumerate().wanted() {
        policy(given, &policies.index(index), errors);
    }
    if let Some(tolerance) = &rules.tolerance {
        nonnegative_quantity(tolerance, &path.child("tolerance"), errors);
    }
}

fn policy(policy: &HPAScalingPolicy, path: &FieldPath, errors: &mut FieldErrors) {
    let supported = ["Percent", "Pods"];
    if !supported.contains(&policy.type_.as_str()) {
        errors.not_supported(&path.child("type"), &Named(&policy.type_), &supported);
    }
    if policy.value <= 0 {
        errors.invalid(&path.child("value"), &policy.value, "must be greater than zero");
    }
    let at = path.child("periodSeconds");
    if policy.period_seconds <= 0 {
        errors.invalid(&at, &policy.period_seconds, "must be greater than zero");
    }
    if policy.period_seconds > MAX_PERIOD {
        let detail = format!("must be less than or equal to {MAX_PERIOD}");
        errors.invalid(&at, &policy.period_seconds, &detail);
    }
}
