//! Quality of service class of pods.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{PodSpec, ResourceRequirements};
use rhumb_meta::Quantity;

const COMPUTE: [&str; 2] = ["cpu", "memory"];

/// Sums by resource name.
type Sums = BTreeMap<String, Quantity>;

/// Returns the class of a pod. What the pod says as a whole counts before what its containers say.
pub(crate) fn quality_of_service(spec: &PodSpec) -> &'static str {
    let (mut requests, mut limits) = (Sums::new(), Sums::new());
    let guaranteed = match &spec.resources {
        Some(whole) => {
            add(&mut requests, &whole.requests);
            add(&mut limits, &whole.limits);
            whole.limits.is_empty() || limits_all(whole)
        }
        None => {
            let containers = || spec.containers.iter().chain(&spec.init_containers);
            for container in containers() {
                add(&mut requests, &container.resources.requests);
                add(&mut limits, &container.resources.limits);
            }
            containers().all(|container| limits_all(&container.resources))
        }
    };
    if requests.is_empty() && limits.is_empty() {
        "BestEffort"
    } else if guaranteed && requests == limits {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

fn is_set((name, quantity): &(&String, &Quantity)) -> bool {
    COMPUTE.contains(&name.as_str()) && quantity.sign() > 0
}

fn add(sums: &mut Sums, more: &BTreeMap<String, Quantity>) {
    for (name, quantity) in more.iter().filter(is_set) {
        match sums.get_mut(name) {
            Some(sum) => *sum += quantity,
            None => {
                sums.insert(name.clone(), quantity.clone());
            }
        }
    }
}

fn limits_all(resources: &ResourceRequirements) -> bool {
    resources.limits.iter().filter(is_set).count() == COMPUTE.len()
}
