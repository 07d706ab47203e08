//! Columns of services and endpoints.

use std::collections::BTreeSet;

use rhumb_api::core::v1::{Endpoints, Service, ServicePort};
use rhumb_api::discovery::v1::EndpointSlice;
use rhumb_meta::labels::format_labels;
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::{NONE, first_three, or};

/// Maximum number of endpoints shown.
const SHOWN: usize = 3;

impl Printed for Service {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Type", "How the service is reached."),
        Column::text("Cluster-IP", "The address within the cluster."),
        Column::text("External-IP", "The addresses from outside the cluster."),
        Column::text("Port(s)", "The ports, with those of the nodes where they have some."),
        Column::AGE,
        Column::text("Selector", "Which pods are behind it, by their labels.").wide(),
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let ports: Vec<String> = self.spec.ports.iter().map(port).collect();
        cells![
            self.metadata.name.as_str(),
            self.spec.type_.as_str(),
            self.spec.cluster_ips.first().map_or(NONE, String::as_str),
            external_address(self),
            or(&ports.join(","), NONE),
            now.since(&self.metadata.creation_timestamp),
            format_labels(&self.spec.selector),
        ]
    }
}

fn port(port: &ServicePort) -> String {
    match port.node_port {
        1.. => format!("{}:{}/{}", port.port, port.node_port, port.protocol),
        _ => format!("{}/{}", port.port, port.protocol),
    }
}

fn external_address(service: &Service) -> String {
    let own = service.spec.external_ips.join(",");
    match service.spec.type_.as_str() {
        "ClusterIP" | "NodePort" => or(&own, NONE).to_owned(),
        "LoadBalancer" => {
            let points = service.status.load_balancer.ingress.iter();
            let given = entry_points(points.map(|point| (point.ip.as_str(), point.hostname.as_str())));
            match (given.is_empty(), own.is_empty()) {
                (true, true) => "<pending>".to_owned(),
                (false, true) => given,
                (true, false) => own,
                (false, false) => format!("{given},{own}"),
            }
        }
        "ExternalName" => service.spec.external_name.clone(),
        _ => "<unknown>".to_owned(),
    }
}

/// Returns the addresses or else the names of a load balancer, sorted, each once.
pub(super) fn entry_points<'a>(points: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let points: BTreeSet<&str> =
        points.map(|(ip, name)| or(ip, name)).filter(|point| !point.is_empty()).collect();
    points.into_iter().collect::<Vec<_>>().join(",")
}

impl Printed for Endpoints {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Endpoints", "The first of the addresses and ports behind the service."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![self.metadata.name.as_str(), endpoints(self), now.since(&self.metadata.creation_timestamp),]
    }
}

fn endpoints(object: &Endpoints) -> String {
    if object.subsets.is_empty() {
        return NONE.to_owned();
    }
    let mut shown: Vec<String> = Vec::new();
    let mut count = 0usize;
    for subset in &object.subsets {
        // A headless service may have no ports, and then its addresses stand alone.
        let ports: Vec<Option<i32>> = match subset.ports.as_slice() {
            [] => vec![None],
            ports => ports.iter().map(|port| Some(port.port)).collect(),
        };
        for port in ports {
            count = count.saturating_add(subset.addresses.len());
            let room = SHOWN.saturating_sub(shown.len());
            shown.extend(subset.addresses.iter().take(room).map(|address| match port {
                Some(port) => host_and_port(&address.ip, port),
                None => address.ip.clone(),
            }));
        }
    }
    let text = shown.join(",");
    match count.checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{text} + {more} more..."),
        _ => text,
    }
}

/// An IPv6 address needs brackets, so that its colons aren't taken for the port's.
fn host_and_port(host: &str, port: i32) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

impl Printed for EndpointSlice {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("AddressType", "The kind of addresses: IPv4, IPv6 or FQDN."),
        Column::text("Ports", "The first of the ports that all endpoints have."),
        Column::text("Endpoints", "The first of the addresses."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let ports: Vec<String> = self
            .ports
            .iter()
            .map(|port| match (port.port, &port.name) {
                (Some(number), _) => number.to_string(),
                (None, Some(name)) => name.clone(),
                (None, None) => "*".to_owned(),
            })
            .collect();
        let addresses: Vec<&String> = self.endpoints.iter().flat_map(|each| &each.addresses).collect();
        cells![
            self.metadata.name.as_str(),
            self.address_type.as_str(),
            first_three(&ports),
            first_three(&addresses),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}
