//! Services.

use rhumb_api::core::v1::{LoadBalancerIngress, Service};
use rhumb_api::discovery::v1::EndpointSlice;
use rhumb_meta::labels::format_labels;

use super::heading;
use crate::Lines;
use crate::go_text::or;
use crate::parts::{Events, endpoints_text, events};

/// Describes a service with the endpoints behind it.
pub fn service(out: &mut Lines, service: &Service, slices: &[EndpointSlice], shown_events: Events<'_>) {
    let spec = &service.spec;
    heading(out, &service.metadata);
    out.field(0, "Selector", format_labels(&spec.selector));
    out.field(0, "Type", &spec.type_);
    if let Some(policy) = &spec.ip_family_policy {
        out.field(0, "IP Family Policy", policy);
    }
    let none_or = |texts: &[String]| or(&texts.join(","), "<none>").to_owned();
    out.field(0, "IP Families", none_or(&spec.ip_families));
    out.field(0, "IP", &spec.cluster_ip);
    out.field(0, "IPs", none_or(&spec.cluster_ips));
    if !spec.external_ips.is_empty() {
        out.field(0, "External IPs", spec.external_ips.join(","));
    }
    if !spec.load_balancer_ip.is_empty() {
        out.field(0, "Desired LoadBalancer IP", &spec.load_balancer_ip);
    }
    if !spec.external_name.is_empty() {
        out.field(0, "External Name", &spec.external_name);
    }
    if !service.status.load_balancer.ingress.is_empty() {
        out.field(0, "LoadBalancer Ingress", ingress_text(&service.status.load_balancer.ingress));
    }
    ports(out, service, slices);
    policies(out, service);
    events(out, shown_events);
}

fn ingress_text(ingress: &[LoadBalancerIngress]) -> String {
    let texts: Vec<String> = ingress
        .iter()
        .map(|entry| match (entry.ip.as_str(), &entry.ip_mode) {
            ("", _) => entry.hostname.clone(),
            (ip, Some(mode)) => format!("{ip} ({mode})"),
            (ip, None) => ip.to_owned(),
        })
        .collect();
    texts.join(", ")
}

fn ports(out: &mut Lines, service: &Service, slices: &[EndpointSlice]) {
    for port in &service.spec.ports {
        let name = or(&port.name, "<unset>");
        let protocol = &port.protocol;
        out.row(0, &[&"Port:", &name, &format_args!("{}/{protocol}", port.port)]);
        out.field(0, "TargetPort", format_args!("{}/{protocol}", port.target_port));
        if let Some(protocol) = &port.app_protocol {
            out.field(0, "AppProtocol", protocol);
        }
        if port.node_port != 0 {
            out.row(0, &[&"NodePort:", &name, &format_args!("{}/{protocol}", port.node_port)]);
        }
        out.field(0, "Endpoints", endpoints_text(slices, &port.name));
    }
}

fn policies(out: &mut Lines, service: &Service) {
    let spec = &service.spec;
    out.field(0, "Session Affinity", &spec.session_affinity);
    if !spec.external_traffic_policy.is_empty() {
        out.field(0, "External Traffic Policy", &spec.external_traffic_policy);
    }
    if let Some(policy) = &spec.internal_traffic_policy {
        out.field(0, "Internal Traffic Policy", policy);
    }
    if spec.health_check_node_port != 0 {
        out.field(0, "HealthCheck NodePort", spec.health_check_node_port);
    }
    if !spec.load_balancer_source_ranges.is_empty() {
        out.field(0, "LoadBalancer Source Ranges", spec.load_balancer_source_ranges.join(","));
    }
    if let Some(distribution) = &spec.traffic_distribution {
        out.field(0, "Traffic Distribution", distribution);
    }
}
