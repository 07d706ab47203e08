//! Defaults of pods and containers.

use rhumb_scheme::SchemeBuilder;

use super::super::{
    Container, ContainerStatus, EphemeralContainerCommon, HTTPGetAction, ObjectFieldSelector, Pod, PodSpec,
    PodStatus, Probe, ResourceRequirements,
};
use super::{aggregate, fill, image_name, round_up};

pub(super) fn register(builder: &mut SchemeBuilder) {
    builder
        .defaults(pod)
        .defaults(pod_spec)
        .defaults(container)
        .defaults(ephemeral_container)
        .defaults(probe)
        .defaults(http_get)
        .defaults(field_selector)
        .defaults(resources)
        .defaults(container_status)
        .defaults(pod_status);
}

/// What only a pod gets and not the template of one: here new defaults can be added without changing every
/// workload that exists.
fn pod(pod: &mut Pod) {
    let spec = &mut pod.spec;
    for container in spec.containers.iter_mut().chain(&mut spec.init_containers) {
        requests_from_limits(&mut container.resources);
    }
    aggregate::pod_limits(spec);
    aggregate::pod_requests(spec);
    spec.enable_service_links.get_or_insert(true);
    if spec.host_network {
        // In the host's network a port can't be another one outside.
        let containers = spec.containers.iter_mut().chain(&mut spec.init_containers);
        for port in containers.flat_map(|container| &mut container.ports) {
            if port.host_port == 0 {
                port.host_port = port.container_port;
            }
        }
    }
}

/// Who bounds a resource and asks for nothing asks for the bound.
fn requests_from_limits(resources: &mut ResourceRequirements) {
    for (name, limit) in &resources.limits {
        if !resources.requests.contains_key(name) {
            resources.requests.insert(name.clone(), limit.clone());
        }
    }
}

fn pod_spec(spec: &mut PodSpec) {
    fill(&mut spec.dns_policy, "ClusterFirst");
    fill(&mut spec.restart_policy, "Always");
    spec.security_context.get_or_insert_default();
    spec.termination_grace_period_seconds.get_or_insert(30);
    fill(&mut spec.scheduler_name, "default-scheduler");
    round_up(&mut spec.overhead);
}

fn container(container: &mut Container) {
    pull_policy(&container.image, &mut container.image_pull_policy);
    fill(&mut container.termination_message_path, TERMINATION_LOG);
    fill(&mut container.termination_message_policy, "File");
}

/// Ephemeral containers have the same defaults; only their type differs.
fn ephemeral_container(container: &mut EphemeralContainerCommon) {
    pull_policy(&container.image, &mut container.image_pull_policy);
    fill(&mut container.termination_message_path, TERMINATION_LOG);
    fill(&mut container.termination_message_policy, "File");
}

const TERMINATION_LOG: &str = "/dev/termination-log";

/// The latest image may be another one tomorrow, so it is pulled anew each time.
pub(super) fn pull_policy(image: &str, policy: &mut String) {
    if policy.is_empty() {
        let latest = image_name::is_latest(image);
        if latest { "Always" } else { "IfNotPresent" }.clone_into(policy);
    }
}

fn probe(probe: &mut Probe) {
    for (field, default) in [
        (&mut probe.timeout_seconds, 1),
        (&mut probe.period_seconds, 10),
        (&mut probe.success_threshold, 1),
        (&mut probe.failure_threshold, 3),
    ] {
        if *field == 0 {
            *field = default;
        }
    }
}

fn http_get(action: &mut HTTPGetAction) {
    fill(&mut action.path, "/");
    fill(&mut action.scheme, "HTTP");
}

fn field_selector(selector: &mut ObjectFieldSelector) {
    fill(&mut selector.api_version, "v1");
}

fn resources(resources: &mut ResourceRequirements) {
    round_up(&mut resources.limits);
    round_up(&mut resources.requests);
}

fn container_status(status: &mut ContainerStatus) {
    round_up(&mut status.allocated_resources);
}

fn pod_status(status: &mut PodStatus) {
    round_up(&mut status.allocated_resources);
}
