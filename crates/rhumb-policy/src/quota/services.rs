//! Usage of services.

use rhumb_api::core::v1::Service;

use super::arithmetic::{count, zero};
use crate::ResourceList;

pub(super) fn concerns(name: &str) -> bool {
    matches!(name, "count/services" | "services" | "services.nodeports" | "services.loadbalancers")
}

pub(super) fn usage(service: &Service) -> ResourceList {
    let spec = &service.spec;
    let (ports, balancers) = match spec.type_.as_str() {
        "NodePort" => (count(spec.ports.len()), zero()),
        // Ports that the server will give out are not there yet, so what is meant counts.
        "LoadBalancer" if spec.allocate_load_balancer_node_ports == Some(false) => {
            (count(spec.ports.iter().filter(|port| port.node_port != 0).count()), count(1))
        }
        "LoadBalancer" => (count(spec.ports.len()), count(1)),
        _ => (zero(), zero()),
    };
    ResourceList::from([
        ("count/services".to_owned(), count(1)),
        ("services".to_owned(), count(1)),
        ("services.nodeports".to_owned(), ports),
        ("services.loadbalancers".to_owned(), balancers),
    ])
}
