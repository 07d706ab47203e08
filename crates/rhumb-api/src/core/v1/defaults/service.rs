//! Defaults of services.

use rhumb_meta::IntOrString;
use rhumb_scheme::SchemeBuilder;

use super::super::{Service, ServicePort, ServiceSpec};
use super::fill;

/// Three hours.
const CLIENT_IP_TIMEOUT: i32 = 10800;

pub(super) fn register(builder: &mut SchemeBuilder) {
    builder.defaults(service).defaults(service_port);
}

fn service(service: &mut Service) {
    let spec = &mut service.spec;
    session_affinity(spec);
    fill(&mut spec.type_, "ClusterIP");
    let type_ = spec.type_.as_str();
    let reached_from_outside = matches!(type_, "LoadBalancer" | "NodePort")
        || (type_ == "ClusterIP" && !spec.external_ips.is_empty());
    if reached_from_outside {
        fill(&mut spec.external_traffic_policy, "Cluster");
    }
    if matches!(type_, "NodePort" | "LoadBalancer" | "ClusterIP") {
        spec.internal_traffic_policy.get_or_insert_with(|| "Cluster".to_owned());
    }
    if type_ == "LoadBalancer" {
        spec.allocate_load_balancer_node_ports.get_or_insert(true);
        for ingress in &mut service.status.load_balancer.ingress {
            if !ingress.ip.is_empty() {
                ingress.ip_mode.get_or_insert_with(|| "VIP".to_owned());
            }
        }
    }
}

/// The details belong to the choice: none without affinity, and a timeout with it.
fn session_affinity(spec: &mut ServiceSpec) {
    fill(&mut spec.session_affinity, "None");
    match spec.session_affinity.as_str() {
        "None" => spec.session_affinity_config = None,
        "ClientIP" => {
            let config = spec.session_affinity_config.get_or_insert_default();
            config.client_ip.get_or_insert_default().timeout_seconds.get_or_insert(CLIENT_IP_TIMEOUT);
        }
        _ => {}
    }
}

/// A service forwards to the same port unless another one is given.
fn service_port(port: &mut ServicePort) {
    let unset = match &port.target_port {
        IntOrString::Int(number) => *number == 0,
        IntOrString::String(name) => name.is_empty(),
    };
    if unset {
        port.target_port = IntOrString::Int(port.port);
    }
}
