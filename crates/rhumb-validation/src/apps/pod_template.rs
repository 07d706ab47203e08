//! Validation of what workloads share: a template, and a selector that must match it.

use rhumb_api::core::v1::PodTemplateSpec;
use rhumb_meta::labels::Selector;
use rhumb_meta::v1::LabelSelector;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named};

use crate::core::pod::{PodOptions, pod_template_spec};
use crate::meta::{LabelSelectorOptions, label_selector};

/// Returns the selector as one that labels can be matched against. One that is absent matches nothing.
pub(crate) fn compiled(selector: Option<&LabelSelector>) -> Option<Selector> {
    let Some(selector) = selector else { return Some(Selector::nothing()) };
    selector.to_selector().ok()
}

/// Reports whether the template's labels are what the selector asks for; none if the selector is not a valid one.
pub(crate) fn matches(selector: Option<&LabelSelector>, template: &PodTemplateSpec) -> Option<bool> {
    compiled(selector).map(|selector| selector.matches(&template.metadata.labels))
}

/// Validates a required selector, which must not be empty. Returns whether it is valid.
pub(super) fn selector(
    selector: Option<&LabelSelector>,
    kind: &str,
    path: &FieldPath,
    errors: &mut FieldErrors,
) -> bool {
    let Some(given) = selector else {
        errors.required(path, "");
        return true;
    };
    label_selector(given, LabelSelectorOptions::default(), path, errors);
    if given.match_labels.is_empty() && given.match_expressions.is_empty() {
        errors.invalid(path, given, &format!("empty selector is invalid for {kind}"));
    }
    compiled(selector).is_some()
}

/// The labels of a template must be what the selector asks for.
pub(super) fn matching_labels(
    selector: Option<&LabelSelector>,
    template: &PodTemplateSpec,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if matches(selector, template) == Some(false) {
        let path = path.child("metadata").child("labels");
        errors.invalid(&path, &template.metadata.labels, "`selector` does not match template `labels`");
    }
}

/// The template of pods. What it replaces had faults that are forgiven.
pub(crate) fn template(
    template: &PodTemplateSpec,
    old: Option<&PodTemplateSpec>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let options = old.map_or_else(PodOptions::default, PodOptions::of_template_update);
    pod_template_spec(template, path, &options, errors);
}

/// Pods that always restart, and never end by themselves.
pub(super) fn runs_forever(
    template: &PodTemplateSpec,
    kind: &str,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let path = path.child("spec");
    if template.spec.restart_policy != "Always" {
        let value = Named(&template.spec.restart_policy);
        errors.not_supported(&path.child("restartPolicy"), &value, &["Always"]);
    }
    if template.spec.active_deadline_seconds.is_some() {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.forbidden(&path.child("activeDeadlineSeconds"), &detail);
    }
}
