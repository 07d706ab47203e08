//! Fields of services that depend on their type: addresses, node ports, policies.
//!
//! A client that changes the type sends back what the old type had been given. What it leaves as it was is
//! dropped where the new type has no use for it, and what it leaves out is kept where the new type needs it
//! too. What it changes is left in, for validation to judge.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::core::v1::{LoadBalancerStatus, Service};

/// Reports whether the type has an address in the cluster.
pub(super) fn needs_cluster_ip(service: &Service) -> bool {
    service.spec.type_ != "ExternalName"
}

/// Reports whether the type can have ports on nodes.
fn may_have_node_ports(service: &Service) -> bool {
    matches!(service.spec.type_.as_str(), "NodePort" | "LoadBalancer")
}

/// Reports whether the service gets ports on nodes; those behind a load balancer can do without.
fn needs_node_ports(service: &Service) -> bool {
    match service.spec.type_.as_str() {
        "NodePort" => true,
        "LoadBalancer" => service.spec.allocate_load_balancer_node_ports.unwrap_or(true),
        _ => false,
    }
}

fn needs_health_check_port(service: &Service) -> bool {
    is_load_balancer(service) && service.spec.external_traffic_policy == "Local"
}

fn is_load_balancer(service: &Service) -> bool {
    service.spec.type_ == "LoadBalancer"
}

fn is_reached_from_outside(service: &Service) -> bool {
    let spec = &service.spec;
    may_have_node_ports(service) || (spec.type_ == "ClusterIP" && !spec.external_ips.is_empty())
}

fn node_ports(service: &Service) -> BTreeSet<i32> {
    service.spec.ports.iter().map(|port| port.node_port).filter(|port| *port != 0).collect()
}

/// Drops what the old type had and the new one has not.
pub(super) fn drop_what_the_type_has_not(new: &mut Service, old: &Service) {
    let before = &old.spec;
    if needs_cluster_ip(old) && !needs_cluster_ip(new) {
        let spec = &mut new.spec;
        if spec.cluster_ip == before.cluster_ip && spec.cluster_ips == before.cluster_ips {
            spec.cluster_ip.clear();
            spec.cluster_ips.clear();
        }
        if spec.ip_families == before.ip_families {
            spec.ip_families.clear();
        }
        let policy = |policy: &Option<String>| policy.clone().unwrap_or_default();
        if policy(&spec.ip_family_policy) == policy(&before.ip_family_policy) {
            spec.ip_family_policy = None;
        }
    }
    if may_have_node_ports(old) && !may_have_node_ports(new) && node_ports(old).is_superset(&node_ports(new))
    {
        new.spec.ports.iter_mut().for_each(|port| port.node_port = 0);
    }
    if needs_health_check_port(old)
        && !needs_health_check_port(new)
        && new.spec.health_check_node_port == before.health_check_node_port
    {
        new.spec.health_check_node_port = 0;
    }
    if is_load_balancer(old) && !is_load_balancer(new) {
        if new.spec.allocate_load_balancer_node_ports == before.allocate_load_balancer_node_ports {
            new.spec.allocate_load_balancer_node_ports = None;
        }
        if new.spec.load_balancer_class == before.load_balancer_class {
            new.spec.load_balancer_class = None;
        }
    }
    if is_reached_from_outside(old)
        && !is_reached_from_outside(new)
        && new.spec.external_traffic_policy == before.external_traffic_policy
    {
        new.spec.external_traffic_policy.clear();
    }
    if !is_load_balancer(new) {
        new.status.load_balancer = LoadBalancerStatus::default();
    }
}

/// Takes over what the old service was given, where the new one says nothing and needs it.
pub(super) fn keep_allocated(new: &mut Service, old: &Service) {
    if needs_cluster_ip(old) && needs_cluster_ip(new) {
        if new.spec.cluster_ip.is_empty() {
            new.spec.cluster_ip.clone_from(&old.spec.cluster_ip);
        }
        if new.spec.cluster_ips.is_empty() {
            new.spec.cluster_ips.clone_from(&old.spec.cluster_ips);
        }
    }
    if needs_node_ports(old) && needs_node_ports(new) {
        let used: BTreeSet<i32> = node_ports(old).intersection(&node_ports(new)).copied().collect();
        let by_name: BTreeMap<&str, i32> =
            old.spec.ports.iter().map(|port| (port.name.as_str(), port.node_port)).collect();
        for port in new.spec.ports.iter_mut().filter(|port| port.node_port == 0) {
            let given = by_name.get(port.name.as_str()).copied().unwrap_or(0);
            if !used.contains(&given) {
                port.node_port = given;
            }
        }
    }
    if needs_health_check_port(old) && needs_health_check_port(new) && new.spec.health_check_node_port == 0 {
        new.spec.health_check_node_port = old.spec.health_check_node_port;
    }
}

/// Makes the one address and the list of addresses agree, for clients that know only the one.
pub(super) fn settle_cluster_ips(new: &mut Service, old: Option<&Service>) {
    let spec = &mut new.spec;
    let Some(old) = old.map(|old| &old.spec) else {
        if !spec.cluster_ip.is_empty() && spec.cluster_ips.is_empty() {
            spec.cluster_ips = vec![spec.cluster_ip.clone()];
        }
        return;
    };
    if spec.cluster_ip == old.cluster_ip {
        if spec.cluster_ips.is_empty() {
            spec.cluster_ips.clone_from(&old.cluster_ips);
        }
    } else if spec.cluster_ips == old.cluster_ips {
        // Only the one was changed, so it speaks for the list.
        let one = Some(spec.cluster_ip.clone());
        let cleared = !old.cluster_ip.is_empty() && spec.cluster_ip.is_empty();
        spec.cluster_ips = one.filter(|_| !cleared).into_iter().collect();
    }
}
