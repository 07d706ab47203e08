//! Pod templates.

use rhumb_api::core::v1::PodTemplateSpec;

use super::{annotations, containers, labels, scheduling_group, spread_constraints, tolerations};
use crate::Lines;
use crate::volumes::volumes;

/// Writes a pod template.
pub fn pod_template(out: &mut Lines, template: Option<&PodTemplateSpec>) {
    const SPACE: &str = "  ";
    out.line(0, "Pod Template:");
    let Some(PodTemplateSpec { metadata, spec }) = template else {
        out.put(1, "<unset>");
        return;
    };
    labels(out, "  Labels", &metadata.labels);
    if !metadata.annotations.is_empty() {
        annotations(out, "  Annotations", &metadata.annotations);
    }
    if !spec.service_account_name.is_empty() {
        out.field(1, "Service Account", &spec.service_account_name);
    }
    if !spec.init_containers.is_empty() {
        containers(out, SPACE, "Init Containers", &spec.init_containers, &[], None);
    }
    containers(out, SPACE, "Containers", &spec.containers, &[], None);
    volumes(out, SPACE, &spec.volumes);
    spread_constraints(out, SPACE, &spec.topology_spread_constraints);
    if !spec.priority_class_name.is_empty() {
        out.field(1, "Priority Class Name", &spec.priority_class_name);
    }
    labels(out, "  Node-Selectors", &spec.node_selector);
    tolerations(out, "  Tolerations", &spec.tolerations);
    if let Some(group) = &spec.scheduling_group {
        scheduling_group(out, SPACE, group);
    }
}
