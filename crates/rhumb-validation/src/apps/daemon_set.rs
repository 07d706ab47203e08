//! Validation of DaemonSets. That the number of the template goes up with each change of it is not checked, because
//! a server sets the number itself.

use rhumb_api::apps::v1::{
    DaemonSet, DaemonSetSpec, DaemonSetStatus, DaemonSetUpdateStrategy, RollingUpdateDaemonSet,
};
use rhumb_api::core::v1::PodTemplateSpec;
use rhumb_meta::IntOrString;
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Shown};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::pod_template::{matching_labels, runs_forever, template};
use super::{collision_count, shown_bounds, shown_strategy};
use crate::meta::{
    LabelSelectorOptions, Scope, all_nonnegative, at_most_100_percent, immutable_field, int_or_percent_value,
    label_selector, nonnegative_int_or_percent, object_meta, object_meta_update,
};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(set: &DaemonSet, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&set.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    spec(&set.spec, None, LabelSelectorOptions::default(), errors);
}

fn update(new: &DaemonSet, old: &DaemonSet, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec").child("selector");
    immutable_field(&new.spec.selector, &old.spec.selector, &path, errors);
    let allow_invalid_label_value =
        old.spec.selector.as_deref().is_some_and(crate::meta::has_invalid_label_value);
    let options = LabelSelectorOptions { allow_invalid_label_value, ..LabelSelectorOptions::default() };
    spec(&new.spec, Some(&old.spec.template), options, errors);
}

fn spec(
    spec: &DaemonSetSpec,
    old_template: Option<&PodTemplateSpec>,
    options: LabelSelectorOptions,
    errors: &mut FieldErrors,
) {
    let path = FieldPath::new("spec");
    let at = path.child("selector");
    let selector = spec.selector.as_deref();
    if let Some(selector) = selector {
        label_selector(selector, options, &at, errors);
    }
    let template_path = path.child("template");
    matching_labels(selector, &spec.template, &template_path, errors);
    if let Some(selector) =
        selector.filter(|given| given.match_labels.is_empty() && given.match_expressions.is_empty())
    {
        errors.invalid(&at, selector, "empty selector is invalid for daemonset");
    }
    template(&spec.template, old_template, &template_path, errors);
    runs_forever(&spec.template, "DaemonSet", &template_path, errors);
    all_nonnegative(&[("minReadySeconds", spec.min_ready_seconds.into())], &path, errors);
    update_strategy(&spec.update_strategy, &path.child("updateStrategy"), errors);
    let limit = spec.revision_history_limit.unwrap_or(0);
    all_nonnegative(&[("revisionHistoryLimit", limit.into())], &path, errors);
}

fn update_strategy(strategy: &DaemonSetUpdateStrategy, path: &FieldPath, errors: &mut FieldErrors) {
    match (strategy.type_.as_str(), &strategy.rolling_update) {
        ("OnDelete", _) => {}
        ("RollingUpdate", None) => errors.required(&path.child("rollingUpdate"), ""),
        ("RollingUpdate", Some(update)) => rolling_update(update, &path.child("rollingUpdate"), errors),
        (other, update) => {
            let bounds = update
                .as_ref()
                .map(|update| shown_bounds(update.max_unavailable.as_ref(), update.max_surge.as_ref()));
            let shown = Shown(shown_strategy(other, bounds));
            errors.not_supported(path, &shown, &["RollingUpdate", "OnDelete"]);
        }
    }
}

fn rolling_update(update: &RollingUpdateDaemonSet, path: &FieldPath, errors: &mut FieldErrors) {
    let none = IntOrString::Int(0);
    let max_unavailable = update.max_unavailable.as_ref().unwrap_or(&none);
    let max_surge = update.max_surge.as_ref().unwrap_or(&none);
    let bounds = [(max_unavailable, path.child("maxUnavailable")), (max_surge, path.child("maxSurge"))];
    for (bound, path) in &bounds {
        nonnegative_int_or_percent(bound, path, errors);
    }
    for (bound, path) in &bounds {
        at_most_100_percent(bound, path, errors);
    }
    // Either the old pod goes first or the new one comes first.
    match (int_or_percent_value(max_unavailable) != 0, int_or_percent_value(max_surge) != 0) {
        (true, true) => {
            let detail = "may not be set when maxUnavailable is non-zero";
            errors.invalid(&path.child("maxSurge"), max_surge, detail);
        }
        (false, false) => errors.required(&path.child("maxUnavailable"), "cannot be 0 when maxSurge is 0"),
        _ => {}
    }
}

fn status(new: &DaemonSet, old: &DaemonSet, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let DaemonSetStatus {
        current_number_scheduled,
        number_misscheduled,
        desired_number_scheduled,
        number_ready,
        observed_generation,
        updated_number_scheduled,
        number_available,
        number_unavailable,
        collision_count: collisions,
        ..
    } = new.status;
    let numbers = [
        ("currentNumberScheduled", current_number_scheduled.into()),
        ("numberMisscheduled", number_misscheduled.into()),
        ("desiredNumberScheduled", desired_number_scheduled.into()),
        ("numberReady", number_ready.into()),
        ("observedGeneration", observed_generation),
        ("updatedNumberScheduled", updated_number_scheduled.into()),
        ("numberAvailable", number_available.into()),
        ("numberUnavailable", number_unavailable.into()),
        ("collisionCount", collisions.unwrap_or(0).into()),
    ];
    all_nonnegative(&numbers, &FieldPath::new("status"), errors);
    collision_count(collisions, old.status.collision_count, errors);
}
