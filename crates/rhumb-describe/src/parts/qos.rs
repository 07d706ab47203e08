//! Quality of service class of pods.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{Pod, ResourceRequirements};
use rhumb_meta::Quantity;

/// Resources that the class depends on.
const COMPUTE: [&str; 2] = ["cpu", "memory"];

/// Returns the quality of service of a pod: what its status says, or what its requests and limits come to.
pub(crate) fn qos_class(pod: &Pod) -> &str {
    if !pod.status.qos_class.is_empty() {
        return &pod.status.qos_class;
    }
    let mut requests = BTreeMap::new();
    let mut limits = BTreeMap::new();
    let mut is_guaranteed = true;
    let spec = &pod.spec;
    match &spec.resources {
        Some(resources) => {
            add(&mut requests, &resources.requests);
            add(&mut limits, &resources.limits);
            is_guaranteed = resources.limits.is_empty() || has_all_limits(resources);
        }
        None => {
            for container in spec.containers.iter().chain(&spec.init_containers) {
                add(&mut requests, &container.resources.requests);
                add(&mut limits, &container.resources.limits);
                is_guaranteed &= has_all_limits(&container.resources);
            }
        }
    }
    if requests.is_empty() && limits.is_empty() {
        return "BestEffort";
    }
    let is_equal = requests.len() == limits.len()
        && requests.iter().all(|(name, request)| limits.get(name) == Some(request));
    if is_guaranteed && is_equal { "Guaranteed" } else { "Burstable" }
}

fn has_all_limits(resources: &ResourceRequirements) -> bool {
    COMPUTE.iter().all(|name| resources.limits.get(*name).is_some_and(|limit| limit.sign() > 0))
}

fn add<'a>(sum: &mut BTreeMap<&'a str, Quantity>, more: &'a BTreeMap<String, Quantity>) {
    for (name, quantity) in more {
        if COMPUTE.contains(&name.as_str()) && quantity.sign() > 0 {
            *sum.entry(name).or_default() += quantity;
        }
    }
}
