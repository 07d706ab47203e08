//! ReplicationControllers, ReplicaSets, StatefulSets, DaemonSets.

use rhumb_api::apps::v1::{DaemonSet, ReplicaSet, StatefulSet};
use rhumb_api::core::v1::{PersistentVolumeClaim, ReplicationController};
use rhumb_meta::labels::{Selector, format_labels};

use super::claim::class_of_claim;
use super::{PodCounts, creation, labels_and_annotations, name_and_namespace};
use crate::Lines;
use crate::go_text::list;
use crate::parts::{
    Events, brief_conditions, controller_text, events, indented_labels, pod_template, selector_or_none,
};

/// Describes a ReplicationController.
pub fn replication_controller(
    out: &mut Lines,
    controller: &ReplicationController,
    pods: PodCounts,
    shown_events: Events<'_>,
) {
    let ReplicationController { metadata, spec, status, .. } = controller;
    name_and_namespace(out, metadata);
    out.field(0, "Selector", format_labels(&spec.selector));
    labels_and_annotations(out, metadata);
    replicas(out, status.replicas, spec.replicas);
    out.field(0, "Pods Status", pods);
    pod_template(out, spec.template.as_deref());
    brief_conditions(out, status.conditions.iter().map(|c| (&c.type_, &c.status, &c.reason)));
    events(out, shown_events);
}

/// Describes a ReplicaSet; its pods, or why they can't be counted.
pub fn replica_set(
    out: &mut Lines,
    set: &ReplicaSet,
    pods: Result<PodCounts, String>,
    shown_events: Events<'_>,
) {
    let ReplicaSet { metadata, spec, status, .. } = set;
    name_and_namespace(out, metadata);
    out.field(0, "Selector", selector_or_none(spec.selector.as_deref()));
    labels_and_annotations(out, metadata);
    if let Some(controller) = controller_text(metadata) {
        out.field(0, "Controlled By", controller);
    }
    replicas(out, status.replicas, spec.replicas);
    match pods {
        Ok(pods) => out.field(0, "Pods Status", pods),
        Err(error) => out.field(0, "Pods Status", format_args!("error in fetching pods: {error}")),
    }
    pod_template(out, Some(&spec.template));
    brief_conditions(out, status.conditions.iter().map(|c| (&c.type_, &c.status, &c.reason)));
    events(out, shown_events);
}

fn replicas(out: &mut Lines, current: i32, desired: Option<i32>) {
    out.field(0, "Replicas", format_args!("{current} current / {} desired", desired.unwrap_or_default()));
}

/// Describes a DaemonSet, whose selector was read already.
pub fn daemon_set(
    out: &mut Lines,
    set: &DaemonSet,
    selector: &Selector,
    pods: PodCounts,
    shown_events: Events<'_>,
) {
    let DaemonSet { metadata, spec, status, .. } = set;
    name_and_namespace(out, metadata);
    out.field(0, "Selector", selector);
    out.field(0, "Node-Selector", format_labels(&spec.template.spec.node_selector));
    labels_and_annotations(out, metadata);
    for (title, number) in [
        ("Desired Number of Nodes Scheduled", status.desired_number_scheduled),
        ("Current Number of Nodes Scheduled", status.current_number_scheduled),
        ("Number of Nodes Scheduled with Up-to-date Pods", status.updated_number_scheduled),
        ("Number of Nodes Scheduled with Available Pods", status.number_available),
        ("Number of Nodes Misscheduled", status.number_misscheduled),
    ] {
        out.line(0, format_args!("{title}: {number}"));
    }
    out.field(0, "Pods Status", pods);
    pod_template(out, Some(&spec.template));
    events(out, shown_events);
}

/// Describes a StatefulSet, whose selector was read already.
pub fn stateful_set(
    out: &mut Lines,
    set: &StatefulSet,
    selector: &Selector,
    pods: PodCounts,
    shown_events: Events<'_>,
) {
    let StatefulSet { metadata, spec, status, .. } = set;
    name_and_namespace(out, metadata);
    creation(out, metadata);
    out.field(0, "Selector", selector);
    labels_and_annotations(out, metadata);
    let desired = spec.replicas.unwrap_or_default();
    out.field(0, "Replicas", format_args!("{desired} desired | {} total", status.replicas));
    out.field(0, "Update Strategy", &spec.update_strategy.type_);
    if let Some(update) = &spec.update_strategy.rolling_update
        && let Some(partition) = update.partition
    {
        out.field(1, "Partition", partition);
        if let Some(most) = &update.max_unavailable {
            out.field(1, "MaxUnavailable", most);
        }
    }
    out.field(0, "Pods Status", pods);
    pod_template(out, Some(&spec.template));
    claim_templates(out, &spec.volume_claim_templates);
    events(out, shown_events);
}

fn claim_templates(out: &mut Lines, templates: &[PersistentVolumeClaim]) {
    if templates.is_empty() {
        out.field(0, "Volume Claims", "<none>");
        return;
    }
    out.line(0, "Volume Claims:");
    for claim in templates {
        out.field(1, "Name", &claim.metadata.name);
        out.field(1, "StorageClass", class_of_claim(claim));
        indented_labels(out, "  ", "Labels", &claim.metadata.labels);
        indented_labels(out, "  ", "Annotations", &claim.metadata.annotations);
        match claim.spec.resources.requests.get("storage") {
            Some(capacity) => out.field(1, "Capacity", capacity),
            None => out.field(1, "Capacity", "<default>"),
        }
        out.field(1, "Access Modes", list(&claim.spec.access_modes));
    }
}
