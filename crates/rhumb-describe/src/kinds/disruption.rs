//! PodDisruptionBudgets and PriorityClasses.

use rhumb_api::policy::v1::PodDisruptionBudget;
use rhumb_api::scheduling::v1::PriorityClass;
use rhumb_meta::labels::format_labels;

use super::name_and_namespace;
use crate::Lines;
use crate::parts::{Events, events, selector_or_none};

/// Describes a PodDisruptionBudget.
pub fn pod_disruption_budget(out: &mut Lines, budget: &PodDisruptionBudget, shown_events: Events<'_>) {
    let PodDisruptionBudget { metadata, spec, status, .. } = budget;
    name_and_namespace(out, metadata);
    match (&spec.min_available, &spec.max_unavailable) {
        (Some(least), _) => out.field(0, "Min available", least),
        (None, Some(most)) => out.field(0, "Max unavailable", most),
        (None, None) => {}
    }
    match &spec.selector {
        Some(selector) => out.field(0, "Selector", selector_or_none(Some(selector))),
        None => out.field(0, "Selector", "<unset>"),
    }
    out.line(0, "Status:");
    out.field(2, "Allowed disruptions", status.disruptions_allowed);
    out.field(2, "Current", status.current_healthy);
    out.field(2, "Desired", status.desired_healthy);
    out.field(2, "Total", status.expected_pods);
    events(out, shown_events);
}

/// Describes a PriorityClass.
pub fn priority_class(out: &mut Lines, class: &PriorityClass, shown_events: Events<'_>) {
    out.field(0, "Name", &class.metadata.name);
    out.field(0, "Value", class.value);
    out.field(0, "GlobalDefault", class.global_default);
    out.field(0, "PreemptionPolicy", class.preemption_policy.as_deref().unwrap_or_default());
    out.field(0, "Description", &class.description);
    out.field(0, "Annotations", format_labels(&class.metadata.annotations));
    events(out, shown_events);
}
