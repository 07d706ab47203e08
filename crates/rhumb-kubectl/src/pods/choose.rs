//! Selects the pod and container of a command.

use std::cmp::Ordering;
use std::time::Duration;

use rhumb_api::core::v1::{Container, EphemeralContainer, Pod};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure};
use rhumb_client::{Client, WatchEvent, from_unstructured};
use rhumb_meta::v1::{LabelSelector, ListOptions};
use rhumb_scheme::Unstructured;
use serde_json::Value;

use super::order;

/// Annotation with the default container.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// Parses `--pod-running-timeout`.
pub(crate) fn running_timeout(call: &Call) -> Result<Duration, Failure> {
    match call.flags.nanoseconds("pod-running-timeout") {
        ..=0 => Err("--pod-running-timeout must be higher than zero".into()),
        _ => Ok(call.flags.duration("pod-running-timeout")),
    }
}

/// A container of any type.
#[derive(Clone, Copy)]
pub(crate) struct ContainerRef<'a> {
    /// Name.
    pub(crate) name: &'a str,
    /// Whether it has a terminal.
    pub(crate) tty: bool,
    /// Field of the pod's spec: `containers`, `initContainers`, `ephemeralContainers`.
    pub(crate) list: &'static str,
}

impl<'a> ContainerRef<'a> {
    fn regular(container: &'a Container) -> Self {
        ContainerRef { name: &container.name, tty: container.tty, list: "containers" }
    }

    fn initial(container: &'a Container) -> Self {
        ContainerRef { name: &container.name, tty: container.tty, list: "initContainers" }
    }

    fn ephemeral(container: &'a EphemeralContainer) -> Self {
        let container = &container.ephemeral_container_common;
        ContainerRef { name: &container.name, tty: container.tty, list: "ephemeralContainers" }
    }

    /// Reports whether it was put into the running pod.
    pub(crate) fn is_ephemeral(&self) -> bool {
        self.list == "ephemeralContainers"
    }
}

/// Returns a container by its name.
pub(crate) fn container<'a>(pod: &'a Pod, name: &str) -> Option<ContainerRef<'a>> {
    let spec = &pod.spec;
    let regular = spec.containers.iter().map(ContainerRef::regular);
    let initial = spec.init_containers.iter().map(ContainerRef::initial);
    let ephemeral = spec.ephemeral_containers.iter().map(ContainerRef::ephemeral);
    regular.chain(initial).chain(ephemeral).find(|container| container.name == name)
}

/// Returns the names of all containers, for a message.
pub(crate) fn container_names(pod: &Pod) -> String {
    let spec = &pod.spec;
    let mut names: Vec<String> = spec.containers.iter().map(|container| container.name.clone()).collect();
    let ephemeral = spec.ephemeral_containers.iter().map(|container| &container.ephemeral_container_common);
    names.extend(ephemeral.map(|container| format!("{} (ephem)", container.name)));
    names.extend(spec.init_containers.iter().map(|container| format!("{} (init)", container.name)));
    names.join(", ")
}

/// Returns a container that a pod doesn't have.
pub(crate) fn no_such_container(pod: &Pod, name: &str) -> Failure {
    Failure::message(format!(
        "container {name} is not valid for pod {} out of: {}",
        pod.metadata.name,
        container_names(pod)
    ))
}

/// Returns the container that is named, or the one that the pod prefers, or the first; the last with a word about it.
pub(crate) fn container_or_default<'a>(
    call: &mut Call,
    pod: &'a Pod,
    name: &str,
    quiet: bool,
) -> Result<ContainerRef<'a>, Failure> {
    let Some(first) = pod.spec.containers.first() else {
        return Err(Failure::message(format!(
            "pod {}/{} does not have any containers",
            pod.metadata.namespace, pod.metadata.name
        )));
    };
    let preferred = pod.metadata.annotations.get(DEFAULT_CONTAINER).map_or("", String::as_str);
    let name = if name.is_empty() { preferred } else { name };
    if !name.is_empty() {
        return container(pod, name).ok_or_else(|| no_such_container(pod, name));
    }
    if !quiet && has_several(pod) {
        call.warn(format!("Defaulted container {:?} out of: {}", first.name, container_names(pod)));
    }
    Ok(ContainerRef::regular(first))
}

/// Returns the container that the pod prefers, if it has it.
pub(crate) fn preferred(pod: &Pod) -> Option<&str> {
    pod.metadata.annotations.get(DEFAULT_CONTAINER).map(String::as_str).filter(|name| !name.is_empty())
}

/// Reports whether there is more than one container to choose from.
pub(crate) fn has_several(pod: &Pod) -> bool {
    pod.spec.containers.len() > 1
        || !pod.spec.init_containers.is_empty()
        || !pod.spec.ephemeral_containers.is_empty()
}

/// Order of preference of pods.
pub(crate) type PodOrder = fn(&Pod, &Pod) -> Ordering;

/// Returns the pod that an object is or has: the most active of several.
pub(crate) async fn attachable(info: &Info, timeout: Duration) -> Result<Pod, Failure> {
    let object = info.object()?;
    if is_pod(info) {
        return Ok(from_unstructured::<Pod>(object)?);
    }
    let (namespace, selector) = selector(info)
        .map_err(|reason| Failure::message(format!("cannot attach to {}: {reason}", go_type(info))))?;
    let pods = matching(info.client()?, &namespace, &selector, timeout, order::most_active_first).await?;
    pods.into_iter().next().ok_or_else(|| "there is no pod".into())
}

/// Reports whether an info is about a pod.
pub(crate) fn is_pod(info: &Info) -> bool {
    info.mapping.kind.group.is_empty() && info.mapping.kind.kind == "Pod"
}

/// Returns the Go type of an object for messages: `*v1.Deployment`.
pub(crate) fn go_type(info: &Info) -> String {
    format!("*{}.{}", info.mapping.kind.version, info.mapping.kind.kind)
}

/// Returns the namespace and the selector of an object that has pods.
pub(crate) fn selector(info: &Info) -> Result<(String, String), String> {
    let object = info.object.as_ref().ok_or_else(|| "it was not fetched".to_owned())?;
    let text = |path: &[&str]| object.get(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let namespace = text(&["metadata", "namespace"]);
    let found = object.get(&["spec", "selector"]).cloned().unwrap_or(Value::Null);
    let kind = &info.mapping.kind;
    let selector = match (&*kind.group, &*kind.kind) {
        ("apps" | "extensions", "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Deployment")
        | ("batch", "Job") => {
            let tree = serde_json::json!({ "selector": found });
            label_selector(&tree).map_err(|error| format!("invalid label selector: {error}"))?
        }
        ("", "ReplicationController") => equalities(&found),
        ("", "Service") => match equalities(&found) {
            selector if selector.is_empty() => {
                let name = text(&["metadata", "name"]);
                return Err(format!("invalid service '{name}': Service is defined without a selector"));
            }
            selector => selector,
        },
        _ => return Err(format!("selector for {} not implemented", go_type(info))),
    };
    Ok((namespace, selector))
}

fn label_selector(tree: &Value) -> Result<String, String> {
    let mut selector = LabelSelector::default();
    if let Some(value) = tree.get("selector").filter(|value| !value.is_null()) {
        let text = value.to_string();
        rhumb_codec::json::decode_into(text.as_bytes(), &mut selector, rhumb_codec::Strictness::Ignore)
            .map_err(|error| error.to_string())?;
    }
    selector.to_selector().map(|selector| selector.to_string()).map_err(|error| error.to_string())
}

fn equalities(labels: &Value) -> String {
    let pairs = labels.as_object().into_iter().flatten();
    let pairs: Vec<String> =
        pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    pairs.join(",")
}

/// Returns the pods that a selector chooses, in order. If there are none yet, the first that comes in time.
pub(crate) async fn matching(
    client: &Client,
    namespace: &str,
    selector: &str,
    timeout: Duration,
    order: PodOrder,
) -> Result<Vec<Pod>, Failure> {
    let api = client.core_v1().pods(namespace);
    let options = ListOptions { label_selector: selector.to_owned(), ..ListOptions::default() };
    let mut list = api.list(&options).await?;
    if !list.items.is_empty() {
        list.items.sort_by(order);
        return Ok(list.items);
    }
    let options = ListOptions { resource_version: list.metadata.resource_version, ..options };
    let mut events = api.watch(&options).await?;
    let first = async {
        while let Some(event) = events.next().await {
            if let WatchEvent::Added(pod) | WatchEvent::Modified(pod) = event? {
                return Ok(pod);
            }
        }
        Err(Failure::message("watch closed before UntilWithoutRetry timeout"))
    };
    match tokio::time::timeout(timeout, first).await {
        Ok(pod) => Ok(vec![pod?]),
        Err(_) => Err("timed out waiting for the condition".into()),
    }
}

/// Returns the typed pod of an object.
pub(crate) fn pod(object: &Unstructured) -> Result<Pod, Failure> {
    Ok(from_unstructured::<Pod>(object)?)
}
