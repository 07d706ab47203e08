//! Pods.

use rhumb_api::core::v1::{Container, EphemeralContainerCommon, Pod};

use super::{labels_and_annotations, name_and_namespace};
use crate::Lines;
use crate::parts::{
    Events, containers, controller_text, events, labels, qos_class, requirements, resolve_for,
    scheduling_group, spread_constraints, tolerations,
};
use crate::volumes::volumes;

/// Describes a pod.
pub fn pod(out: &mut Lines, pod: &Pod, shown_events: Events<'_>) {
    placement(out, pod);
    labels_and_annotations(out, &pod.metadata);
    state(out, pod);
    if let Some(resources) = &pod.spec.resources {
        out.line(0, "Resources:");
        requirements(out, 1, resources);
    }
    all_containers(out, pod);
    conditions(out, pod);
    volumes(out, "", &pod.spec.volumes);
    out.field(0, "QoS Class", qos_class(pod));
    labels(out, "Node-Selectors", &pod.spec.node_selector);
    tolerations(out, "Tolerations", &pod.spec.tolerations);
    spread_constraints(out, "", &pod.spec.topology_spread_constraints);
    if let Some(group) = &pod.spec.scheduling_group {
        scheduling_group(out, "", group);
    }
    events(out, shown_events);
}

fn placement(out: &mut Lines, pod: &Pod) {
    let Pod { metadata, spec, status, .. } = pod;
    name_and_namespace(out, metadata);
    if let Some(priority) = spec.priority {
        out.field(0, "Priority", priority);
    }
    for (title, name) in [
        ("Priority Class Name", spec.priority_class_name.as_str()),
        ("Runtime Class Name", spec.runtime_class_name.as_deref().unwrap_or_default()),
        ("Service Account", &spec.service_account_name),
    ] {
        if !name.is_empty() {
            out.field(0, title, name);
        }
    }
    match spec.node_name.as_str() {
        "" => out.field(0, "Node", "<none>"),
        node => out.field(0, "Node", format_args!("{node}/{}", status.host_ip)),
    }
    if let Some(time) = &status.start_time {
        let date = out.date(time);
        out.field(0, "Start Time", date);
    }
}

fn state(out: &mut Lines, pod: &Pod) {
    let Pod { metadata, spec, status, .. } = pod;
    let has_ended = ["Failed", "Succeeded"].contains(&status.phase.as_str());
    match metadata.deletion_timestamp.as_ref().filter(|_| !has_ended) {
        Some(time) => {
            let age = out.age(time);
            out.field(0, "Status", format_args!("Terminating (lasts {age})"));
            let grace = metadata.deletion_grace_period_seconds.unwrap_or_default();
            out.field(0, "Termination Grace Period", format_args!("{grace}s"));
        }
        None => out.field(0, "Status", &status.phase),
    }
    for (title, text) in [("Reason", &status.reason), ("Message", &status.message)] {
        if !text.is_empty() {
            out.field(0, title, text);
        }
    }
    let profile = spec.security_context.as_ref().and_then(|context| context.seccomp_profile.as_ref());
    if let Some(profile) = profile {
        out.field(0, "SeccompProfile", &profile.type_);
        if profile.type_ == "Localhost" {
            out.field(0, "LocalhostProfile", profile.localhost_profile.as_deref().unwrap_or_default());
        }
    }
    out.field(0, "IP", &status.pod_ip);
    if status.pod_ips.is_empty() {
        out.field(0, "IPs", "<none>");
    } else {
        out.line(0, "IPs:");
        for address in &status.pod_ips {
            out.field(1, "IP", &address.ip);
        }
    }
    if let Some(controller) = controller_text(metadata) {
        out.field(0, "Controlled By", controller);
    }
    if !status.nominated_node_name.is_empty() {
        out.field(0, "NominatedNodeName", &status.nominated_node_name);
    }
}

fn all_containers(out: &mut Lines, pod: &Pod) {
    let Pod { spec, status, .. } = pod;
    let resolve = resolve_for(pod);
    if !spec.init_containers.is_empty() {
        let (init, statuses) = (&spec.init_containers, &status.init_container_statuses);
        containers(out, "", "Init Containers", init, statuses, Some(&resolve));
    }
    containers(out, "", "Containers", &spec.containers, &status.container_statuses, Some(&resolve));
    if !spec.ephemeral_containers.is_empty() {
        let ephemeral: Vec<Container> = spec
            .ephemeral_containers
            .iter()
            .map(|container| plain(&container.ephemeral_container_common))
            .collect();
        let statuses = &status.ephemeral_container_statuses;
        containers(out, "", "Ephemeral Containers", &ephemeral, statuses, Some(&resolve));
    }
}

/// Returns an ephemeral container's common fields.
fn plain(container: &EphemeralContainerCommon) -> Container {
    let container = container.clone();
    Container {
        name: container.name,
        image: container.image,
        command: container.command,
        args: container.args,
        ports: container.ports,
        env_from: container.env_from,
        env: container.env,
        resources: container.resources,
        volume_mounts: container.volume_mounts,
        volume_devices: container.volume_devices,
        liveness_probe: container.liveness_probe,
        readiness_probe: container.readiness_probe,
        startup_probe: container.startup_probe,
        security_context: container.security_context,
        ..Container::default()
    }
}

fn conditions(out: &mut Lines, pod: &Pod) {
    let conditions = &pod.status.conditions;
    if !pod.spec.readiness_gates.is_empty() {
        out.line(0, "Readiness Gates:");
        out.row(1, &[&"Type", &"Status"]);
        for gate in &pod.spec.readiness_gates {
            let condition = conditions.iter().find(|condition| condition.type_ == gate.condition_type);
            let status = condition.map_or("<none>", |condition| &condition.status);
            out.line(1, format_args!("{} \t{status} ", gate.condition_type));
        }
    }
    if !conditions.is_empty() {
        out.line(0, "Conditions:");
        out.row(1, &[&"Type", &"Status"]);
        for condition in conditions {
            out.line(1, format_args!("{} \t{} ", condition.type_, condition.status));
        }
    }
}
