//! StorageClasses, VolumeAttributesClasses and CSINodes.

use rhumb_api::core::v1::TopologySelectorTerm;
use rhumb_api::storage::v1::{CSINode, StorageClass, VolumeAttributesClass};
use rhumb_meta::labels::format_labels;

use super::{cluster_heading, creation};
use crate::Lines;
use crate::go_text::list;
use crate::parts::{Events, events, truth_or_unset};

/// Annotations of the default class.
const DEFAULT_CLASS: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/// Describes a StorageClass.
pub fn storage_class(out: &mut Lines, class: &StorageClass, shown_events: Events<'_>) {
    let annotations = &class.metadata.annotations;
    let is_default =
        DEFAULT_CLASS.iter().any(|key| annotations.get(*key).is_some_and(|value| value == "true"));
    out.field(0, "Name", &class.metadata.name);
    out.field(0, "IsDefaultClass", if is_default { "Yes" } else { "No" });
    out.field(0, "Annotations", format_labels(annotations));
    out.field(0, "Provisioner", &class.provisioner);
    out.field(0, "Parameters", format_labels(&class.parameters));
    out.field(0, "AllowVolumeExpansion", truth_or_unset(class.allow_volume_expansion));
    if class.mount_options.is_empty() {
        out.field(0, "MountOptions", "<none>");
    } else {
        out.line(0, "MountOptions:");
    }
    for option in &class.mount_options {
        out.line(1, option);
    }
    if let Some(policy) = &class.reclaim_policy {
        out.field(0, "ReclaimPolicy", policy);
    }
    if let Some(mode) = &class.volume_binding_mode {
        out.field(0, "VolumeBindingMode", mode);
    }
    if !class.allowed_topologies.is_empty() {
        topologies(out, &class.allowed_topologies);
    }
    events(out, shown_events);
}

fn topologies(out: &mut Lines, terms: &[TopologySelectorTerm]) {
    out.field(0, "AllowedTopologies", "");
    for (index, term) in terms.iter().enumerate() {
        let requirements = term.match_label_expressions.iter();
        let texts =
            requirements.map(|requirement| requirement_text(&requirement.key, "in", &requirement.values));
        node_term(out, 1, index, texts);
    }
}

/// Writes node requirements, one per line.
pub(super) fn node_term(
    out: &mut Lines,
    level: usize,
    index: usize,
    requirements: impl Iterator<Item = String>,
) {
    let mut requirements = requirements.peekable();
    out.put(level, format_args!("Term {index}:\t"));
    if requirements.peek().is_none() {
        out.end("<none>");
    }
    for (index, requirement) in requirements.enumerate() {
        if index > 0 {
            out.put(level, "\t");
        }
        out.end(requirement);
    }
}

pub(super) fn requirement_text(key: &str, operator: &str, values: &[String]) -> String {
    match values {
        [] => format!("{key} {operator}"),
        values => format!("{key} {operator} [{}]", values.join(", ")),
    }
}

/// Describes a VolumeAttributesClass.
pub fn volume_attributes_class(out: &mut Lines, class: &VolumeAttributesClass, shown_events: Events<'_>) {
    out.field(0, "Name", &class.metadata.name);
    out.field(0, "Annotations", format_labels(&class.metadata.annotations));
    out.field(0, "DriverName", &class.driver_name);
    out.field(0, "Parameters", format_labels(&class.parameters));
    events(out, shown_events);
}

/// Describes the storage drivers of a node.
pub fn csi_node(out: &mut Lines, node: &CSINode, shown_events: Events<'_>) {
    cluster_heading(out, &node.metadata);
    creation(out, &node.metadata);
    out.line(0, "Spec:");
    if !node.spec.drivers.is_empty() {
        out.line(1, "Drivers:");
    }
    for driver in &node.spec.drivers {
        out.line(2, format_args!("{}:", driver.name));
        out.field(3, "Node ID", &driver.node_id);
        if let Some(count) = driver.allocatable.as_ref().and_then(|allocatable| allocatable.count) {
            out.line(3, "Allocatables:");
            out.field(4, "Count", count);
        }
        if !driver.topology_keys.is_empty() {
            out.field(3, "Topology Keys", list(&driver.topology_keys));
        }
    }
    events(out, shown_events);
}
