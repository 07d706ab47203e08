//! Validation of EndpointSlices.

use std::collections::HashSet;
use std::net::IpAddr;

use rhumb_api::discovery::v1::{Endpoint, EndpointHints, EndpointPort, EndpointSlice};
use rhumb_meta::validation::ip::{LegacyForm, is_valid_ip, is_valid_ip_for_legacy_field, parse_ip_sloppy};
use rhumb_meta::validation::{is_valid_label_value, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::core::endpoints::endpoint_ip;
use crate::meta::{
    Scope, dns_label, dns_subdomain, fully_qualified_domain_name, labels, object_meta, qualified_name,
};

const MAX_TOPOLOGY: usize = 16;
const MAX_ADDRESSES: usize = 100;
const MAX_PORTS: usize = 20000;
const MAX_ENDPOINTS: usize = 1000;
const MAX_HINTS: usize = 8;
const ZONE: &str = "topology.kubernetes.io/zone";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<EndpointSlice>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(slice: &EndpointSlice, _: &Context, errors: &mut FieldErrors) {
    whole(slice, None, errors);
}

fn update(new: &EndpointSlice, old: &EndpointSlice, _: &Context, errors: &mut FieldErrors) {
    whole(new, Some(old), errors);
    if new.address_type != old.address_type {
        errors.invalid(&FieldPath::new("addressType"), &Named(&new.address_type), "field is immutable");
    }
}

fn whole(slice: &EndpointSlice, old: Option<&EndpointSlice>, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&slice.metadata, Scope::Namespaced, name_is_dns_subdomain, &metadata, errors);
    let address_type = slice.address_type.as_str();
    match address_type {
        "IPv4" | "IPv6" | "FQDN" => {}
        "" => errors.required(&FieldPath::new("addressType"), ""),
        other => {
            let supported = ["FQDN", "IPv4", "IPv6"];
            errors.not_supported(&FieldPath::new("addressType"), &Named(other), &supported);
        }
    }
    ports(&slice.ports, &FieldPath::new("ports"), errors);
    // Older releases let more through, so what stays as it was is not held against anyone.
    let mut found = FieldErrors::default();
    endpoints(&slice.endpoints, address_type, &FieldPath::new("endpoints"), &mut found);
    if !found.is_empty() && old.is_none_or(|old| old.endpoints != slice.endpoints) {
        errors.extend(found);
    }
}

fn ports(ports: &[EndpointPort], path: &FieldPath, errors: &mut FieldErrors) {
    if ports.len() > MAX_PORTS {
        return errors.too_many(path, ports.len(), MAX_PORTS);
    }
    let mut names = HashSet::new();
    for (index, port) in ports.iter().enumerate().wanted() {
        let path = path.index(index);
        let name = port.name.as_deref().unwrap_or_default();
        if !name.is_empty() {
            dns_label(name, &path.child("name"), errors);
        }
        if !names.insert(name) {
            errors.duplicate(&path.child("name"), &Named(name));
        }
        match port.protocol.as_deref() {
            None => errors.required(&path.child("protocol"), ""),
            Some("TCP" | "UDP" | "SCTP") => {}
            Some(other) => {
                errors.not_supported(&path.child("protocol"), &Named(other), &["SCTP", "TCP", "UDP"]);
            }
        }
        if let Some(protocol) = &port.app_protocol {
            qualified_name(protocol, &path.child("appProtocol"), errors);
        }
    }
}

fn endpoints(endpoints: &[Endpoint], address_type: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if endpoints.len() > MAX_ENDPOINTS {
        return errors.too_many(path, endpoints.len(), MAX_ENDPOINTS);
    }
    for (index, each) in endpoints.iter().enumerate().wanted() {
        endpoint(each, address_type, &path.index(index), errors);
    }
}

fn endpoint(endpoint: &Endpoint, address_type: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let addresses = path.child("addresses");
    match endpoint.addresses.len() {
        0 => errors.required(&addresses, "must contain at least 1 address"),
        1..=MAX_ADDRESSES => {}
        number => errors.too_many(&addresses, number, MAX_ADDRESSES),
    }
    for (index, text) in endpoint.addresses.iter().enumerate().wanted() {
        address(text, address_type, index, &addresses, errors);
    }
    if let Some(node) = &endpoint.node_name {
        dns_subdomain(node, &path.child("nodeName"), errors);
    }
    let topology = path.child("deprecatedTopology");
    if endpoint.deprecated_topology.len() > MAX_TOPOLOGY {
        errors.too_many(&topology, endpoint.deprecated_topology.len(), MAX_TOPOLOGY);
    }
    labels(&endpoint.deprecated_topology, &topology, errors);
    if endpoint.deprecated_topology.contains_key(ZONE) {
        errors.internal(&topology.key(ZONE), "reserved key was not removed in conversion");
    }
    if let Some(hostname) = &endpoint.hostname {
        dns_label(hostname, &path.child("hostname"), errors);
    }
    if let Some(each) = &endpoint.hints {
        hints(each, &path.child("hints"), errors);
    }
}

/// An address of the slice's type. That it is of the other family is told of the list, not of the element.
fn address(text: &str, address_type: &str, index: usize, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.index(index);
    let (found, is_of_family, detail): (_, fn(&IpAddr) -> bool, _) = match address_type {
        "IPv4" => {
            let found = is_valid_ip_for_legacy_field(text, LegacyForm::Strict, &[]);
            (found, IpAddr::is_ipv4, "must be an IPv4 address")
        }
        "IPv6" => (is_valid_ip(text), IpAddr::is_ipv6, "must be an IPv6 address"),
        "FQDN" => return fully_qualified_domain_name(text, &at, errors),
        _ => return,
    };
    if !found.is_empty() {
        return errors.invalid_each(&at, text, found);
    }
    if !parse_ip_sloppy(text).as_ref().is_some_and(is_of_family) {
        errors.invalid(path, text, detail);
    }
    endpoint_ip(text, &at, errors);
}

fn hints(hints: &EndpointHints, path: &FieldPath, errors: &mut FieldErrors) {
    let zones = path.child("forZones");
    if hints.for_zones.len() > MAX_HINTS {
        return errors.too_many(&zones, hints.for_zones.len(), MAX_HINTS);
    }
    let mut seen = HashSet::new();
    for (index, zone) in hints.for_zones.iter().enumerate().wanted() {
        let path = zones.index(index).child("name");
        if !seen.insert(&zone.name) {
            errors.duplicate(&path, &zone.name);
        }
        errors.invalid_each(&path, &zone.name, is_valid_label_value(&zone.name));
    }
    let nodes = path.child("forNodes");
    if hints.for_nodes.len() > MAX_HINTS {
        return errors.too_many(&nodes, hints.for_nodes.len(), MAX_HINTS);
    }
    let mut seen = HashSet::new();
    for (index, node) in hints.for_nodes.iter().enumerate().wanted() {
        let path = nodes.index(index).child("name");
        if !seen.insert(&node.name) {
            errors.duplicate(&path, &node.name);
        }
        dns_subdomain(&node.name, &path, errors);
    }
}
