//! Locations: where a request leads that is passed on: the kubelet of a pod's node, a port of a pod or of a node,
//! an address behind a Service.
//!
//! Pods and nodes say themselves where they are. So that nobody is led to what only the server's own machine may
//! reach, requests of clients go to global addresses alone; only questions that the server asks itself, for logs
//! and streams, go to a kubelet wherever it is.

use std::net::IpAddr;

use rhumb_api::core::v1::{EndpointAddress, Endpoints, Node, Pod, Service};
use rhumb_meta::v1::StatusReason;
use rhumb_meta::validation::ip::parse_ip_sloppy;
use rhumb_meta::{GroupResource, Object};
use rhumb_schema::text::quoted;

use super::network::{Scheme, Target, Trust, addresses_of};
use crate::base::failure::{Failure, Outcome};
use crate::endpoints::context::RequestContext;

/// Where kubelets listen.
const KUBELET_PORT: u16 = 10250;
/// What a node declares whose kubelet speaks all that clients speak.
const SPEAKS_WEBSOCKET: &str = "ExtendWebSocketsToKubelet";

/// The kubelet of a node.
#[derive(Debug)]
pub(super) struct Kubelet {
    /// Where it is.
    pub(super) target: Target,
    /// Whether it takes the WebSockets of clients as they are.
    pub(super) speaks_websocket: bool,
}

/// The scheme, name and port in a name such as `https:name:80`.
fn split(id: &str) -> Option<(&str, &str, &str)> {
    let mut parts = id.split(':');
    let (scheme, name, port) = match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(name), None, ..) => ("", name, ""),
        (Some(name), Some(port), None, _) => ("", name, port),
        (Some(scheme), Some(name), Some(port), None) => (scheme, name, port),
        _ => return None,
    };
    (!name.is_empty() && matches!(scheme, "" | "http" | "https")).then_some((scheme, name, port))
}

fn scheme(name: &str) -> Scheme {
    if name == "https" { Scheme::Https } else { Scheme::Http }
}

/// A port as a number; one that nobody gave is that of the scheme. What is no number is invalid.
fn port(text: &str, scheme: Scheme, invalid: impl Fn() -> Failure) -> Outcome<u16> {
    match (text, scheme) {
        ("", Scheme::Http) => Ok(80),
        ("", Scheme::Https) => Ok(443),
        (text, _) if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().map_err(|_| {
            let why = format!("error trying to reach service: dial tcp: address {text}: invalid port");
            Failure::new(StatusReason::ServiceUnavailable, why)
        }),
        _ => Err(invalid()),
    }
}

/// Whether an address may be that of something else than the server's own machine or its neighbours.
fn is_global(address: IpAddr) -> bool {
    // One of the old family in the clothes of the new one is still what it is.
    let address = address.to_canonical();
    let is_local = match address {
        IpAddr::V4(v4) => v4.is_link_local() || v4.is_broadcast(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    };
    !is_local && !address.is_loopback() && !address.is_unspecified() && !address.is_multicast()
}

fn not_allowed() -> Failure {
    Failure::bad_request("address not allowed")
}

/// Where a request to a pod, a node or a Service is passed on to.
pub(super) async fn of_proxy(call: &RequestContext<'_>) -> Outcome<Target> {
    let id = &call.path.name;
    let resource = call.endpoint.resource.resource.to_string();
    let invalid =
        || Failure::bad_request(format!("invalid {} request {}", resource.trim_end_matches('s'), quoted(id)));
    let (scheme_name, name, port_text) = split(id).ok_or_else(invalid)?;
    let scheme = scheme(scheme_name);
    match resource.as_str() {
        "pods" => {
            let pod = pod(call, name).await?;
            let ports = pod.spec.containers.iter().filter_map(|one| one.ports.first());
            let declared = ports.map(|port| port.container_port.to_string()).next().unwrap_or_default();
            let wanted = if port_text.is_empty() { declared.as_str() } else { port_text };
            let told = pod.status.pod_ips.first().map(|one| one.ip.as_str()).unwrap_or_default();
            let address = parse_ip_sloppy(told).filter(|address| is_global(*address));
            let address = address.ok_or_else(not_allowed)?;
            Ok(Target {
                scheme,
                host: told.to_owned(),
                port: port(wanted, scheme, invalid)?,
                shows_port: !wanted.is_empty(),
                trust: Trust::Anybody,
                addresses: Some(vec![address]),
            })
        }
        "nodes" => {
            let mut target = kubelet(call, name, "nodes").await?.target;
            let addresses = addresses_of(&target.host)
                .await
                .map_err(|_| Failure::bad_request(format!("lookup {}: no such host", target.host)))?;
            if addresses.is_empty() {
                return Err(Failure::bad_request("no addresses for hostname"));
            }
            if !addresses.iter().all(|address| is_global(*address)) {
                return Err(not_allowed());
            }
            target.addresses = Some(addresses);
            if !port_text.is_empty() && port_text != target.port.to_string() {
                // What else listens on a node is no kubelet, and gets to see nothing that is meant for one.
                target.scheme = scheme;
                target.port = port(port_text, scheme, invalid)?;
                target.trust = Trust::Anybody;
            }
            Ok(target)
        }
        _ => {
            let (address, port) = behind_service(call, id, name, port_text).await?;
            Ok(Target {
                scheme,
                host: address.to_string(),
                port,
                shows_port: true,
                trust: Trust::Anybody,
                addresses: Some(vec![address]),
            })
        }
    }
}

/// An object of the core group; what is missing is called by the resource of the request.
async fn found(
    call: &RequestContext<'_>,
    resource: &str,
    called: &str,
    name: &str,
) -> Outcome<Box<dyn Object>> {
    let missing = || Failure::not_found(&GroupResource::new("", called.to_owned()), name);
    let resources = call.api.resources();
    let endpoint = resources.find("", "v1", resource).ok_or_else(missing)?;
    let storage = endpoint.storage.as_ref().ok_or_else(missing)?;
    let namespace = if endpoint.namespaced { call.path.namespace.as_str() } else { "" };
    let current = storage.current(&storage.key(namespace, name)?).await?;
    current.map(|current| current.hub).ok_or_else(missing)
}

/// A pod of the request's namespace.
pub(super) async fn pod(call: &RequestContext<'_>, name: &str) -> Outcome<Pod> {
    let found = found(call, "pods", "pods", name).await?;
    found.downcast_ref::<Pod>().cloned().ok_or_else(|| Failure::internal("it is no pod"))
}

/// The container that is meant.
pub(super) fn container(pod: &Pod, wanted: &str) -> Outcome<String> {
    let spec = &pod.spec;
    let ephemeral = spec.ephemeral_containers.iter().map(|one| one.ephemeral_container_common.name.as_str());
    let all = spec.init_containers.iter().chain(&spec.containers).map(|one| one.name.as_str());
    let all: Vec<&str> = all.chain(ephemeral).collect();
    let name = &pod.metadata.name;
    if !wanted.is_empty() {
        if all.contains(&wanted) {
            return Ok(wanted.to_owned());
        }
        return Err(Failure::bad_request(format!("container {wanted} is not valid for pod {name}")));
    }
    match spec.containers.as_slice() {
        [only] => Ok(only.name.clone()),
        [] => Err(Failure::bad_request(format!("a container name must be specified for pod {name}"))),
        _ => Err(Failure::bad_request(format!(
            "a container name must be specified for pod {name}, choose one of: [{}]",
            all.join(" ")
        ))),
    }
}

/// The kubelet of the node that a pod is on.
pub(super) async fn kubelet_of(call: &RequestContext<'_>, pod: &Pod) -> Outcome<Kubelet> {
    if pod.spec.node_name.is_empty() {
        let name = &call.path.name;
        return Err(Failure::bad_request(format!("pod {name} does not have a host assigned")));
    }
    kubelet(call, &pod.spec.node_name, "pods").await
}

/// The kubelet of a node.
pub(super) async fn kubelet(call: &RequestContext<'_>, name: &str, called: &str) -> Outcome<Kubelet> {
    let found = found(call, "nodes", called, name).await?;
    let Some(node) = found.downcast_ref::<Node>() else { return Err(Failure::internal("it is no node")) };
    let addresses = &node.status.addresses;
    let by_type = |wanted: &String| addresses.iter().find(|address| address.type_ == *wanted);
    let Some(address) = call.api.network.preferred_address_types().iter().find_map(by_type) else {
        let known: Vec<String> =
            addresses.iter().map(|one| format!("{{{} {}}}", one.type_, one.address)).collect();
        return Err(Failure::unexplained(format!(
            "no preferred addresses found; known addresses: [{}]",
            known.join(" ")
        )));
    };
    let told = u16::try_from(node.status.daemon_endpoints.kubelet_endpoint.port).ok();
    Ok(Kubelet {
        target: Target {
            scheme: Scheme::Https,
            host: address.address.clone(),
            port: told.filter(|port| *port > 0).unwrap_or(KUBELET_PORT),
            shows_port: true,
            trust: Trust::Kubelet,
            addresses: None,
        },
        speaks_websocket: node.status.declared_features.iter().any(|name| name == SPEAKS_WEBSOCKET),
    })
}

/// An address behind a Service: one that is that of a pod in its namespace, so that nobody reaches through a
/// Service what is not a pod's.
async fn behind_service(
    call: &RequestContext<'_>,
    id: &str,
    name: &str,
    port: &str,
) -> Outcome<(IpAddr, u16)> {
    let unavailable = |why: String| Failure::new(StatusReason::ServiceUnavailable, why);
    let mut port = port.to_owned();
    if let Ok(number) = port.parse::<i64>() {
        let found = found(call, "services", "services", name).await?;
        let ports = found.downcast_ref::<Service>().map(|service| service.spec.ports.as_slice());
        let known = ports.unwrap_or_default().iter().find(|known| i64::from(known.port) == number);
        let known = known.ok_or_else(|| {
            unavailable(format!("no service port {number} found for service {}", quoted(name)))
        })?;
        port.clone_from(&known.name);
    }
    let found = found(call, "endpoints", "services", name).await?;
    let subsets = found.downcast_ref::<Endpoints>().map(|endpoints| endpoints.subsets.as_slice());
    let subsets = subsets.unwrap_or_default();
    if subsets.is_empty() {
        return Err(unavailable(format!("no endpoints available for service {}", quoted(name))));
    }
    for subset in from_anywhere(call, subsets) {
        let ports = subset.ports.iter().filter(|known| known.name == port);
        for number in ports.filter_map(|known| u16::try_from(known.port).ok()) {
            for address in from_anywhere(call, &subset.addresses) {
                if let Some(address) = checked(call, address).await {
                    return Ok((address, number));
                }
            }
        }
    }
    Err(unavailable(format!("no endpoints available for service {}", quoted(id))))
}

/// All of them, beginning at a random one, so that all get their share.
fn from_anywhere<'a, T>(call: &RequestContext<'_>, all: &'a [T]) -> impl Iterator<Item = &'a T> {
    let random = usize::try_from(u32::from_be_bytes(call.api.environment.random())).unwrap_or_default();
    let first = random.checked_rem(all.len()).unwrap_or_default();
    let (before, after) = all.split_at_checked(first).unwrap_or((&[], all));
    after.iter().chain(before)
}

/// The address of an endpoint, if it is that of the pod that it names.
async fn checked(call: &RequestContext<'_>, endpoint: &EndpointAddress) -> Option<IpAddr> {
    let target = endpoint.target_ref.as_ref()?;
    if target.namespace != call.path.namespace {
        return None;
    }
    let pod = pod(call, &target.name).await.ok()?;
    let is_its = pod.status.pod_ips.iter().any(|one| one.ip == endpoint.ip);
    parse_ip_sloppy(&endpoint.ip).filter(|address| is_its && is_global(*address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_scheme_and_a_port() {
        for (id, expect) in [
            ("a", Some(("", "a", ""))),
            ("a:80", Some(("", "a", "80"))),
            ("a:", Some(("", "a", ""))),
            ("https:a:web", Some(("https", "a", "web"))),
            ("https:a:", Some(("https", "a", ""))),
            (":a:80", Some(("", "a", "80"))),
            ("ftp:a:80", None),
            ("http::80", None),
            (":80", None),
            ("", None),
            ("http:a:80:x", None),
        ] {
            assert_eq!(split(id), expect, "{id:?}");
        }
    }

    #[test]
    fn the_machine_itself_is_out_of_reach() {
        for address in [
            "127.0.0.1",
            "::1",
            "::ffff:127.0.0.1",
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "fe80::1",
            "0.0.0.0",
            "::",
            "224.0.0.1",
            "ff02::1",
            "255.255.255.255",
        ] {
            assert!(!is_global(address.parse().unwrap()), "{address}");
        }
        for address in ["10.0.0.1", "192.168.0.1", "8.8.8.8", "fd00::1", "2001:db8::1"] {
            assert!(is_global(address.parse().unwrap()), "{address}");
        }
    }
}
