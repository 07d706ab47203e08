//! Validation of PodDisruptionBudgets.

use rhumb_api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use rhumb_scheme::validation::{BadValue, Context, FieldErrors, FieldPath, Named, Rules, Shown};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{
    LabelSelectorOptions, all_nonnegative, at_most_100_percent, conditions, label_selector,
    nonnegative_int_or_percent,
};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(budget: &PodDisruptionBudget, _: &Context, errors: &mut FieldErrors) {
    spec(&budget.spec, LabelSelectorOptions::default(), errors);
}

fn update(new: &PodDisruptionBudget, old: &PodDisruptionBudget, _: &Context, errors: &mut FieldErrors) {
    // Any fault of the old selector makes values of the new one go unchecked.
    let mut faults = FieldErrors::default();
    if let Some(selector) = &old.spec.selector {
        label_selector(selector, LabelSelectorOptions::default(), &FieldPath::root(), &mut faults);
    }
    let options = LabelSelectorOptions {
        allow_invalid_label_value: !faults.is_empty(),
        ..LabelSelectorOptions::default()
    };
    spec(&new.spec, options, errors);
}

fn spec(spec: &PodDisruptionBudgetSpec, options: LabelSelectorOptions, errors: &mut FieldErrors) {
    let path = FieldPath::new("spec");
    if spec.min_available.is_some() && spec.max_unavailable.is_some() {
        let detail = "minAvailable and maxUnavailable cannot be both set";
        errors.invalid(&path, &Shown(shown(spec)), detail);
    }
    let bounds = [("minAvailable", &spec.min_available), ("maxUnavailable", &spec.max_unavailable)];
    for (name, bound) in bounds {
        if let Some(bound) = bound {
            let path = path.child(name);
            nonnegative_int_or_percent(bound, &path, errors);
            at_most_100_percent(bound, &path, errors);
        }
    }
    if let Some(selector) = &spec.selector {
        label_selector(selector, options, &path.child("selector"), errors);
    }
    let supported = ["AlwaysAllow", "IfHealthyBudget"];
    if let Some(policy) =
        spec.unhealthy_pod_eviction_policy.as_deref().filter(|policy| !supported.contains(policy))
    {
        errors.not_supported(&path.child("unhealthyPodEvictionPolicy"), &Named(policy), &supported);
    }
}

/// Returns the spec in its internal form.
fn shown(spec: &PodDisruptionBudgetSpec) -> String {
    format!(
        r#"{{"MinAvailable":{},"Selector":{},"MaxUnavailable":{},"UnhealthyPodEvictionPolicy":{}}}"#,
        spec.min_available.shown(),
        spec.selector.shown(),
        spec.max_unavailable.shown(),
        spec.unhealthy_pod_eviction_policy.shown()
    )
}

fn status(new: &PodDisruptionBudget, _: &PodDisruptionBudget, context: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("status");
    conditions(&new.status.conditions, &path.child("conditions"), errors);
    // The other rules came after v1beta1, and its clients were spared them.
    if context.request_version.version == "v1beta1" {
        return;
    }
    let numbers = [
        ("disruptionsAllowed", new.status.disruptions_allowed.into()),
        ("currentHealthy", new.status.current_healthy.into()),
        ("desiredHealthy", new.status.desired_healthy.into()),
        ("expectedPods", new.status.expected_pods.into()),
    ];
    all_nonnegative(&numbers, &path, errors);
}
