//! Validation of pod specs, in the order of errors.

use std::collections::{BTreeSet, HashMap};

use rhumb_api::core::v1::{HostAlias, PodDNSConfig, PodResourceClaim, PodSchedulingGate, PodSpec, Volume};
use rhumb_meta::ObjectMeta;
use rhumb_meta::validation::{NamePart, inclusive_range_error, name_is_dns_subdomain};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::affinity::affinity;
use super::container::{Surroundings, all_containers, containers, ephemeral_containers, init_containers};
use super::pod_annotations::MIRROR;
use super::pod_options::PodOptions;
use super::resources::{overhead, pod_resources};
use super::security::pod_security_context;
use super::spread::spread_constraints;
use super::toleration::tolerations;
use super::volume::volumes;
use super::windows::{host_process_pod, os};
use crate::internal_form::internal;
use crate::meta::{
    OldValues, dns_label, dns_subdomain, dns_subdomain_with_underscore, labels, legacy_ip, qualified_name,
};

const MAX_NAMESERVERS: usize = 3;
const MAX_SEARCHES: usize = 32;
const MAX_SEARCH_CHARACTERS: usize = 2048;
const MAX_HOSTNAME: usize = 64;
const NOT_IN_USER_NAMESPACE: &str = "when `hostUsers` is false";

/// The spec of a pod, or of a template if there is no metadata.
pub(super) fn pod_spec(
    spec: &PodSpec,
    metadata: Option<&ObjectMeta>,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    if spec.termination_grace_period_seconds.is_none() {
        errors.required(&path.child("terminationGracePeriodSeconds"), "");
    }
    let volumes = volumes(&spec.volumes, metadata, &path.child("volumes"), options, errors);
    let claims = spec.resource_claims.iter().map(|claim| claim.name.as_str());
    let claim_names = claims.filter(|name| !name.is_empty()).collect();
    resource_claims(&spec.resource_claims, metadata, &path.child("resourceClaims"), errors);
    let pod = Surroundings { spec, volumes, claim_names, options };
    containers(&pod, &path.child("containers"), errors);
    init_containers(&pod, &path.child("initContainers"), errors);
    ephemeral_containers(&pod, &path.child("ephemeralContainers"), errors);
    pod_resources(spec, &pod.claim_names, path, options, errors);
    host_network_ports(spec, path, options, errors);
    policy(&spec.restart_policy, &["Always", "OnFailure", "Never"], &path.child("restartPolicy"), errors);
    let dns_policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    policy(&spec.dns_policy, &dns_policies, &path.child("dnsPolicy"), errors);
    labels(&spec.node_selector, &path.child("nodeSelector"), errors);
    if let Some(context) = &spec.security_context {
        pod_security_context(context, spec, &path.child("securityContext"), options, errors);
    }
    if let Some(rules) = &spec.affinity {
        affinity(rules, options, &path.child("affinity"), errors);
    }
    dns_config(spec.dns_config.as_deref(), &spec.dns_policy, &path.child("dnsConfig"), errors);
    for (index, gate) in spec.readiness_gates.iter().enumerate().wanted() {
        let at = path.child("readinessGates").index(index).child("conditionType");
        qualified_name(&gate.condition_type, &at, errors);
    }
    scheduling_gates(&spec.scheduling_gates, &path.child("schedulingGates"), errors);
    let at = path.child("topologySpreadConstraints");
    spread_constraints(&spec.topology_spread_constraints, options, &at, errors);
    host_process_pod(spec, path, errors);
    user_namespace(spec, path, options, errors);
    hostname_override(spec, path, errors);
    names(spec, path, options, errors);
    os(spec, path, errors);
    if let Some(group) = &spec.scheduling_group {
        let at = path.child("schedulingGroup").child("podGroupName");
        match &group.pod_group_name {
            None => errors.invalid(&at, &group.pod_group_name, "must specify one of: `podGroupName`"),
            Some(name) => subdomain_name(name, &at, errors),
        }
    }
    file_key_volumes(spec, path, errors);
}

/// Short fields, most of them names of other objects.
fn names(spec: &PodSpec, path: &FieldPath, options: &PodOptions, errors: &mut FieldErrors) {
    if !spec.service_account_name.is_empty() {
        subdomain_name(&spec.service_account_name, &path.child("serviceAccountName"), errors);
    }
    if !spec.node_name.is_empty() {
        subdomain_name(&spec.node_name, &path.child("nodeName"), errors);
    }
    if let Some(seconds) = spec.active_deadline_seconds
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        let detail = inclusive_range_error(1, i64::from(i32::MAX));
        errors.invalid(&path.child("activeDeadlineSeconds"), &seconds, &detail);
    }
    if !spec.hostname.is_empty() {
        dns_label(&spec.hostname, &path.child("hostname"), errors);
    }
    if !spec.subdomain.is_empty() {
        dns_label(&spec.subdomain, &path.child("subdomain"), errors);
    }
    tolerations(&spec.tolerations, &path.child("tolerations"), options, errors);
    host_aliases(&spec.host_aliases, &path.child("hostAliases"), errors);
    if !spec.priority_class_name.is_empty() {
        subdomain_name(&spec.priority_class_name, &path.child("priorityClassName"), errors);
    }
    if let Some(name) = &spec.runtime_class_name {
        subdomain_name(name, &path.child("runtimeClassName"), errors);
    }
    if let Some(found) = &spec.preemption_policy {
        policy(found, &["PreemptLowerPriority", "Never"], &path.child("preemptionPolicy"), errors);
    }
    overhead(&spec.overhead, &path.child("overhead"), options, errors);
}

fn subdomain_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, name, name_is_dns_subdomain(name, NamePart::Whole));
}

fn policy(value: &str, supported: &[&str], path: &FieldPath, errors: &mut FieldErrors) {
    if value.is_empty() {
        errors.required(path, "");
    } else if !supported.contains(&value) {
        errors.not_supported(path, &Named(value), supported);
    }
}

fn resource_claims(
    claims: &[PodResourceClaim],
    metadata: Option<&ObjectMeta>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let is_mirror = metadata.is_some_and(|metadata| metadata.annotations.contains_key(MIRROR));
    let mut names = BTreeSet::new();
    for (index, claim) in claims.iter().enumerate().wanted() {
        if is_mirror {
            errors.forbidden(&FieldPath::new(""), "static pods do not support resource claims");
            continue;
        }
        let at = path.index(index);
        if claim.name.is_empty() {
            errors.required(&at.child("name"), "");
        } else if !names.insert(claim.name.as_str()) {
            errors.duplicate(&at.child("name"), &claim.name);
        } else {
            dns_label(&claim.name, &at.child("name"), errors);
        }
        match (&claim.resource_claim_name, &claim.resource_claim_template_name) {
            (Some(_), Some(_)) => {
                let detail =
                    "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
                errors.invalid(&at, &internal(claim), detail);
            }
            (None, None) => {
                let detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
                errors.invalid(&at, &internal(claim), detail);
            }
            _ => {}
        }
        if let Some(name) = &claim.resource_claim_name {
            subdomain_name(name, &at.child("resourceClaimName"), errors);
        }
        if let Some(name) = &claim.resource_claim_template_name {
            subdomain_name(name, &at.child("resourceClaimTemplateName"), errors);
        }
    }
}

/// In the host's network a port is the same inside and outside.
fn host_network_ports(spec: &PodSpec, path: &FieldPath, options: &PodOptions, errors: &mut FieldErrors) {
    if !spec.host_network {
        return;
    }
    for (index, container) in spec.containers.iter().enumerate().wanted() {
        for (position, port) in container.ports.iter().enumerate() {
            if (options.is_pod || port.host_port != 0) && port.host_port != port.container_port {
                let at =
                    path.child("containers").index(index).child("ports").index(position).child("hostPort");
                errors.invalid(&at, &port.host_port, "must match `containerPort` when `hostNetwork` is true");
            }
        }
    }
}

fn dns_config(config: Option<&PodDNSConfig>, policy: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let nameservers = path.child("nameservers");
    if policy == "None" {
        match config {
            None => return errors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None"),
            Some(config) if config.nameservers.is_empty() => {
                let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
                return errors.required(&nameservers, detail);
            }
            Some(_) => {}
        }
    }
    let Some(config) = config else { return };
    if config.nameservers.len() > MAX_NAMESERVERS {
        let detail = format!("must not have more than {MAX_NAMESERVERS} nameservers");
        errors.invalid(&nameservers, &config.nameservers, &detail);
    }
    for (index, nameserver) in config.nameservers.iter().enumerate().wanted() {
        legacy_ip(nameserver, &OldValues::default(), &nameservers.index(index), errors);
    }
    let searches = path.child("searches");
    if config.searches.len() > MAX_SEARCHES {
        let detail = format!("must not have more than {MAX_SEARCHES} search paths");
        errors.invalid(&searches, &config.searches, &detail);
    }
    if config.searches.join(" ").len() > MAX_SEARCH_CHARACTERS {
        let detail = format!(
            "must not have more than {MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list"
        );
        errors.invalid(&searches, &config.searches, &detail);
    }
    for (index, search) in config.searches.iter().enumerate().filter(|(_, search)| *search != ".") {
        let search = search.strip_suffix('.').unwrap_or(search);
        dns_subdomain_with_underscore(search, &searches.index(index), errors);
    }
    for (index, _) in config.options.iter().enumerate().filter(|(_, option)| option.name.is_empty()) {
        errors.required(&path.child("options").index(index), "must not be empty");
    }
}

fn scheduling_gates(gates: &[PodSchedulingGate], path: &FieldPath, errors: &mut FieldErrors) {
    let mut seen = BTreeSet::new();
    for (index, gate) in gates.iter().enumerate().wanted() {
        qualified_name(&gate.name, &path.index(index), errors);
        if !seen.insert(gate.name.as_str()) {
            errors.duplicate(&path.index(index), &gate.name);
        }
    }
}

fn user_namespace(spec: &PodSpec, path: &FieldPath, options: &PodOptions, errors: &mut FieldErrors) {
    if spec.host_users.unwrap_or(true) {
        return;
    }
    if spec.host_network && !options.host_network_in_user_namespace {
        errors.forbidden(&path.child("hostNetwork"), NOT_IN_USER_NAMESPACE);
    }
    if spec.host_pid {
        errors.forbidden(&path.child("HostPID"), NOT_IN_USER_NAMESPACE);
    }
    if spec.host_ipc {
        errors.forbidden(&path.child("HostIPC"), NOT_IN_USER_NAMESPACE);
    }
    if !options.devices_in_user_namespace {
        for (container, at) in all_containers(spec, path) {
            if !container.volume_devices.is_empty() {
                errors.forbidden(&at.child("volumeDevices"), NOT_IN_USER_NAMESPACE);
            }
        }
    }
}

fn hostname_override(spec: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let Some(name) = &spec.hostname_override else { return };
    let path = path.child("hostnameOverride");
    if spec.set_hostname_as_fqdn == Some(true) {
        errors.forbidden(&path, "may not be specified when setHostnameAsFQDN is true");
    }
    if spec.host_network {
        errors.forbidden(&path, "may not be specified when hostNetwork is true");
    }
    if name.len() > MAX_HOSTNAME {
        errors.too_long(&path, MAX_HOSTNAME);
    }
    dns_subdomain(name, &path, errors);
}

fn host_aliases(aliases: &[HostAlias], path: &FieldPath, errors: &mut FieldErrors) {
    for (index, alias) in aliases.iter().enumerate().wanted() {
        let at = path.index(index);
        legacy_ip(&alias.ip, &OldValues::default(), &at.child("ip"), errors);
        for (position, hostname) in alias.hostnames.iter().enumerate().wanted() {
            dns_subdomain(hostname, &at.child("hostnames").index(position), errors);
        }
    }
}

/// Variables can be read from files of volumes that start out empty.
fn file_key_volumes(spec: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let mut volumes: Option<HashMap<&str, &Volume>> = None;
    for (container, at) in all_containers(spec, path).wanted() {
        for (index, variable) in container.env.iter().enumerate().wanted() {
            let source = variable.value_from.as_deref();
            let Some(file) = source.and_then(|source| source.file_key_ref.as_deref()) else { continue };
            let at = at.child("env").index(index).child("valueFrom").child("fileKeyRef").child("volumeName");
            // Of several with a name the last counts.
            let volumes = volumes.get_or_insert_with(|| {
                spec.volumes.iter().map(|volume| (volume.name.as_str(), volume)).collect()
            });
            match volumes.get(file.volume_name.as_str()) {
                None => errors.not_found(&at, &file.volume_name),
                Some(volume) if volume.volume_source.empty_dir.is_none() => {
                    errors.invalid(&at, &file.volume_name, "referenced volume must be of type emptyDir");
                }
                Some(_) => {}
            }
        }
    }
}
