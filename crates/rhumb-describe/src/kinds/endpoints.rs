//! Endpoints and EndpointSlices.

use rhumb_api::core::v1::{EndpointAddress, Endpoints};
use rhumb_api::discovery::v1::{Endpoint, EndpointSlice};

use super::heading;
use crate::Lines;
use crate::go_text::or;
use crate::parts::{Events, events};

/// Describes Endpoints.
pub fn endpoints(out: &mut Lines, endpoints: &Endpoints, shown_events: Events<'_>) {
    heading(out, &endpoints.metadata);
    out.line(0, "Subsets:");
    for subset in &endpoints.subsets {
        out.field(1, "Addresses", addresses(&subset.addresses));
        out.field(1, "NotReadyAddresses", addresses(&subset.not_ready_addresses));
        if !subset.ports.is_empty() {
            out.line(1, "Ports:");
            port_titles(out, 2);
        }
        for port in &subset.ports {
            out.row(2, &[&or(&port.name, "<unset>"), &port.port, &port.protocol]);
        }
        out.put(0, "\n");
    }
    events(out, shown_events);
}

fn addresses(addresses: &[EndpointAddress]) -> String {
    let texts: Vec<&str> = addresses.iter().map(|address| address.ip.as_str()).collect();
    or(&texts.join(","), "<none>").to_owned()
}

fn port_titles(out: &mut Lines, level: usize) {
    out.row(level, &[&"Name", &"Port", &"Protocol"]);
    out.row(level, &[&"----", &"----", &"--------"]);
}

/// Describes an EndpointSlice.
pub fn endpoint_slice(out: &mut Lines, slice: &EndpointSlice, shown_events: Events<'_>) {
    heading(out, &slice.metadata);
    out.field(0, "AddressType", &slice.address_type);
    if slice.ports.is_empty() {
        out.line(0, "Ports: <unset>");
    } else {
        out.line(0, "Ports:");
        port_titles(out, 1);
    }
    for port in &slice.ports {
        let name = or(port.name.as_deref().unwrap_or_default(), "<unset>");
        let number = port.port.map_or_else(|| "<unset>".to_owned(), |number| number.to_string());
        out.row(1, &[&name, &number, &port.protocol.as_deref().unwrap_or_default()]);
    }
    let none = if slice.endpoints.is_empty() { " <none>" } else { "" };
    out.line(0, format_args!("Endpoints:{none}"));
    for endpoint in &slice.endpoints {
        self::endpoint(out, endpoint);
    }
    events(out, shown_events);
}

fn endpoint(out: &mut Lines, endpoint: &Endpoint) {
    let or_unset = |text: &Option<String>| text.as_deref().unwrap_or("<unset>").to_owned();
    out.field(1, "- Addresses", or(&endpoint.addresses.join(", "), "<none>"));
    out.line(2, "Conditions:");
    match endpoint.conditions.ready {
        Some(ready) => out.field(3, "Ready", ready),
        None => out.field(3, "Ready", "<unset>"),
    }
    out.field(2, "Hostname", or_unset(&endpoint.hostname));
    if let Some(target) = &endpoint.target_ref {
        out.field(2, "TargetRef", format_args!("{}/{}", target.kind, target.name));
    }
    out.field(2, "NodeName", or_unset(&endpoint.node_name));
    out.field(2, "Zone", or_unset(&endpoint.zone));
}
