//! What the containers of a pod need together.
//!
//! Containers run side by side, so their amounts add up. Init containers run one after the other before them, each
//! beside the restartable ones that were started earlier, so the largest moment counts.

use std::collections::BTreeMap;

use rhumb_meta::Quantity;

use super::{Container, PodSpec};

/// Amounts by the names of resources.
type Resources = BTreeMap<String, Quantity>;

/// What the containers of a pod request together.
pub fn total_requests(spec: &PodSpec) -> BTreeMap<String, Quantity> {
    total_of(spec, |container| &container.resources.requests)
}

/// What the containers of a pod are limited to together.
pub fn total_limits(spec: &PodSpec) -> BTreeMap<String, Quantity> {
    total_of(spec, |container| &container.resources.limits)
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
