//! Validation of Endpoints, and of the addresses that are behind services.

use rhumb_api::core::v1::{EndpointAddress, EndpointPort, EndpointSubset, Endpoints};
use rhumb_meta::validation::ip::parse_ip_sloppy;
use rhumb_meta::validation::{NamePart, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{
    OldValues, Scope, dns_label, legacy_ip, object_meta, object_meta_update, port_number, qualified_name,
};

/// The protocols that ports can have.
const PORT_PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<Endpoints>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(endpoints: &Endpoints, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&endpoints.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    subsets(&endpoints.subsets, errors);
}

/// What is wrong with subsets that don't change was right once, and stays.
fn update(new: &Endpoints, old: &Endpoints, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta_update(&new.metadata, &old.metadata, &path, errors);
    object_meta(&new.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    if new.subsets != old.subsets {
        subsets(&new.subsets, errors);
    }
}

fn subsets(subsets: &[EndpointSubset], errors: &mut FieldErrors) {
    for (index, subset) in subsets.iter().enumerate().wanted() {
        let path = FieldPath::new("subsets").index(index);
        if subset.addresses.is_empty() && subset.not_ready_addresses.is_empty() {
            errors.required(&path, "must specify `addresses` or `notReadyAddresses`");
        }
        for (index, each) in subset.addresses.iter().enumerate().wanted() {
            address(each, &path.child("addresses").index(index), errors);
        }
        for (index, each) in subset.not_ready_addresses.iter().enumerate().wanted() {
            address(each, &path.child("notReadyAddresses").index(index), errors);
        }
        for (index, each) in subset.ports.iter().enumerate().wanted() {
            port(each, subset.ports.len() > 1, &path.child("ports").index(index), errors);
        }
    }
}

fn address(address: &EndpointAddress, path: &FieldPath, errors: &mut FieldErrors) {
    let ip = path.child("ip");
    legacy_ip(&address.ip, &OldValues::default(), &ip, errors);
    if !address.hostname.is_empty() {
        dns_label(&address.hostname, &path.child("hostname"), errors);
    }
    if let Some(node) = &address.node_name {
        errors.invalid_each(&path.child("nodeName"), node, name_is_dns_subdomain(node, NamePart::Whole));
    }
    endpoint_ip(&address.ip, &ip, errors);
}

/// An address that traffic can be sent to from anywhere.
pub(crate) fn endpoint_ip(address: &str, path: &FieldPath, errors: &mut FieldErrors) {
    use std::net::IpAddr;
    let Some(ip) = parse_ip_sloppy(address) else {
        return errors.invalid(path, address, "must be a valid IP address");
    };
    let ip = ip.to_canonical();
    let (link_local, link_local_group) = match ip {
        IpAddr::V4(ip) => (ip.is_link_local(), ip.octets().starts_with(&[224, 0, 0])),
        IpAddr::V6(ip) => (ip.is_unicast_link_local(), ip.segments()[0] & 0xff0f == 0xff02),
    };
    for (holds, detail) in [
        (ip.is_unspecified(), format!("may not be unspecified ({address})")),
        (ip.is_loopback(), "may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned()),
        (link_local, "may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned()),
        (
            link_local_group,
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned(),
        ),
    ] {
        if holds {
            errors.invalid(path, address, &detail);
        }
    }
}

fn port(port: &EndpointPort, needs_name: bool, path: &FieldPath, errors: &mut FieldErrors) {
    if !port.name.is_empty() {
        dns_label(&port.name, &path.child("name"), errors);
    } else if needs_name {
        errors.required(&path.child("name"), "");
    }
    port_number(port.port, &path.child("port"), errors);
    port_protocol(&port.protocol, &path.child("protocol"), errors);
    if let Some(protocol) = &port.app_protocol {
        qualified_name(protocol, &path.child("appProtocol"), errors);
    }
}

/// The protocol of a port.
pub(crate) fn port_protocol(protocol: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if protocol.is_empty() {
        errors.required(path, "");
    } else if !PORT_PROTOCOLS.contains(&protocol) {
        errors.not_supported(path, &Named(protocol), PORT_PROTOCOLS);
    }
}
