//! Resources of a pod as a whole, worked out from its containers where the pod says something of them but not all.
//!
//! Containers run side by side, so their amounts add up. Init containers run one after the other before them, each
//! beside the restartable ones that were started earlier, so the largest moment counts.

use std::collections::BTreeMap;

use rhumb_meta::Quantity;

use super::super::{Container, PodSpec, ResourceRequirements};

type Resources = BTreeMap<String, Quantity>;

const HUGE_PAGES: &str = "hugepages-";

/// Huge pages that containers are limited to are a limit of the pod as well, unless the pod asks for some itself.
pub(super) fn pod_limits(spec: &mut PodSpec) {
    let says_nothing =
        |resources: &ResourceRequirements| resources.limits.is_empty() && resources.requests.is_empty();
    if spec.resources.as_deref().is_none_or(says_nothing) {
        return;
    }
    let total = total_of(spec, |container| &container.resources.limits);
    let Some(resources) = &mut spec.resources else { return };
    for (name, quantity) in total {
        if name.starts_with(HUGE_PAGES) && !resources.requests.contains_key(&name) {
            resources.limits.entry(name).or_insert(quantity);
        }
    }
}

/// A pod with limits asks for what its containers ask for together, and for its limits where they ask for nothing.
pub(super) fn pod_requests(spec: &mut PodSpec) {
    if spec.resources.as_deref().is_none_or(|resources| resources.limits.is_empty()) {
        return;
    }
    let total = total_of(spec, |container| &container.resources.requests);
    let Some(resources) = &mut spec.resources else { return };
    for (name, quantity) in total {
        // Huge pages can't be promised twice, so they are not worked out but taken from the limits below.
        if matches!(name.as_str(), "cpu" | "memory") {
            resources.requests.entry(name).or_insert(quantity);
        }
    }
    for (name, limit) in &resources.limits {
        let of_pods = matches!(name.as_str(), "cpu" | "memory") || name.starts_with(HUGE_PAGES);
        if of_pods && !resources.requests.contains_key(name) {
            resources.requests.insert(name.clone(), limit.clone());
        }
    }
}

fn total_of(spec: &PodSpec, resources_of: fn(&Container) -> &Resources) -> Resources {
    let mut total = Resources::new();
    for container in &spec.containers {
        add(&mut total, resources_of(container));
    }
    let mut restartable = Resources::new();
    let mut largest = Resources::new();
    for container in &spec.init_containers {
        let own = resources_of(container);
        if container.restart_policy.as_deref() == Some("Always") {
            add(&mut total, own);
            add(&mut restartable, own);
            raise(&mut largest, &restartable);
        } else {
            let mut moment = own.clone();
            add(&mut moment, &restartable);
            raise(&mut largest, &moment);
        }
    }
    raise(&mut total, &largest);
    total
}

fn add(sum: &mut Resources, more: &Resources) {
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
