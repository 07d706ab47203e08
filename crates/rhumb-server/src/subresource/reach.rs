//! What leads through the server to nodes, pods and Services: logs, streams and proxies.
//!
//! This server knows where they would lead, and says so as Kubernetes does when nobody answers there. It passes
//! nothing on.

use rhumb_api::core::v1::{Endpoints, Node, Pod, PodAttachOptions, PodExecOptions, PodLogOptions, Service};
use rhumb_codec::query;
use rhumb_meta::v1::StatusReason;
use rhumb_meta::validation::ip::parse_ip_sloppy;
use rhumb_meta::{GroupResource, Object};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::FieldErrors;

use crate::call::Call;
use crate::failure::{Failure, Outcome};
use crate::respond::{self, Answer};

/// Where kubelets listen.
const KUBELET_PORT: i32 = 10250;
/// The addresses of nodes in the order in which they are tried.
const PREFERRED: &[&str] = &["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

/// The log of a container.
pub(super) async fn log(call: &Call<'_>) -> Outcome<Answer> {
    let mut options = PodLogOptions::default();
    query::from_query(call.query, &mut options).map_err(|error| Failure::bad_request(error.to_string()))?;
    let mut errors = FieldErrors::default();
    rhumb_validation::pod_log_options(&options, &mut errors);
    if !errors.is_empty() {
        let kind = call.endpoint.place().with_kind("PodLogOptions");
        return Err(Failure::invalid(&kind, &call.path.name, &errors));
    }
    let pod = pod(call, &call.path.name).await?;
    let container = container(&pod, &options.container)?;
    if pod.spec.node_name.is_empty() {
        let mut answer = respond::bytes(204, "text/plain", Vec::new());
        answer.headers_mut().remove(http::header::CONTENT_TYPE);
        return Ok(answer);
    }
    let host = kubelet(call, &pod.spec.node_name, "pods").await?;
    let meta = &pod.metadata;
    let url = format!("https://{host}/containerLogs/{}/{}/{container}", meta.namespace, meta.name);
    Err(Failure::unexplained(format!("Get {}: {}", quoted(url), unreachable(&host))))
}

/// A stream to a container or to a port.
pub(super) async fn stream(call: &Call<'_>, name: &str) -> Outcome<Answer> {
    let read = |error: query::ValueError| Failure::bad_request(error.to_string());
    let mut wanted = None;
    match name {
        "exec" => {
            let mut options = PodExecOptions::default();
            query::from_query(call.query, &mut options).map_err(read)?;
            wanted = Some(options.container);
        }
        "attach" => {
            let mut options = PodAttachOptions::default();
            query::from_query(call.query, &mut options).map_err(read)?;
            wanted = Some(options.container);
        }
        _ => {}
    }
    let pod = pod(call, &call.path.name).await?;
    if let Some(wanted) = wanted {
        container(&pod, &wanted)?;
    }
    if pod.spec.node_name.is_empty() {
        let name = &call.path.name;
        return Err(Failure::bad_request(format!("pod {name} does not have a host assigned")));
    }
    let host = kubelet(call, &pod.spec.node_name, "pods").await?;
    Err(Failure::unexplained(format!("error dialing backend: {}", unreachable(&host))))
}

/// A request that is passed on.
pub(super) async fn proxy(call: &Call<'_>) -> Outcome<Answer> {
    let resource = call.endpoint.resource.resource.to_string();
    let Some((_, name, port)) = target(&call.path.name) else {
        let what = resource.trim_end_matches('s');
        let shown = quoted(&call.path.name);
        return Err(Failure::bad_request(format!("invalid {what} request {shown}")));
    };
    let host = match resource.as_str() {
        "pods" => {
            let pod = pod(call, name).await?;
            let ports = pod.spec.containers.iter().filter_map(|one| one.ports.first());
            let first = ports.map(|port| port.container_port.to_string()).next();
            let address = pod.status.pod_ips.first().map(|one| one.ip.clone()).unwrap_or_default();
            if !is_reachable(&address) {
                return Err(Failure::bad_request("address not allowed"));
            }
            let port =
                if port.is_empty() { first.unwrap_or_else(|| "80".to_owned()) } else { port.to_owned() };
            joined(&address, &port)
        }
        "nodes" => {
            let host = kubelet(call, name, "nodes").await?;
            match host.rsplit_once(':') {
                Some((address, _)) if !port.is_empty() => format!("{address}:{port}"),
                _ => host,
            }
        }
        _ => service_address(call, name, port).await?,
    };
    Ok(respond::text(503, &format!("error trying to reach service: {}", unreachable(&host))))
}

fn unreachable(host: &str) -> String {
    format!("dial tcp {host}: connect: connection refused")
}

fn joined(address: &str, port: &str) -> String {
    if address.contains(':') { format!("[{address}]:{port}") } else { format!("{address}:{port}") }
}

/// Whether an address may be that of something else than the server's own machine.
fn is_reachable(address: &str) -> bool {
    parse_ip_sloppy(address).is_some_and(|ip| {
        let local = match ip {
            std::net::IpAddr::V4(v4) => v4.is_link_local() || v4.is_broadcast(),
            std::net::IpAddr::V6(v6) => v6.is_unicast_link_local(),
        };
        !ip.is_loopback() && !ip.is_unspecified() && !ip.is_multicast() && !local
    })
}

/// The scheme, name and port in a name such as `https:name:80`.
fn target(id: &str) -> Option<(&str, &str, &str)> {
    let parts: Vec<&str> = id.split(':').collect();
    let (scheme, name, port) = match parts.as_slice() {
        [name] => ("", *name, ""),
        [name, port] => ("", *name, *port),
        [scheme, name, port] => (*scheme, *name, *port),
        _ => return None,
    };
    (!name.is_empty() && matches!(scheme, "" | "http" | "https")).then_some((scheme, name, port))
}

/// An object of the core group; what is missing is called by the resource of the request.
async fn found(call: &Call<'_>, resource: &str, called: &str, name: &str) -> Outcome<Box<dyn Object>> {
    let missing = || Failure::not_found(&GroupResource::new("", called.to_owned()), name);
    let resources = call.api.resources();
    let endpoint = resources.find("", "v1", resource).ok_or_else(missing)?;
    let storage = endpoint.storage.as_ref().ok_or_else(missing)?;
    let namespace = if endpoint.namespaced { call.path.namespace.as_str() } else { "" };
    let current = storage.current(&storage.key(namespace, name)?).await?;
    current.map(|current| current.hub).ok_or_else(missing)
}

async fn pod(call: &Call<'_>, name: &str) -> Outcome<Pod> {
    let found = found(call, "pods", "pods", name).await?;
    found.downcast_ref::<Pod>().cloned().ok_or_else(|| Failure::internal("it is no pod"))
}

/// The container that is meant.
fn container(pod: &Pod, wanted: &str) -> Outcome<String> {
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

/// Where the kubelet of a node listens.
async fn kubelet(call: &Call<'_>, name: &str, called: &str) -> Outcome<String> {
    let found = found(call, "nodes", called, name).await?;
    let Some(node) = found.downcast_ref::<Node>() else { return Err(Failure::internal("it is no node")) };
    let addresses = &node.status.addresses;
    let by_type = |wanted: &&str| addresses.iter().find(|address| address.type_ == *wanted);
    let Some(address) = PREFERRED.iter().find_map(by_type) else {
        let known: Vec<String> =
            addresses.iter().map(|one| format!("{{{} {}}}", one.type_, one.address)).collect();
        return Err(Failure::unexplained(format!(
            "no preferred addresses found; known addresses: [{}]",
            known.join(" ")
        )));
    };
    let port = Some(node.status.daemon_endpoints.kubelet_endpoint.port).filter(|port| *port > 0);
    Ok(joined(&address.address, &port.unwrap_or(KUBELET_PORT).to_string()))
}

/// An address behind a Service.
async fn service_address(call: &Call<'_>, name: &str, port: &str) -> Outcome<String> {
    let unavailable = |why: String| Err(Failure::new(StatusReason::ServiceUnavailable, why));
    let shown = quoted(name);
    let mut port = port.to_owned();
    if let Ok(number) = port.parse::<i64>() {
        let found = found(call, "services", "services", name).await?;
        let ports = found.downcast_ref::<Service>().map(|service| service.spec.ports.clone());
        let ports = ports.unwrap_or_default();
        let Some(known) = ports.iter().find(|known| i64::from(known.port) == number) else {
            return unavailable(format!("no service port {number} found for service {shown}"));
        };
        port.clone_from(&known.name);
    }
    let found = found(call, "endpoints", "services", name).await?;
    let subsets = found.downcast_ref::<Endpoints>().map(|endpoints| endpoints.subsets.clone());
    let subsets = subsets.unwrap_or_default();
    let ready = subsets.iter().filter_map(|subset| {
        let address = subset.addresses.first()?;
        let port = subset.ports.iter().find(|known| known.name == port)?;
        Some(joined(&address.ip, &port.port.to_string()))
    });
    match ready.into_iter().next() {
        Some(address) => Ok(address),
        None => unavailable(format!("no endpoints available for service {shown}")),
    }
}
