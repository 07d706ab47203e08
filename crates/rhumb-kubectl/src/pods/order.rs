//! Preference among several pods.

use std::cmp::Ordering;

use rhumb_api::core::v1::Pod;
use rhumb_meta::Time;

/// Returns the pods whose logs are most likely wanted first: those that run, are ready, and have been for long.
pub(crate) fn by_logging(left: &Pod, right: &Pod) -> Ordering {
    let unassigned = |pod: &Pod| pod.spec.node_name.is_empty();
    let phase = |pod: &Pod| match pod.status.phase.as_str() {
        "Unknown" => 1,
        "Pending" => 2,
        _ => 0,
    };
    unassigned(left)
        .cmp(&unassigned(right))
        .then_with(|| phase(left).cmp(&phase(right)))
        .then_with(|| is_ready(right).cmp(&is_ready(left)))
        .then_with(|| newer_last(ready_since(left), ready_since(right)))
        .then_with(|| restarts(right).cmp(&restarts(left)))
        .then_with(|| newer_last(created(left), created(right)))
}

/// Returns the pods that are most alive first.
pub(crate) fn most_active_first(left: &Pod, right: &Pod) -> Ordering {
    by_activity(left, right).reverse()
}

fn by_activity(left: &Pod, right: &Pod) -> Ordering {
    let assigned = |pod: &Pod| !pod.spec.node_name.is_empty();
    let phase = |pod: &Pod| match pod.status.phase.as_str() {
        "Unknown" => 1,
        "Running" => 2,
        _ => 0,
    };
    assigned(left)
        .cmp(&assigned(right))
        .then_with(|| phase(left).cmp(&phase(right)))
        .then_with(|| is_ready(left).cmp(&is_ready(right)))
        .then_with(|| is_deleting(right).cmp(&is_deleting(left)))
        .then_with(|| left.metadata.deletion_timestamp.cmp(&right.metadata.deletion_timestamp))
        .then_with(|| newer_last(ready_since(left), ready_since(right)).reverse())
        .then_with(|| restarts(right).cmp(&restarts(left)))
        .then_with(|| newer_last(created(left), created(right)).reverse())
}

/// Reports whether a pod takes requests.
pub(crate) fn is_ready(pod: &Pod) -> bool {
    pod.status.conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

fn is_deleting(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_some()
}

fn ready_since(pod: &Pod) -> Option<Time> {
    let ready = pod
        .status
        .conditions
        .iter()
        .find(|condition| condition.type_ == "Ready" && condition.status == "True");
    ready.map(|condition| condition.last_transition_time).filter(|time| !time.is_zero())
}

fn created(pod: &Pod) -> Option<Time> {
    Some(pod.metadata.creation_timestamp).filter(|time| !time.is_zero())
}

/// Compares times, earlier ones first; a missing time counts as the newest.
fn newer_last(left: Option<Time>, right: Option<Time>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => left.cmp(&right),
        (left, right) => left.is_none().cmp(&right.is_none()),
    }
}

/// Returns the maximum number of restarts of containers, and of sidecars.
fn restarts(pod: &Pod) -> (i32, i32) {
    let most = |statuses: &[rhumb_api::core::v1::ContainerStatus], counts: &dyn Fn(&str) -> bool| {
        let counted = statuses.iter().filter(|status| counts(&status.name));
        counted.map(|status| status.restart_count).max().unwrap_or_default()
    };
    let is_sidecar = |name: &str| {
        let mut initial = pod.spec.init_containers.iter();
        initial
            .any(|container| container.name == name && container.restart_policy.as_deref() == Some("Always"))
    };
    (most(&pod.status.container_statuses, &|_| true), most(&pod.status.init_container_statuses, &is_sidecar))
}
