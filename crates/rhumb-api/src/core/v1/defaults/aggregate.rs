//! Resources of a pod as a whole, worked out from its containers where the pod says something of them but not all.

use super::super::{PodSpec, ResourceRequirements, total_limits, total_requests};

const HUGE_PAGES: &str = "hugepages-";

/// Huge pages that containers are limited to are a limit of the pod as well, unless the pod asks for some itself.
pub(super) fn pod_limits(spec: &mut PodSpec) {
    let says_nothing =
        |resources: &ResourceRequirements| resources.limits.is_empty() && resources.requests.is_empty();
    if spec.resources.as_deref().is_none_or(says_nothing) {
        return;
    }
    let total = total_limits(spec);
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
    let total = total_requests(spec);
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
