//! Warnings about ports that more than one container has.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{ContainerPort, PodSpec};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::FieldPath;

use super::containers::with_paths;

/// Warns of ports that are there twice, by number and by name.
pub(super) fn warn_ports(spec: &PodSpec, path: &FieldPath, warnings: &mut Vec<String>) {
    let ports: Vec<(&ContainerPort, FieldPath)> = with_paths(spec, path)
        .flat_map(|(container, path)| {
            let list = path.child("ports");
            container.ports().iter().enumerate().map(move |(index, port)| (port, list.index(index)))
        })
        .collect();
    let mut by_number: BTreeMap<(i32, &str), Vec<(&ContainerPort, &FieldPath)>> = BTreeMap::new();
    for (port, path) in &ports {
        if !port.host_ip.is_empty() && port.host_port == 0 {
            warnings.push(format!("{path}: hostIP set without hostPort: {}", shown(port)));
        }
        let others = by_number.entry((port.container_port, &port.protocol)).or_default();
        let clashes = others.iter().filter_map(|(other, at)| Some((clash(port, other)?, at)));
        warnings.extend(clashes.map(|(clash, at)| format!("{path}: {clash} port definition with {at}")));
        others.push((port, path));
    }
    let mut by_name: BTreeMap<&str, &FieldPath> = BTreeMap::new();
    for (port, path) in ports.iter().filter(|(port, _)| !port.name.is_empty()) {
        match by_name.get(port.name.as_str()) {
            Some(first) => warnings.push(format!(
                "{path}: duplicate port name {} with {first}, services and probes that select ports by name \
                 will use {first}",
                quoted(&port.name)
            )),
            None => {
                by_name.insert(&port.name, path);
            }
        }
    }
}

/// How two ports of the same number and protocol get in each other's way.
fn clash(port: &ContainerPort, other: &ContainerPort) -> Option<&'static str> {
    if port.host_ip == other.host_ip && port.host_port == other.host_port {
        Some("duplicate")
    } else if port.host_port == 0 || other.host_port == 0 {
        Some("overlapping")
    } else if port.host_port == other.host_port && (port.host_ip.is_empty() != other.host_ip.is_empty()) {
        Some("dangerously ambiguous")
    } else {
        None
    }
}

/// A port as Go prints the struct.
fn shown(port: &ContainerPort) -> String {
    format!(
        "{{Name:{} HostPort:{} ContainerPort:{} Protocol:{} HostIP:{}}}",
        port.name, port.host_port, port.container_port, port.protocol, port.host_ip
    )
}
