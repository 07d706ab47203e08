//! Validation of services.
//!
//! A server gives out addresses and node ports, and makes `clusterIP` and `clusterIPs` agree, before it checks. As
//! it looks at the addresses for that, what is wrong with them is told first, and nothing else with it.

use std::collections::HashSet;

use rhumb_api::core::v1::{LoadBalancerStatus, Service, ServicePort, ServiceSpec, SessionAffinityConfig};
use rhumb_meta::validation::{is_valid_port_num, name_is_dns_label};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::endpoints::{endpoint_ip, port_protocol};
use super::service_addresses::{self as addresses, is_headless};
use crate::internal_form::internal;
use crate::meta::{
    OldValues, Scope, dns_label, dns_subdomain, host_name, labels, legacy_cidr, legacy_ip, object_meta,
    object_meta_update, port_number, port_number_or_name, qualified_name,
};

const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";
const SOURCE_RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
const ONLY_BALANCERS: &str = "may only be used when `type` is 'LoadBalancer'";
const NOT_FOR_ALIASES: &str = "may not be set for ExternalName services";
const TYPES: &[&str] = &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const POLICIES: &[&str] = &["Cluster", "Local"];
const DISTRIBUTIONS: &[&str] = &["PreferClose", "PreferSameZone", "PreferSameNode"];
/// A day.
const MAX_AFFINITY: i32 = 86400;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<Service>(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(service: &Service, _: &Context, errors: &mut FieldErrors) {
    addresses::cluster_ips(&service.spec, None, errors);
    if errors.is_empty() {
        let path = FieldPath::new("metadata");
        object_meta(&service.metadata, Scope::Namespaced, name_is_dns_label, &path, errors);
        whole(service, None, errors);
    }
}

fn update(new: &Service, old: &Service, _: &Context, errors: &mut FieldErrors) {
    let before = errors.len();
    addresses::cluster_ips(&new.spec, Some(&old.spec), errors);
    if errors.len() > before {
        return;
    }
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    addresses::cluster_ips_update(&new.spec, &old.spec, errors);
    addresses::ip_families_update(&new.spec, &old.spec, errors);
    let class = FieldPath::new("spec").child("loadBalancerClass");
    if is_balancer(&new.spec)
        && is_balancer(&old.spec)
        && new.spec.load_balancer_class != old.spec.load_balancer_class
    {
        errors.invalid(&class, &new.spec.load_balancer_class, "may not change once set");
    }
    load_balancer_class(&new.spec, &class, errors);
    if needs_health_check(&new.spec)
        && needs_health_check(&old.spec)
        && new.spec.health_check_node_port != old.spec.health_check_node_port
    {
        errors.forbidden(&FieldPath::new("spec").child("healthCheckNodePort"), "field is immutable");
    }
    whole(new, Some(old), errors);
}

fn status(new: &Service, old: &Service, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("status").child("loadBalancer");
    load_balancer_status(&new.status.load_balancer, &old.status.load_balancer, &new.spec, &path, errors);
}

fn is_balancer(spec: &ServiceSpec) -> bool {
    spec.type_ == "LoadBalancer"
}

fn needs_health_check(spec: &ServiceSpec) -> bool {
    is_balancer(spec) && spec.external_traffic_policy == "Local"
}

fn is_reached_from_outside(spec: &ServiceSpec) -> bool {
    match spec.type_.as_str() {
        "LoadBalancer" | "NodePort" => true,
        "ClusterIP" => !spec.external_ips.is_empty(),
        _ => false,
    }
}

/// Everything but the metadata that all objects have.
fn whole(service: &Service, old: Option<&Service>, errors: &mut FieldErrors) {
    let annotations = FieldPath::new("metadata").child("annotations");
    let annotation = |key: &str| service.metadata.annotations.get(key);
    if let (Some(hints), Some(mode)) = (annotation(TOPOLOGY_HINTS), annotation(TOPOLOGY_MODE))
        && hints != mode
    {
        let detail = format!("must match annotations[{TOPOLOGY_HINTS}] when both are specified");
        errors.invalid(&annotations.key(TOPOLOGY_MODE), mode, &detail);
    }
    let (spec, path) = (&service.spec, FieldPath::new("spec"));
    if spec.ports.is_empty() && !is_headless(spec) && spec.type_ != "ExternalName" {
        errors.required(&path.child("ports"), "");
    }
    of_type(spec, &path, errors);
    let mut names = HashSet::new();
    for (index, each) in spec.ports.iter().enumerate().wanted() {
        port(each, spec.ports.len() > 1, &mut names, &path.child("ports").index(index), errors);
    }
    labels(&spec.selector, &path.child("selector"), errors);
    session_affinity(spec, &path, errors);
    let old_ips: OldValues =
        old.into_iter().flat_map(|old| &old.spec.external_ips).map(String::as_str).collect();
    for (index, ip) in spec.external_ips.iter().enumerate().wanted() {
        let path = path.child("externalIPs").index(index);
        let before = errors.len();
        legacy_ip(ip, &old_ips, &path, errors);
        if errors.len() == before {
            endpoint_ip(ip, &path, errors);
        }
    }
    if spec.type_.is_empty() {
        errors.required(&path.child("type"), "");
    } else if !TYPES.contains(&spec.type_.as_str()) {
        errors.not_supported(&path.child("type"), &Named(&spec.type_), TYPES);
    }
    ports_together(spec, &path.child("ports"), errors);
    source_ranges(service, old, errors);
    let allocate = spec.allocate_load_balancer_node_ports;
    if allocate.is_some() && !is_balancer(spec) {
        errors.forbidden(&path.child("allocateLoadBalancerNodePorts"), ONLY_BALANCERS);
    }
    if allocate.is_none() && is_balancer(spec) {
        errors.required(&FieldPath::new("allocateLoadBalancerNodePorts"), "");
    }
    load_balancer_class(spec, &path.child("loadBalancerClass"), errors);
    traffic(spec, &path, errors);
}

/// What depends on the type alone.
fn of_type(spec: &ServiceSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let addresses = path.child("clusterIPs");
    match spec.type_.as_str() {
        "LoadBalancer" | "NodePort" if is_headless(spec) => {
            let detail = format!("may not be set to 'None' for {} services", spec.type_);
            errors.invalid(&addresses.index(0), "None", &detail);
        }
        "ExternalName" => {
            for (given, field) in [
                (!spec.cluster_ips.is_empty(), "clusterIPs"),
                (!spec.ip_families.is_empty(), "ipFamilies"),
                (spec.ip_family_policy.is_some(), "ipFamilyPolicy"),
            ] {
                if given {
                    errors.forbidden(&path.child(field), NOT_FOR_ALIASES);
                }
            }
            let name = spec.external_name.strip_suffix('.').unwrap_or(&spec.external_name);
            if name.is_empty() {
                errors.required(&path.child("externalName"), "");
            } else {
                dns_subdomain(name, &path.child("externalName"), errors);
            }
        }
        _ => {}
    }
}

fn port<'a>(
    port: &'a ServicePort,
    needs_name: bool,
    names: &mut HashSet<&'a str>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let name = path.child("name");
    if !port.name.is_empty() {
        dns_label(&port.name, &name, errors);
        if !names.insert(&port.name) {
            errors.duplicate(&name, &port.name);
        }
    } else if needs_name {
        errors.required(&name, "");
    }
    port_number(port.port, &path.child("port"), errors);
    port_protocol(&port.protocol, &path.child("protocol"), errors);
    port_number_or_name(&port.target_port, &path.child("targetPort"), errors);
    if let Some(protocol) = &port.app_protocol {
        qualified_name(protocol, &path.child("appProtocol"), errors);
    }
}

/// What ports must keep beside each other. A port may be there once per protocol.
fn ports_together(spec: &ServiceSpec, path: &FieldPath, errors: &mut FieldErrors) {
    if spec.type_ == "ClusterIP" {
        for (index, port) in spec.ports.iter().enumerate().wanted() {
            if port.node_port != 0 {
                let detail = "may not be used when `type` is 'ClusterIP'";
                errors.forbidden(&path.index(index).child("nodePort"), detail);
            }
        }
    }
    let mut seen = HashSet::new();
    for (index, port) in spec.ports.iter().enumerate().wanted() {
        if port.node_port != 0 && !seen.insert((&port.protocol, port.node_port)) {
            errors.duplicate(&path.index(index).child("nodePort"), &port.node_port);
        }
    }
    let mut seen = HashSet::new();
    for (index, port) in spec.ports.iter().enumerate().wanted() {
        if !seen.insert((&port.protocol, port.port)) {
            let key =
                ServicePort { protocol: port.protocol.clone(), port: port.port, ..ServicePort::default() };
            errors.duplicate(&path.index(index), &internal(&key));
        }
    }
}

fn session_affinity(spec: &ServiceSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let config = path.child("sessionAffinityConfig");
    match spec.session_affinity.as_str() {
        "" => errors.required(&path.child("sessionAffinity"), ""),
        "ClientIP" => client_ip(spec.session_affinity_config.as_deref(), &config, errors),
        "None" => {
            if spec.session_affinity_config.is_some() {
                errors.forbidden(&config, "must not be set when session affinity is None");
            }
        }
        other => {
            errors.not_supported(&path.child("sessionAffinity"), &Named(other), &["ClientIP", "None"]);
        }
    }
}

fn client_ip(config: Option<&SessionAffinityConfig>, path: &FieldPath, errors: &mut FieldErrors) {
    const NEEDED: &str = "when session affinity type is ClientIP";
    let Some(config) = config else { return errors.required(path, NEEDED) };
    let path = path.child("clientIP");
    let Some(client) = &config.client_ip else { return errors.required(&path, NEEDED) };
    let path = path.child("timeoutSeconds");
    match client.timeout_seconds {
        None => errors.required(&path, NEEDED),
        Some(1..=MAX_AFFINITY) => {}
        Some(timeout) => {
            let detail = format!("must be greater than 0 and less than {MAX_AFFINITY}");
            errors.invalid(&path, &timeout, &detail);
        }
    }
}

/// The networks that may reach a load balancer, in the field or, without it, in the annotation. Spaces around them
/// have always been accepted.
fn source_ranges(service: &Service, old: Option<&Service>, errors: &mut FieldErrors) {
    let spec = &service.spec;
    if !spec.load_balancer_source_ranges.is_empty() {
        let path = FieldPath::new("spec").child("LoadBalancerSourceRanges");
        if !is_balancer(spec) {
            errors.forbidden(&path, ONLY_BALANCERS);
        }
        let old = old.into_iter().flat_map(|old| &old.spec.load_balancer_source_ranges);
        let old: OldValues = old.map(|range| range.trim()).collect();
        for (index, range) in spec.load_balancer_source_ranges.iter().enumerate().wanted() {
            legacy_cidr(range.trim(), &old, &path.index(index), errors);
        }
    } else if let Some(ranges) = service.metadata.annotations.get(SOURCE_RANGES) {
        let path = FieldPath::new("metadata").child("annotations").key(SOURCE_RANGES);
        if !is_balancer(spec) {
            errors.forbidden(&path, ONLY_BALANCERS);
        }
        let changed = old.is_none_or(|old| old.metadata.annotations.get(SOURCE_RANGES) != Some(ranges));
        if changed && !ranges.trim().is_empty() {
            ranges
                .trim()
                .split(',')
                .for_each(|range| legacy_cidr(range.trim(), &OldValues::default(), &path, errors));
        }
    }
}

fn load_balancer_class(spec: &ServiceSpec, path: &FieldPath, errors: &mut FieldErrors) {
    match &spec.load_balancer_class {
        Some(class) if is_balancer(spec) => qualified_name(class, path, errors),
        Some(_) => errors.forbidden(path, ONLY_BALANCERS),
        None => {}
    }
}

/// Where traffic goes.
fn traffic(spec: &ServiceSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let external = path.child("externalTrafficPolicy");
    let policy = spec.external_traffic_policy.as_str();
    if !is_reached_from_outside(spec) {
        if !policy.is_empty() {
            let detail = "may only be set for externally-accessible services";
            errors.invalid(&external, &Named(policy), detail);
        }
    } else if policy.is_empty() {
        errors.required(&external, "");
    } else if !POLICIES.contains(&policy) {
        errors.not_supported(&external, &Named(policy), POLICIES);
    }
    let (health, port) = (path.child("healthCheckNodePort"), spec.health_check_node_port);
    if !needs_health_check(spec) {
        if port != 0 {
            let detail =
                "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
            errors.invalid(&health, &port, detail);
        }
    } else if port == 0 {
        errors.required(&health, "");
    } else {
        errors.invalid_each(&health, &port, is_valid_port_num(i64::from(port)));
    }
    let internal = path.child("internalTrafficPolicy");
    match spec.internal_traffic_policy.as_deref() {
        None if matches!(spec.type_.as_str(), "NodePort" | "LoadBalancer" | "ClusterIP") => {
            errors.required(&internal, "");
        }
        Some(policy) if !POLICIES.contains(&policy) => {
            errors.not_supported(&internal, &Named(policy), POLICIES);
        }
        _ => {}
    }
    if let Some(distribution) = &spec.traffic_distribution
        && !DISTRIBUTIONS.contains(&distribution.as_str())
    {
        errors.not_supported(&path.child("trafficDistribution"), distribution, DISTRIBUTIONS);
    }
}

/// The addresses of a load balancer, which only services of that type have.
pub(crate) fn load_balancer_status(
    status: &LoadBalancerStatus,
    old: &LoadBalancerStatus,
    spec: &ServiceSpec,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let path = path.child("ingress");
    if !is_balancer(spec) && !status.ingress.is_empty() {
        return errors.forbidden(&path, "may only be used when `spec.type` is 'LoadBalancer'");
    }
    let old: OldValues =
        old.ingress.iter().map(|ingress| ingress.ip.as_str()).filter(|ip| !ip.is_empty()).collect();
    for (index, ingress) in status.ingress.iter().enumerate().wanted() {
        let path = path.index(index);
        let has_ip = !ingress.ip.is_empty();
        if has_ip {
            legacy_ip(&ingress.ip, &old, &path.child("ip"), errors);
        }
        let mode = path.child("ipMode");
        match ingress.ip_mode.as_deref() {
            None if has_ip => errors.required(&mode, "must be specified when `ip` is set"),
            Some(_) if !has_ip => errors.forbidden(&mode, "may not be specified when `ip` is not set"),
            None | Some("VIP" | "Proxy") => {}
            Some(other) => errors.not_supported(&mode, &Named(other), &["Proxy", "VIP"]),
        }
        if !ingress.hostname.is_empty() {
            host_name(&ingress.hostname, &path.child("hostname"), errors);
        }
    }
}
