//! Usage of pods, and their scopes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::core::v1::{Container, ContainerStatus, Pod, ResourceRequirements};
use rhumb_meta::validation::is_qualified_name;
use rhumb_meta::{Object, Time};

use super::arithmetic::count;
use crate::ResourceList;
use crate::resources::{Side, add, is_sidecar, of_containers, raise};

const NAMES: &[&str] = &[
    "count/pods",
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
];

/// Resources that containers must set if a quota bounds them; kept as in Kubernetes.
const REQUIRED: &[&str] =
    &["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

const DEVICE_CLASS: &str = "deviceclass.resource.kubernetes.io/";

pub(super) fn concerns(name: &str) -> bool {
    NAMES.contains(&name)
        || name.starts_with("hugepages-")
        || name.starts_with("requests.hugepages-")
        || name
            .strip_prefix("requests.")
            .is_some_and(|resource| !is_native(name) || resource.starts_with(DEVICE_CLASS))
}

/// Reports whether a resource is one of Kubernetes' own.
fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Reports whether a resource is one that nodes or device classes bring.
fn is_extended(name: &str) -> bool {
    let is_plain = !is_native(name)
        && !name.starts_with("requests.")
        && is_qualified_name(&format!("requests.{name}")).is_empty();
    is_plain || name.starts_with(DEVICE_CLASS)
}

pub(super) fn usage(pod: &Pod, now: Time) -> ResourceList {
    let mut usage = ResourceList::from([("count/pods".to_owned(), count(1))]);
    if is_charged(pod, now) {
        usage.extend(compute(&whole(pod, Side::Requests), &whole(pod, Side::Limits)));
    }
    usage
}

/// Reports whether a pod still takes something: it has not ended, nor should it long be gone.
pub(super) fn is_charged(pod: &Pod, now: Time) -> bool {
    if matches!(pod.status.phase.as_str(), "Failed" | "Succeeded") {
        return false;
    }
    let (Some(deleted), Some(grace)) =
        (&pod.metadata.deletion_timestamp, pod.metadata.deletion_grace_period_seconds)
    else {
        return true;
    };
    let end = Time::from_unix(deleted.unix_seconds().saturating_add(grace), i64::from(deleted.nanos()));
    now <= end
}

/// Returns the names under which requests and limits are charged.
fn compute(requests: &ResourceList, limits: &ResourceList) -> ResourceList {
    let mut usage = ResourceList::from([("pods".to_owned(), count(1))]);
    for name in ["cpu", "memory", "ephemeral-storage"] {
        if let Some(amount) = requests.get(name) {
            usage.insert(name.to_owned(), amount.clone());
            usage.insert(format!("requests.{name}"), amount.clone());
        }
        if let Some(amount) = limits.get(name) {
            usage.insert(format!("limits.{name}"), amount.clone());
        }
    }
    for (name, amount) in requests {
        let is_pages = name.starts_with("hugepages-");
        if is_pages {
            usage.insert(name.clone(), amount.clone());
        }
        if is_pages || is_extended(name) {
            usage.insert(format!("requests.{name}"), amount.clone());
        }
    }
    usage
}

/// Returns the resources of a whole pod including overhead.
fn whole(pod: &Pod, side: Side) -> ResourceList {
    let statuses = Statuses::of(pod);
    let mut sum = of_containers(pod, |container| statuses.effective(container, side));
    if let Some(own) = &pod.spec.resources {
        let own = side.of(own).iter().filter(|(name, _)| is_for_whole_pods(name));
        sum.extend(own.map(|(name, amount)| (name.clone(), amount.clone())));
    }
    match side {
        Side::Requests => add(&mut sum, &pod.spec.overhead),
        Side::Limits => {
            for (name, amount) in &pod.spec.overhead {
                if let Some(value) = sum.get_mut(name).filter(|value| !value.is_zero()) {
                    *value += amount;
                }
            }
        }
    }
    sum
}

fn is_for_whole_pods(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || name.starts_with("hugepages-")
}

fn says_for_itself(pod: &Pod) -> bool {
    let names = |resources: &ResourceRequirements| {
        resources.requests.keys().chain(resources.limits.keys()).any(|name| is_for_whole_pods(name))
    };
    pod.spec.resources.as_deref().is_some_and(names)
}

/// Resources of containers in the status, during a resize.
struct Statuses<'a> {
    by_name: BTreeMap<&'a str, &'a ContainerStatus>,
    init: BTreeSet<&'a str>,
    is_infeasible: bool,
}

impl<'a> Statuses<'a> {
    fn of(pod: &'a Pod) -> Self {
        let status = &pod.status;
        let all = status.container_statuses.iter().chain(&status.init_container_statuses);
        let pending = status.conditions.iter().find(|condition| condition.type_ == "PodResizePending");
        Statuses {
            by_name: all.map(|status| (status.name.as_str(), status)).collect(),
            init: pod.spec.init_containers.iter().map(|container| container.name.as_str()).collect(),
            is_infeasible: pending.is_some_and(|condition| condition.reason == "Infeasible"),
        }
    }

    fn effective(&self, container: &'a Container, side: Side) -> Cow<'a, ResourceList> {
        let wanted = side.of(&container.resources);
        let can_change = !self.init.contains(container.name.as_str()) || is_sidecar(container);
        let status = self.by_name.get(container.name.as_str()).filter(|_| can_change);
        let Some((status, given)) = status.and_then(|status| Some((status, status.resources.as_deref()?)))
        else {
            return Cow::Borrowed(wanted);
        };
        let mut most = if self.is_infeasible { ResourceList::new() } else { wanted.clone() };
        raise(&mut most, side.of(given));
        if side == Side::Requests {
            raise(&mut most, &status.allocated_resources);
        }
        Cow::Owned(most)
    }
}

/// Returns the required values that containers lack.
pub(super) fn missing(names: &[&str], pod: &Pod) -> Option<String> {
    if says_for_itself(pod) {
        return None;
    }
    let mut missing = BTreeMap::<&str, BTreeSet<&str>>::new();
    for container in pod.spec.containers.iter().chain(&pod.spec.init_containers) {
        let usage = compute(&container.resources.requests, &container.resources.limits);
        for name in names.iter().filter(|name| REQUIRED.contains(name) && !usage.contains_key(**name)) {
            missing.entry(name).or_default().insert(&container.name);
        }
    }
    let texts: Vec<String> = missing
        .into_iter()
        .map(|(name, containers)| {
            let containers: Vec<&str> = containers.into_iter().collect();
            format!("{name} for: {}", containers.join(","))
        })
        .collect();
    (!texts.is_empty()).then(|| format!("must specify {}", texts.join("; ")))
}

/// Reports whether a pod has a time after which it is ended.
pub(super) fn is_terminating(pod: &Pod) -> bool {
    pod.spec.active_deadline_seconds.is_some_and(|seconds| seconds >= 0)
}

/// Reports whether an update brings a pod into other scopes.
pub(super) fn changes_scope(new: &dyn Object, old: Option<&dyn Object>) -> bool {
    let pods = (new.downcast_ref(), old.and_then(|old| old.downcast_ref()));
    matches!(pods, (Some(new), Some(old)) if is_terminating(new) != is_terminating(old))
}

/// Reports whether a pod asks for no processor and no memory.
pub(super) fn is_best_effort(pod: &Pod) -> bool {
    if !pod.status.qos_class.is_empty() {
        return pod.status.qos_class == "BestEffort";
    }
    let asks = |resources: &ResourceRequirements| {
        let mut amounts = resources.requests.iter().chain(&resources.limits);
        amounts.any(|(name, amount)| matches!(name.as_str(), "cpu" | "memory") && amount.sign() > 0)
    };
    match &pod.spec.resources {
        Some(own) => !asks(own),
        None => {
            let mut all = pod.spec.containers.iter().chain(&pod.spec.init_containers);
            !all.any(|container| asks(&container.resources))
        }
    }
}
