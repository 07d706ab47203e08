//! Total resources of a pod: containers, init containers, pod-level resources and overhead.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{Container, ContainerStatus, Pod, ResourceRequirements};
use rhumb_meta::Quantity;

/// Quantities by resource name.
pub(crate) type Resources = BTreeMap<String, Quantity>;

/// Whether allocated resources of running containers count beside requested ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    Counts,
    Ignored,
}

/// Returns the requests of a pod.
pub(crate) fn requests(pod: &Pod, given: Given) -> Resources {
    let mut total = of_containers(pod, given, Side::Requests);
    if let Some(resources) = &pod.spec.resources {
        replace_by_pod_level(&mut total, &resources.requests);
    }
    add(&mut total, &pod.spec.overhead);
    total
}

/// Returns the limits of a pod.
pub(crate) fn limits(pod: &Pod, given: Given) -> Resources {
    let mut total = of_containers(pod, given, Side::Limits);
    if let Some(resources) = &pod.spec.resources {
        replace_by_pod_level(&mut total, &resources.limits);
    }
    for (name, quantity) in &pod.spec.overhead {
        if let Some(value) = total.get_mut(name).filter(|value| !value.is_zero()) {
            *value += quantity;
        }
    }
    total
}

fn replace_by_pod_level(total: &mut Resources, pod_level: &Resources) {
    for (name, quantity) in pod_level {
        if ["cpu", "memory"].contains(&name.as_str()) || name.starts_with("hugepages-") {
            total.insert(name.clone(), quantity.clone());
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Requests,
    Limits,
}

impl Side {
    fn of(self, resources: &ResourceRequirements) -> &Resources {
        match self {
            Side::Requests => &resources.requests,
            Side::Limits => &resources.limits,
        }
    }
}

fn of_containers(pod: &Pod, given: Given, side: Side) -> Resources {
    let statuses = pod.status.container_statuses.iter().chain(&pod.status.init_container_statuses);
    let statuses: BTreeMap<&str, &ContainerStatus> =
        statuses.map(|status| (status.name.as_str(), status)).collect();
    let effective = |container: &Container| {
        let wanted = side.of(&container.resources);
        let status = statuses.get(container.name.as_str()).filter(|_| given == Given::Counts);
        match status.and_then(|status| Some((status, status.resources.as_deref()?))) {
            Some((status, actual)) => with_status(pod, side, wanted, status, actual),
            None => wanted.clone(),
        }
    };
    let mut total = Resources::new();
    for container in &pod.spec.containers {
        add(&mut total, &effective(container));
    }
    let mut restartable = Resources::new();
    let mut largest = Resources::new();
    for container in &pod.spec.init_containers {
        if container.restart_policy.as_deref() == Some("Always") {
            let own = effective(container);
            add(&mut total, &own);
            add(&mut restartable, &own);
            raise(&mut largest, &restartable);
        } else {
            let mut moment = side.of(&container.resources).clone();
            add(&mut moment, &restartable);
            raise(&mut largest, &moment);
        }
    }
    raise(&mut total, &largest);
    total
}

/// Returns the resources of a running container: the maximum of requested, actual and allocated ones. Infeasible
/// requests don't count.
fn with_status(
    pod: &Pod,
    side: Side,
    wanted: &Resources,
    status: &ContainerStatus,
    actual: &ResourceRequirements,
) -> Resources {
    let resize = pod.status.conditions.iter().find(|condition| condition.type_ == "PodResizePending");
    let is_infeasible = resize.is_some_and(|condition| condition.reason == "Infeasible");
    let mut most = if is_infeasible { Resources::new() } else { wanted.clone() };
    raise(&mut most, side.of(actual));
    if side == Side::Requests {
        raise(&mut most, &status.allocated_resources);
    }
    most
}

/// Adds amounts to others.
pub(crate) fn add(sum: &mut Resources, more: &Resources) {
    for (name, quantity) in more {
        match sum.get_mut(name) {
            Some(value) => *value += quantity,
            None => _ = sum.insert(name.clone(), quantity.clone()),
        }
    }
}

fn raise(maximum: &mut Resources, other: &Resources) {
    for (name, quantity) in other {
        if maximum.get(name).is_none_or(|value| quantity > value) {
            maximum.insert(name.clone(), quantity.clone());
        }
    }
}
