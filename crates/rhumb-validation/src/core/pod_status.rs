//! Validation of pod statuses.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rhumb_api::core::v1::{
    Container, ContainerRestartRule, ContainerStatus, Pod, PodCondition, PodExtendedResourceClaimStatus,
    PodResourceClaim, PodResourceClaimStatus, PodSpec, PodStatus, ResourceStatus,
};
use rhumb_meta::validation::ip::parse_ip_sloppy;
use rhumb_meta::validation::{NamePart, is_valid_group_id, is_valid_user_id, name_is_dns_subdomain};
use rhumb_scheme::validation::{BadValue, Context, FieldErrors, FieldPath, Named, Wanted};

use super::pod_annotations::pod_annotations_update;
use super::pod_options::PodOptions;
use super::resources::is_native_resource;
use crate::internal_form::internal;
use crate::meta::{OldValues, dns_label, legacy_ip, object_meta_update, qualified_name};

const NO_REVIVAL: &str = "may not be transitioned to non-terminated state";
const MAX_HEALTH_MESSAGE: usize = 1024;

pub(super) fn update(new: &Pod, old: &Pod, _: &Context, errors: &mut FieldErrors) {
    let options = PodOptions::of_pod_update(&old.metadata, &old.spec);
    let (metadata, path) = (FieldPath::new("metadata"), FieldPath::new("status"));
    object_meta_update(&new.metadata, &old.metadata, &metadata, errors);
    let at = metadata.child("annotations");
    let (after, before) = (&new.metadata.annotations, &old.metadata.annotations);
    pod_annotations_update(after, before, &new.spec, &at, &options, errors);
    let (status, before) = (&new.status, &old.status);
    conditions(&status.conditions, &path.child("conditions"), errors);
    if new.spec.node_name != old.spec.node_name {
        errors.forbidden(&path.child("nodeName"), "may not be changed directly");
    }
    nominated_node(new, old, &path.child("nominatedNodeName"), errors);
    if status.observed_generation < 0 {
        let at = path.child("observedGeneration");
        errors.invalid(&at, &status.observed_generation, "must be a non-negative integer");
    }
    if status.qos_class != before.qos_class {
        errors.invalid(&path.child("qosClass"), &Named(&status.qos_class), "field is immutable");
    }
    transitions(status, before, &old.spec, &path, errors);
    let at = path.child("resourceClaimStatuses");
    claim_statuses(&status.resource_claim_statuses, &new.spec.resource_claims, &at, errors);
    if let Some(claim) = &status.extended_resource_claim_status {
        extended_resource_claim(claim, &new.spec, &path.child("extendedResourceClaimStatus"), errors);
    }
    node_allocatable_claims(new, &path.child("nodeAllocatableResourceClaimStatuses"), errors);
    addresses(status, before, &path, errors);
    let of_windows = new.spec.os.as_deref().is_some_and(|os| os.name == "windows");
    let lists = [
        (&status.container_statuses, "containerStatuses"),
        (&status.init_container_statuses, "initContainerStatuses"),
        (&status.ephemeral_container_statuses, "ephemeralContainerStatuses"),
    ];
    for (statuses, field) in lists {
        users(statuses, of_windows, &path.child(field), errors);
    }
    allocated(&status.container_statuses, &new.spec.containers, &path.child("containerStatuses"), errors);
    let at = path.child("initContainerStatuses");
    allocated(&status.init_container_statuses, &new.spec.init_containers, &at, errors);
    for (index, container) in status.ephemeral_container_statuses.iter().enumerate().wanted() {
        if !container.allocated_resources_status.is_empty() {
            let at = path.child("ephemeralContainerStatuses").index(index).child("allocatedResourcesStatus");
            errors.forbidden(&at, "must not be specified in container status");
        }
    }
}

fn conditions(conditions: &[PodCondition], path: &FieldPath, errors: &mut FieldErrors) {
    for (index, condition) in conditions.iter().enumerate().wanted() {
        let at = path.index(index);
        if condition.observed_generation < 0 {
            let detail = "must be a non-negative integer";
            errors.invalid(&at.child("observedGeneration"), &condition.observed_generation, detail);
        }
        if !matches!(condition.type_.as_str(), "PodScheduled" | "Ready" | "Initialized") {
            qualified_name(&condition.type_, &at.child("Type"), errors);
        }
    }
}

fn nominated_node(new: &Pod, old: &Pod, path: &FieldPath, errors: &mut FieldErrors) {
    let name = &new.status.nominated_node_name;
    if *name == old.status.nominated_node_name || name.is_empty() {
        return;
    }
    errors.invalid_each(path, name, name_is_dns_subdomain(name, NamePart::Whole));
    if !old.spec.node_name.is_empty() {
        errors.forbidden(path, "may not be set on pods that are already bound to a node");
    }
}

/// A container that has ended stays so, unless its policy lets it start again.
fn transitions(new: &PodStatus, old: &PodStatus, spec: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let containers = spec.init_containers.iter().chain(&spec.containers);
    let mut rules = containers.flat_map(|container| &container.restart_policy_rules);
    if !rules.any(|rule| rule.action == "RestartAllContainers") {
        for (after, before, containers, field) in [
            (&new.container_statuses, &old.container_statuses, &spec.containers, "containerStatuses"),
            (
                &new.init_container_statuses,
                &old.init_container_statuses,
                &spec.init_containers,
                "initContainerStatuses",
            ),
        ] {
            let containers = by_name(containers);
            let running = after.iter().filter(|status| status.state.terminated.is_none());
            let running: HashSet<&str> = running.map(|status| status.name.as_str()).collect();
            for (index, before) in before.iter().enumerate().wanted() {
                let Some(end) = &before.state.terminated else { continue };
                let container = containers.get(before.name.as_str());
                let may_restart = || container.is_some_and(|c| should_restart(c, spec, end.exit_code));
                if running.contains(before.name.as_str()) && !may_restart() {
                    errors.forbidden(&path.child(field).index(index).child("state"), NO_REVIVAL);
                }
            }
        }
    }
    let mut running: HashMap<&str, usize> = HashMap::new();
    for status in new.ephemeral_container_statuses.iter().filter(|status| status.state.terminated.is_none()) {
        *running.entry(status.name.as_str()).or_default() += 1;
    }
    for (index, before) in old.ephemeral_container_statuses.iter().enumerate().wanted() {
        if before.state.terminated.is_none() {
            continue;
        }
        for _ in 0..running.get(before.name.as_str()).copied().unwrap_or_default() {
            if errors.is_full() {
                break;
            }
            let at = path.child("ephemeralContainerStatuses").index(index).child("state");
            errors.forbidden(&at, NO_REVIVAL);
        }
    }
}

/// Containers by name; of several with one the first.
fn by_name(containers: &[Container]) -> HashMap<&str, &Container> {
    containers.iter().rev().map(|container| (container.name.as_str(), container)).collect()
}

fn should_restart(container: &Container, spec: &PodSpec, code: i32) -> bool {
    let matches_code = |rule: &&ContainerRestartRule| {
        rule.exit_codes.as_deref().is_some_and(|codes| match codes.operator.as_str() {
            "In" => codes.values.contains(&code),
            "NotIn" => !codes.values.contains(&code),
            _ => false,
        })
    };
    let by_policy = |policy: &str| match policy {
        "Always" => Some(true),
        "OnFailure" => Some(code != 0),
        "Never" => Some(false),
        _ => None,
    };
    let own = container.restart_policy.as_deref();
    if own.is_some()
        && let Some(rule) = container.restart_policy_rules.iter().find(matches_code)
        && matches!(rule.action.as_str(), "Restart" | "RestartAllContainers")
    {
        return true;
    }
    own.and_then(by_policy).or_else(|| by_policy(&spec.restart_policy)).unwrap_or(true)
}

fn claim_statuses(
    statuses: &[PodResourceClaimStatus],
    claims: &[PodResourceClaim],
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let claims: HashSet<&str> = claims.iter().map(|claim| claim.name.as_str()).collect();
    let mut names = BTreeSet::new();
    for (index, status) in statuses.iter().enumerate().wanted() {
        let at = path.index(index);
        if !claims.contains(status.name.as_str()) {
            let detail = "must match the name of an entry in `spec.resourceClaims`";
            errors.invalid(&at.child("name"), &status.name, detail);
        }
        if !names.insert(status.name.as_str()) {
            errors.duplicate(&at.child("name"), &status.name);
        }
        if let Some(name) = &status.resource_claim_name {
            let found = name_is_dns_subdomain(name, NamePart::Whole);
            errors.invalid_each(&at.child("resourceClaimName"), &Named(name), found);
        }
    }
}

fn extended_resource_claim(
    status: &PodExtendedResourceClaimStatus,
    spec: &PodSpec,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let containers = spec.init_containers.iter().chain(&spec.containers);
    let containers: BTreeMap<&str, &Container> = containers.map(|c| (c.name.as_str(), c)).collect();
    let mappings = path.child("requestMappings");
    if status.request_mappings.is_empty() {
        errors.required(&mappings, "at least one request mapping is required");
    }
    let mut seen = BTreeSet::new();
    for (index, mapping) in status.request_mappings.iter().enumerate().wanted() {
        let at = mappings.index(index);
        match containers.get(mapping.container_name.as_str()) {
            None => {
                let detail =
                    "must match the name of an entry in spec.initContainers.name or spec.containers.name";
                errors.invalid(&at.child("containerName"), &mapping.container_name, detail);
            }
            Some(container) if !container.resources.requests.contains_key(&mapping.resource_name) => {
                let detail = "must match the extended resource name of an entry in \
                    spec.initContainers.resources.requests or spec.containers.resources.requests";
                errors.invalid(&at.child("resourceName"), &mapping.resource_name, detail);
            }
            Some(_) => {}
        }
        dns_label(&mapping.request_name, &path.child("requestName"), errors);
        if !seen.insert((&mapping.container_name, &mapping.resource_name, &mapping.request_name)) {
            errors.duplicate(&at.child("containerName"), &mapping.container_name);
            errors.duplicate(&at.child("resourceName"), &mapping.resource_name);
            errors.duplicate(&at.child("requestName"), &mapping.request_name);
        }
    }
    let (name, at) = (&status.resource_claim_name, path.child("resourceClaimName"));
    if name.is_empty() {
        errors.required(&at, "");
    } else {
        errors.invalid_each(&at, name, name_is_dns_subdomain(name, NamePart::Whole));
    }
}

fn node_allocatable_claims(pod: &Pod, path: &FieldPath, errors: &mut FieldErrors) {
    let of_spec = pod.spec.resource_claims.iter().filter_map(|claim| claim.resource_claim_name.as_ref());
    let statuses = pod.status.resource_claim_statuses.iter();
    let known: BTreeSet<&String> =
        of_spec.chain(statuses.filter_map(|claim| claim.resource_claim_name.as_ref())).collect();
    for (index, status) in pod.status.node_allocatable_resource_claim_statuses.iter().enumerate().wanted() {
        let at = path.index(index);
        let name = at.child("resourceClaimName");
        if status.resource_claim_name.is_empty() {
            errors.required(&name, "must not be empty");
        }
        if !known.contains(&status.resource_claim_name) {
            errors.invalid(&name, &status.resource_claim_name, "no mapping found in pod reference");
        }
        if status.containers.is_empty() {
            errors.required(&at.child("containers"), "must not be empty");
        }
        let resources = at.child("resources");
        if status.resources.is_empty() {
            errors.required(&resources, "must not be empty");
        }
        for (resource, quantity) in &status.resources {
            let at = resources.key(resource);
            if !is_native_resource(resource) {
                errors.invalid(&at, &Named(resource), "must be a node allocatable resource name");
            }
            if quantity.sign() < 0 {
                errors.invalid(&at, &quantity.to_string(), "must be non-negative");
            }
        }
    }
}

fn addresses(new: &PodStatus, old: &PodStatus, path: &FieldPath, errors: &mut FieldErrors) {
    let of_pod = |status: &PodStatus| status.pod_ips.iter().map(|ip| ip.ip.clone()).collect::<Vec<String>>();
    let at = path.child("podIPs");
    one_of_each_family(
        &of_pod(new),
        &of_pod(old).into_iter().collect(),
        &at,
        &internal(&new.pod_ips),
        errors,
    );
    let Some(first) = new.host_ips.first() else { return };
    let at = path.child("hostIPs");
    if new.host_ip != first.ip {
        errors.invalid(&at.index(0).child("ip"), &first.ip, "must be equal to `hostIP`");
    }
    let of_host =
        |status: &PodStatus| status.host_ips.iter().map(|ip| ip.ip.clone()).collect::<Vec<String>>();
    one_of_each_family(
        &of_host(new),
        &of_host(old).into_iter().collect(),
        &at,
        &internal(&new.host_ips),
        errors,
    );
}

/// One address, or one of each family.
fn one_of_each_family(
    new: &[String],
    old: &OldValues,
    path: &FieldPath,
    shown: &impl BadValue,
    errors: &mut FieldErrors,
) {
    for (index, ip) in new.iter().enumerate().wanted() {
        legacy_ip(ip, old, &path.index(index), errors);
    }
    if new.len() < 2 {
        return;
    }
    let mut families = BTreeSet::new();
    for (index, ip) in new.iter().enumerate().wanted() {
        match parse_ip_sloppy(ip) {
            Some(ip) => _ = families.insert(ip.is_ipv6()),
            None => {
                let error = format!("failed to check for dual stack with error:invalid IP[{index}]: {ip}");
                errors.internal(path, &error);
                families.clear();
                break;
            }
        }
    }
    if families.len() < 2 || new.len() > 2 {
        errors.invalid(path, shown, "may specify no more than one IP for each IP family");
    }
}

fn users(statuses: &[ContainerStatus], of_windows: bool, path: &FieldPath, errors: &mut FieldErrors) {
    for (index, status) in statuses.iter().enumerate().wanted() {
        let Some(user) = status.user.as_deref().and_then(|user| user.linux.as_deref()) else { continue };
        let at = path.index(index).child("user").child("linux");
        if of_windows {
            errors.forbidden(&at, "cannot be set for a windows pod");
            continue;
        }
        errors.invalid_each(&at.child("uid"), &user.uid, is_valid_user_id(user.uid));
        errors.invalid_each(&at.child("gid"), &user.gid, is_valid_group_id(user.gid));
        for (position, group) in user.supplemental_groups.iter().enumerate().wanted() {
            let at = at.child("supplementalGroups").index(position);
            errors.invalid_each(&at, group, is_valid_group_id(*group));
        }
    }
}

fn allocated(
    statuses: &[ContainerStatus],
    containers: &[Container],
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let containers = by_name(containers);
    let mut claims: HashMap<&str, HashSet<String>> = HashMap::new();
    for (index, status) in statuses.iter().enumerate().wanted() {
        let container = containers.get(status.name.as_str());
        for (position, resource) in status.allocated_resources_status.iter().enumerate().wanted() {
            let at = path.index(index).child("allocatedResourcesStatus").index(position);
            if let Some(container) = container {
                let claims = claims.entry(status.name.as_str()).or_insert_with(|| claims_of(container));
                asked_for(resource, container, claims, &at.child("name"), errors);
            }
            health(resource, &at.child("resources"), errors);
        }
    }
}

/// Returns the claims of a container, each with its request if it is for one.
fn claims_of(container: &Container) -> HashSet<String> {
    let claims = container.resources.claims.iter();
    claims
        .map(|own| match own.request.as_str() {
            "" => own.name.clone(),
            request => format!("{}/{request}", own.name),
        })
        .collect()
}

fn asked_for(
    resource: &ResourceStatus,
    container: &Container,
    claims: &HashSet<String>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let (is_found, detail) = match resource.name.strip_prefix("claim:") {
        Some(claim) => (
            claims.contains(claim),
            "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or \
             'claim:<claimName>' if request is empty",
        ),
        None => (
            container.resources.requests.contains_key(&resource.name),
            "must match one of the container's resource requests",
        ),
    };
    if !is_found {
        errors.invalid(path, &Named(&resource.name), detail);
    }
}

fn health(resource: &ResourceStatus, path: &FieldPath, errors: &mut FieldErrors) {
    let mut seen = BTreeSet::new();
    for (index, device) in resource.resources.iter().enumerate().wanted() {
        let at = path.index(index);
        if !matches!(device.health.as_str(), "Healthy" | "Unhealthy" | "Unknown") {
            let supported = ["Healthy", "Unhealthy", "Unknown"];
            errors.not_supported(&at.child("health"), &Named(&device.health), &supported);
        }
        match device.message.as_deref() {
            Some("") => errors.required(&at.child("message"), "must be non-empty if specified"),
            Some(message) if message.len() > MAX_HEALTH_MESSAGE => {
                errors.too_long(&at.child("message"), MAX_HEALTH_MESSAGE);
            }
            _ => {}
        }
        if !seen.insert(device.resource_id.as_str()) {
            errors.duplicate(&at.child("resourceID"), &Named(&device.resource_id));
        }
    }
}
