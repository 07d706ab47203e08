//! Warnings about conflicting container ports.

use std::collections::{BTreeMap, HashMap};

use rhumb_api::core::v1::{ContainerPort, PodSpec};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::FieldPath;

use super::containers::with_paths;

/// Maximum number of warnings per object; clients show far fewer.
const MOST_WARNINGS: usize = 1000;

/// Warns of ports that are there twice, by number and by name.
pub(super) fn warn_ports(spec: &PodSpec, path: &FieldPath, warnings: &mut Vec<String>) {
    let ports: Vec<(&ContainerPort, FieldPath)> = with_paths(spec, path)
        .flat_map(|(container, path)| {
            let list = path.child("ports");
            container.ports().iter().enumerate().map(move |(index, port)| (port, list.index(index)))
        })
        .collect();
    let mut by_number: BTreeMap<(i32, &str), Others<'_>> = BTreeMap::new();
    for (port, path) in &ports {
        if !port.host_ip.is_empty() && port.host_port == 0 {
            warnings.push(format!("{path}: hostIP set without hostPort: {}", shown(port)));
        }
        let others = by_number.entry((port.container_port, &port.protocol)).or_default();
        for (other, at) in others.clashing(port, MOST_WARNINGS.saturating_sub(warnings.len())) {
            if let Some(clash) = clash(port, other) {
                warnings.push(format!("{path}: {clash} port definition with {at}"));
            }
        }
        others.add(port, path);
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

/// Ports of one number and protocol, by host address.
#[derive(Default)]
struct Others<'a> {
    all: Vec<(&'a ContainerPort, &'a FieldPath)>,
    /// Ports without a host port.
    inside: Vec<usize>,
    by_port: HashMap<i32, Vec<usize>>,
    by_place: HashMap<i32, HashMap<&'a str, Vec<usize>>>,
}

impl<'a> Others<'a> {
    fn add(&mut self, port: &'a ContainerPort, path: &'a FieldPath) {
        let index = self.all.len();
        if port.host_port == 0 {
            self.inside.push(index);
        }
        self.by_port.entry(port.host_port).or_default().push(index);
        self.by_place.entry(port.host_port).or_default().entry(&port.host_ip).or_default().push(index);
        self.all.push((port, path));
    }

    /// Returns the ports at a host port and address.
    fn at(&self, port: i32, ip: &str) -> Option<&Vec<usize>> {
        self.by_place.get(&port)?.get(ip)
    }

    /// Returns the ports that conflict with a port, in order, up to a maximum.
    fn clashing(&self, port: &ContainerPort, most: usize) -> Vec<(&'a ContainerPort, &'a FieldPath)> {
        if port.host_port == 0 {
            return self.all.iter().take(most).copied().collect();
        }
        let same = match port.host_ip.as_str() {
            "" => [self.by_port.get(&port.host_port), None],
            ip => [self.at(port.host_port, ip), self.at(port.host_port, "")],
        };
        let lists = same.into_iter().flatten().chain([&self.inside]);
        let mut found: Vec<usize> = lists.flat_map(|list| list.iter().take(most)).copied().collect();
        found.sort_unstable();
        found.iter().take(most).filter_map(|index| self.all.get(*index)).copied().collect()
    }
}

/// Returns how two ports of the same number and protocol conflict.
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

/// Formats a port as Go prints the struct.
fn shown(port: &ContainerPort) -> String {
    format!(
        "{{Name:{} HostPort:{} ContainerPort:{} Protocol:{} HostIP:{}}}",
        port.name, port.host_port, port.container_port, port.protocol, port.host_ip
    )
}
