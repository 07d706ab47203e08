//! The server as a service of its own cluster: the networks that services get addresses from, the first of
//! these addresses, and where the server itself is behind it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use rhumb_api::core::v1::Service;
use rhumb_api::networking::v1::ServiceCIDR;
use rhumb_meta::v1::Condition;
use serde_json::json;

use super::objects::applied;
use super::{Settings, Upkeep, Wanted};

const NAME: &str = "kubernetes";
const NETWORKING: &str = "networking.k8s.io";
/// The port that the service has, wherever the server listens.
const PORT: u16 = 443;

/// The objects that lead to the server.
pub(super) fn everything(settings: &Settings) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    if !settings.service_networks.is_empty() {
        wanted.push(networks(&settings.service_networks));
    }
    let Some((ip, _)) = settings.service_networks.first().and_then(|(ip, bits)| Some((first(*ip)?, bits)))
    else {
        return wanted;
    };
    let target = settings.address.map_or(6443, |(_, port)| port);
    wanted.push(address(ip));
    wanted.push(service(ip, target));
    if let Some((address, port)) = settings.address.filter(|(address, _)| is_reachable(*address)) {
        wanted.extend(endpoints(address, port));
    }
    wanted
}

/// The first address of a network that can be given out.
fn first(network: IpAddr) -> Option<IpAddr> {
    Some(match network {
        IpAddr::V4(ip) => IpAddr::V4(Ipv4Addr::from(u32::from(ip).checked_add(1)?)),
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from(u128::from(ip).checked_add(1)?)),
    })
}

/// Whether others can reach an address: endpoints may be neither the machine itself nor nowhere.
fn is_reachable(address: IpAddr) -> bool {
    !address.is_loopback() && !address.is_unspecified()
}

fn family(ip: IpAddr) -> &'static str {
    if ip.is_ipv4() { "IPv4" } else { "IPv6" }
}

fn networks(networks: &[(IpAddr, u8)]) -> Wanted {
    let cidrs: Vec<String> = networks.iter().map(|(ip, bits)| format!("{ip}/{bits}")).collect();
    let tree = json!({"metadata": {"name": NAME}, "spec": {"cidrs": cidrs}});
    let mut wanted = Wanted::new(NETWORKING, "servicecidrs", tree);
    wanted.finish = Box::new(|object, now| {
        let Some(networks) = object.downcast_mut::<ServiceCIDR>() else { return };
        networks.status.conditions.push(Condition {
            type_: "Ready".to_owned(),
            status: "True".to_owned(),
            last_transition_time: now,
            message: "Kubernetes default Service CIDR is ready".to_owned(),
            ..Condition::default()
        });
        let fields = json!({"f:status": {"f:conditions": {"k:{\"type\":\"Ready\"}": {
            ".": {}, "f:lastTransitionTime": {}, "f:message": {}, "f:status": {}, "f:type": {}
        }}}});
        applied(object, "kubernetes-service-cidr-controller", "networking.k8s.io/v1", &fields, now);
    });
    wanted
}

fn address(ip: IpAddr) -> Wanted {
    let tree = json!({
        "metadata": {"name": ip.to_string(), "labels": {
            "ipaddress.kubernetes.io/ip-family": family(ip),
            "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"
        }},
        "spec": {"parentRef": {"name": NAME, "namespace": "default", "resource": "services"}}
    });
    Wanted::new(NETWORKING, "ipaddresses", tree)
}

fn service(ip: IpAddr, target: u16) -> Wanted {
    let tree = json!({
        "metadata": {"name": NAME, "labels": {"component": "apiserver", "provider": NAME}},
        "spec": {
            "clusterIP": ip.to_string(),
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": PORT, "protocol": "TCP", "targetPort": target}],
            "sessionAffinity": "None",
            "type": "ClusterIP"
        }
    });
    let mut wanted = Wanted { namespace: "default", ..Wanted::new("", "services", tree) };
    // This is the part that giving out addresses has in a service.
    wanted.finish = Box::new(move |object, _| {
        if let Some(service) = object.downcast_mut::<Service>() {
            service.spec.cluster_ips = vec![ip.to_string()];
            service.spec.ip_families = vec![family(ip).to_owned()];
        }
    });
    wanted
}

fn endpoints(address: IpAddr, port: u16) -> [Wanted; 2] {
    let ports = json!([{"name": "https", "port": port, "protocol": "TCP"}]);
    let endpoints = json!({
        "metadata": {"name": NAME, "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}},
        "subsets": [{"addresses": [{"ip": address.to_string()}], "ports": ports}]
    });
    let slice = json!({
        "metadata": {"name": NAME, "labels": {"kubernetes.io/service-name": NAME}},
        "addressType": family(address),
        "endpoints": [{"addresses": [address.to_string()], "conditions": {"ready": true}}],
        "ports": ports
    });
    [
        Wanted {
            namespace: "default",
            upkeep: Upkeep::Fields { names: &["subsets"], unless: "" },
            ..Wanted::new("", "endpoints", endpoints)
        },
        Wanted {
            namespace: "default",
            upkeep: Upkeep::Fields { names: &["endpoints", "ports"], unless: "" },
            ..Wanted::new("discovery.k8s.io", "endpointslices", slice)
        },
    ]
}
