//! Containers: what all have in common, and what init containers and ephemeral ones may not have.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rhumb_api::core::v1::{
    Container, ContainerPort, ContainerResizePolicy, ContainerRestartRule, EphemeralContainerCommon, PodSpec,
    ResourceRequirements,
};
use rhumb_meta::validation::{is_valid_port_name, is_valid_port_num};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::env::{env, env_from};
use super::pod_options::PodOptions;
use super::probe::{lifecycle, once_probe, readiness_probe};
use super::resources::container_resources;
use super::security::security_context;
use super::volume_mount::{Volumes, devices, mounts};
use crate::meta::dns_label;

const MAX_RESTART_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;
const NOT_EPHEMERAL: &str = "cannot be set for an Ephemeral Container";
const RULES_WITHOUT_POLICY: &str = "must specify restartPolicy when restart rules are used";
const NOT_INIT: &str = "may not be set for init containers without restartPolicy=Always";

/// What the rules of containers know of their pod.
pub(super) struct Surroundings<'a> {
    /// The pod's spec.
    pub(super) spec: &'a PodSpec,
    /// Its volumes, without those that break a rule.
    pub(super) volumes: Volumes<'a>,
    /// The names of its resource claims.
    pub(super) claim_names: BTreeSet<&'a str>,
    /// What is allowed.
    pub(super) options: &'a PodOptions,
}

/// Returns all containers of a pod with their paths: first init containers, then the usual ones, then ephemeral ones.
pub(super) fn all_containers<'a>(
    spec: &'a PodSpec,
    path: &FieldPath,
) -> impl Iterator<Item = (Cow<'a, Container>, FieldPath)> + use<'a> {
    let below = |field: &str| {
        let list = path.child(field);
        move |index: usize| list.index(index)
    };
    let (init, usual, ephemeral) =
        (below("initContainers"), below("containers"), below("ephemeralContainers"));
    let init = spec.init_containers.iter().enumerate().map(move |(at, c)| (Cow::Borrowed(c), init(at)));
    let usual = spec.containers.iter().enumerate().map(move |(at, c)| (Cow::Borrowed(c), usual(at)));
    let ephemeral = spec
        .ephemeral_containers
        .iter()
        .enumerate()
        .map(move |(at, c)| (Cow::Owned(as_container(&c.ephemeral_container_common)), ephemeral(at)));
    init.chain(usual).chain(ephemeral)
}

/// An ephemeral container has the fields of any container.
pub(super) fn as_container(common: &EphemeralContainerCommon) -> Container {
    let common = common.clone();
    Container {
        name: common.name,
        image: common.image,
        command: common.command,
        args: common.args,
        working_dir: common.working_dir,
        ports: common.ports,
        env_from: common.env_from,
        env: common.env,
        resources: common.resources,
        resize_policy: common.resize_policy,
        restart_policy: common.restart_policy,
        restart_policy_rules: common.restart_policy_rules,
        volume_mounts: common.volume_mounts,
        volume_devices: common.volume_devices,
        liveness_probe: common.liveness_probe,
        readiness_probe: common.readiness_probe,
        startup_probe: common.startup_probe,
        lifecycle: common.lifecycle,
        termination_message_path: common.termination_message_path,
        termination_message_policy: common.termination_message_policy,
        image_pull_policy: common.image_pull_policy,
        security_context: common.security_context,
        stdin: common.stdin,
        stdin_once: common.stdin_once,
        tty: common.tty,
    }
}

/// The usual containers.
pub(super) fn containers(pod: &Surroundings, path: &FieldPath, errors: &mut FieldErrors) {
    if pod.spec.containers.is_empty() {
        return errors.required(path, "");
    }
    let mut names = BTreeSet::new();
    for (index, container) in pod.spec.containers.iter().enumerate().wanted() {
        let at = path.index(index);
        common(container, pod, &at, errors);
        if !names.insert(container.name.as_str()) {
            errors.duplicate(&at.child("name"), &container.name);
        }
        life(container, pod, &at, errors);
        restart_policy(container.restart_policy.as_deref(), &container.restart_policy_rules, &at, errors);
    }
    host_port_conflicts(&pod.spec.containers, path, errors);
}

/// The containers that run before the usual ones, some of which go on running beside them.
pub(super) fn init_containers(pod: &Surroundings, path: &FieldPath, errors: &mut FieldErrors) {
    let mut names: BTreeSet<&str> =
        pod.spec.containers.iter().map(|container| container.name.as_str()).collect();
    for (index, container) in pod.spec.init_containers.iter().enumerate().wanted() {
        let at = path.index(index);
        common(container, pod, &at, errors);
        match container.restart_policy.as_deref() {
            None if container.restart_policy_rules.is_empty() => {}
            None => errors.required(&at.child("restartPolicy"), RULES_WITHOUT_POLICY),
            policy => restart_policy(policy, &container.restart_policy_rules, &at, errors),
        }
        let restarts_always = container.restart_policy.as_deref() == Some("Always");
        if names.contains(container.name.as_str()) {
            errors.duplicate(&at.child("name"), &container.name);
        } else if !container.name.is_empty() {
            names.insert(&container.name);
        }
        host_port_conflicts(std::slice::from_ref(container), path, errors);
        if restarts_always {
            life(container, pod, &at, errors);
            continue;
        }
        for (is_set, field) in [
            (container.lifecycle.is_some(), "lifecycle"),
            (container.liveness_probe.is_some(), "livenessProbe"),
            (container.readiness_probe.is_some(), "readinessProbe"),
            (container.startup_probe.is_some(), "startupProbe"),
        ] {
            if is_set {
                errors.forbidden(&at.child(field), NOT_INIT);
            }
        }
        if pod.options.restart_on_resize_of_init_containers {
            continue;
        }
        for (position, policy) in container.resize_policy.iter().enumerate().wanted() {
            if policy.restart_policy == "RestartContainer" {
                let at = at.child("resizePolicy").index(position).child("restartPolicy");
                let detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
                errors.invalid(&at, &Named(&policy.restart_policy), detail);
            }
        }
    }
}

/// The containers that are added to a running pod.
pub(super) fn ephemeral_containers(pod: &Surroundings, path: &FieldPath, errors: &mut FieldErrors) {
    let others = pod.spec.containers.iter().chain(&pod.spec.init_containers);
    let others: BTreeSet<&str> = others.map(|container| container.name.as_str()).collect();
    let mut names = others.clone();
    for (index, ephemeral) in pod.spec.ephemeral_containers.iter().enumerate().wanted() {
        let at = path.index(index);
        let container = as_container(&ephemeral.ephemeral_container_common);
        common(&container, pod, &at, errors);
        only_for_pod(&container, &at, errors);
        if !names.insert(ephemeral.ephemeral_container_common.name.as_str()) {
            errors.duplicate(&at.child("name"), &container.name);
        }
        let target = &ephemeral.target_container_name;
        if !target.is_empty() && !others.contains(target.as_str()) {
            errors.not_found(&at.child("targetContainerName"), target);
        }
        for (is_set, field) in [
            (!container.ports.is_empty(), "ports"),
            (container.resources != ResourceRequirements::default(), "resources"),
            (!container.resize_policy.is_empty(), "resizePolicy"),
            (container.restart_policy.is_some(), "restartPolicy"),
            (!container.restart_policy_rules.is_empty(), "restartPolicyRules"),
            (container.liveness_probe.is_some(), "livenessProbe"),
            (container.readiness_probe.is_some(), "readinessProbe"),
            (container.startup_probe.is_some(), "startupProbe"),
            (container.lifecycle.is_some(), "lifecycle"),
        ] {
            if is_set {
                errors.forbidden(&at.child(field), NOT_EPHEMERAL);
            }
        }
        for (position, mount) in container.volume_mounts.iter().enumerate().wanted() {
            let at = at.child("volumeMounts").index(position);
            if !mount.sub_path.is_empty() {
                errors.forbidden(&at.child("subPath"), NOT_EPHEMERAL);
            }
            if !mount.sub_path_expr.is_empty() {
                errors.forbidden(&at.child("subPathExpr"), NOT_EPHEMERAL);
            }
        }
    }
}

/// What templates may leave to whoever makes pods of them.
pub(super) fn only_for_pod(container: &Container, path: &FieldPath, errors: &mut FieldErrors) {
    if container.image.trim() != container.image {
        let detail = "must not have leading or trailing whitespace";
        errors.invalid(&path.child("image"), &container.image, detail);
    }
}

fn common(container: &Container, pod: &Surroundings, path: &FieldPath, errors: &mut FieldErrors) {
    if container.name.is_empty() {
        errors.required(&path.child("name"), "");
    } else {
        dns_label(&container.name, &path.child("name"), errors);
    }
    if container.image.is_empty() {
        errors.required(&path.child("image"), "");
    }
    let at = path.child("terminationMessagePolicy");
    match container.termination_message_policy.as_str() {
        "File" | "FallbackToLogsOnError" => {}
        "" => errors.required(&at, ""),
        other => errors.not_supported(&at, &Named(other), &["File", "FallbackToLogsOnError"]),
    }
    ports(&container.ports, &path.child("ports"), errors);
    env(&container.env, &path.child("env"), errors);
    env_from(&container.env_from, &path.child("envFrom"), errors);
    mounts(container, &pod.volumes, &path.child("volumeMounts"), errors);
    devices(container, &pod.volumes, &path.child("volumeDevices"), errors);
    pull_policy(&container.image_pull_policy, &path.child("imagePullPolicy"), errors);
    let at = path.child("resources");
    container_resources(&container.resources, &pod.claim_names, &at, pod.options, errors);
    resize_policy(&container.resize_policy, &pod.spec.restart_policy, &path.child("resizePolicy"), errors);
    let host_users = pod.spec.host_users.unwrap_or(true);
    if let Some(context) = container.security_context.as_deref() {
        security_context(context, host_users, &path.child("securityContext"), errors);
    }
}

fn life(container: &Container, pod: &Surroundings, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(hooks) = &container.lifecycle {
        lifecycle(hooks, pod.spec, &path.child("lifecycle"), errors);
    }
    let grace = pod.spec.termination_grace_period_seconds;
    once_probe(container.liveness_probe.as_deref(), grace, &path.child("livenessProbe"), errors);
    readiness_probe(container.readiness_probe.as_deref(), grace, &path.child("readinessProbe"), errors);
    once_probe(container.startup_probe.as_deref(), grace, &path.child("startupProbe"), errors);
}

fn ports(ports: &[ContainerPort], path: &FieldPath, errors: &mut FieldErrors) {
    let mut names = BTreeSet::new();
    for (index, port) in ports.iter().enumerate().wanted() {
        let at = path.index(index);
        if !port.name.is_empty() {
            let found = is_valid_port_name(&port.name);
            if !found.is_empty() {
                errors.invalid_each(&at.child("name"), &port.name, found);
            } else if !names.insert(port.name.as_str()) {
                errors.duplicate(&at.child("name"), &port.name);
            }
        }
        if port.container_port == 0 {
            errors.required(&at.child("containerPort"), "");
        } else {
            let found = is_valid_port_num(i64::from(port.container_port));
            errors.invalid_each(&at.child("containerPort"), &port.container_port, found);
        }
        if port.host_port != 0 {
            let found = is_valid_port_num(i64::from(port.host_port));
            errors.invalid_each(&at.child("hostPort"), &port.host_port, found);
        }
        match port.protocol.as_str() {
            "TCP" | "UDP" | "SCTP" => {}
            "" => errors.required(&at.child("protocol"), ""),
            other => errors.not_supported(&at.child("protocol"), &Named(other), &["SCTP", "TCP", "UDP"]),
        }
    }
}

fn host_port_conflicts(containers: &[Container], path: &FieldPath, errors: &mut FieldErrors) {
    let mut taken = BTreeSet::new();
    for (index, container) in containers.iter().enumerate().wanted() {
        for (position, port) in container.ports.iter().enumerate().filter(|(_, port)| port.host_port != 0) {
            let key = format!("{}/{}/{}", port.protocol, port.host_ip, port.host_port);
            if taken.contains(&key) {
                let at = path.index(index).child("ports").index(position).child("hostPort");
                errors.duplicate(&at, &key);
            } else {
                taken.insert(key);
            }
        }
    }
}

/// When an image is pulled.
pub(super) fn pull_policy(policy: &str, path: &FieldPath, errors: &mut FieldErrors) {
    match policy {
        "Always" | "IfNotPresent" | "Never" => {}
        "" => errors.required(path, ""),
        other => errors.not_supported(path, &Named(other), &["Always", "IfNotPresent", "Never"]),
    }
}

fn resize_policy(
    policies: &[ContainerResizePolicy],
    restart: &str,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let mut seen = BTreeSet::new();
    for (index, policy) in policies.iter().enumerate().wanted() {
        if !seen.insert(policy.resource_name.as_str()) {
            errors.duplicate(&path.index(index), &Named(&policy.resource_name));
        }
        match policy.resource_name.as_str() {
            "cpu" | "memory" => {}
            "" => errors.required(path, ""),
            other => errors.not_supported(path, &Named(other), &["cpu", "memory"]),
        }
        match policy.restart_policy.as_str() {
            "NotRequired" | "RestartContainer" => {}
            "" => errors.required(path, ""),
            other => errors.not_supported(path, &Named(other), &["NotRequired", "RestartContainer"]),
        }
        if restart == "Never" && policy.restart_policy != "NotRequired" {
            let detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
            errors.invalid(path, &Named(&policy.restart_policy), detail);
        }
    }
}

fn restart_policy(
    policy: Option<&str>,
    rules: &[ContainerRestartRule],
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let at = path.child("restartPolicy");
    match policy {
        None if rules.is_empty() => return,
        None => errors.required(&at, RULES_WITHOUT_POLICY),
        Some("Always" | "Never" | "OnFailure") => {}
        Some(other) => errors.not_supported(&at, &Named(other), &["Always", "Never", "OnFailure"]),
    }
    let at = path.child("restartPolicyRules");
    if rules.len() > MAX_RESTART_RULES {
        errors.too_many(&at, rules.len(), MAX_RESTART_RULES);
    }
    for (index, rule) in rules.iter().enumerate().wanted() {
        let at = at.index(index);
        if !matches!(rule.action.as_str(), "Restart" | "RestartAllContainers") {
            let supported = ["Restart", "RestartAllContainers"];
            errors.not_supported(&at.child("action"), &Named(&rule.action), &supported);
        }
        let at = at.child("exitCodes");
        let Some(codes) = &rule.exit_codes else {
            errors.required(&at, "must be specified");
            continue;
        };
        if !matches!(codes.operator.as_str(), "In" | "NotIn") {
            errors.not_supported(&at.child("operator"), &Named(&codes.operator), &["In", "NotIn"]);
        }
        if codes.values.len() > MAX_EXIT_CODES {
            errors.too_many(&at.child("values"), codes.values.len(), MAX_EXIT_CODES);
        }
    }
}
