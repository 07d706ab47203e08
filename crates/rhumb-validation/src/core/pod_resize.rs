//! Validation of resizes: changes of CPU and memory requests and limits of running pods.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{Container, Pod, PodSpec, ResourceRequirements};
use rhumb_meta::Quantity;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named};

use super::pod::metadata_and_spec;
use super::pod_annotations::MIRROR;
use super::pod_options::PodOptions;
use crate::meta::object_meta_update;

const ONLY_COMPUTE: &str = "only cpu and memory resources are mutable";

type Resources = BTreeMap<String, Quantity>;

pub(super) fn resize(new: &Pod, old: &Pod, _: &Context, errors: &mut FieldErrors) {
    if old.metadata.annotations.contains_key(MIRROR) {
        return errors.forbidden(&FieldPath::new(""), "static pods cannot be resized");
    }
    if old.spec.os.as_deref().is_some_and(|os| os.name == "windows") {
        return errors.forbidden(&FieldPath::new(""), "windows pods cannot be resized");
    }
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    metadata_and_spec(new, &PodOptions::of_pod_update(&old.metadata, &old.spec), errors);
    let path = FieldPath::new("spec");
    let class_before =
        if old.status.qos_class.is_empty() { qos_class(&old.spec) } else { old.status.qos_class.as_str() };
    if class_before != qos_class(&new.spec) {
        let detail = "Pod QOS Class may not change as a result of resizing";
        errors.invalid(&path, &Named(&new.status.qos_class), detail);
    }
    let running = old.status.container_statuses.iter().find(|status| status.state.running.is_some());
    if running.is_some_and(|status| status.resources.is_none()) {
        errors.forbidden(&path, "Pod running on node without support for resize");
    }
    let mut munged = new.spec.clone();
    if has_resources(&old.spec) || has_resources(&new.spec) {
        pod_level(new, old, &mut munged, &path, errors);
    }
    if !old.status.node_allocatable_resource_claim_statuses.is_empty() {
        errors.forbidden(&path, "pods with node allocatable resource claims cannot be resized");
    }
    let before = errors.len();
    same_order("containers", &new.spec.containers, &old.spec.containers, &path, errors);
    same_order("initContainers", &new.spec.init_containers, &old.spec.init_containers, &path, errors);
    if errors.len() != before {
        return;
    }
    each(&new.spec.init_containers, &old.spec.init_containers, &path.child("initContainers"), errors);
    each(&new.spec.containers, &old.spec.containers, &path.child("containers"), errors);
    for (container, before) in munged.containers.iter_mut().zip(&old.spec.containers) {
        with_old_compute(&mut container.resources, &before.resources);
        if container != before {
            errors.forbidden(&path, ONLY_COMPUTE);
        }
    }
    init_containers(&mut munged, &old.spec, &path.child("initContainers"), errors);
    if errors.is_empty() && munged != old.spec {
        errors.forbidden(&path, ONLY_COMPUTE);
    }
}

fn has_resources(spec: &PodSpec) -> bool {
    spec.resources.as_deref().is_some_and(|own| !own.requests.is_empty() || !own.limits.is_empty())
}

fn pod_level(new: &Pod, old: &Pod, munged: &mut PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("resources");
    let nothing = ResourceRequirements::default();
    match (new.spec.resources.as_deref(), old.spec.resources.as_deref()) {
        (None, Some(_)) => return errors.forbidden(&at, "pod-level resources cannot be removed"),
        (Some(after), Some(before)) => {
            if some_removed(&after.requests, &before.requests) {
                errors.forbidden(&at.child("requests"), "pod-level resource requests cannot be removed");
            }
            if some_removed(&after.limits, &before.limits) {
                errors.forbidden(&at.child("limits"), "pod-level resource limits cannot be removed");
            }
        }
        _ => {}
    }
    if let Some(own) = &mut munged.resources {
        let claims = own.claims.clone();
        with_old_compute(own, old.spec.resources.as_deref().unwrap_or(&nothing));
        own.claims = claims;
        if old.spec.resources.is_none() && **own == nothing {
            munged.resources = None;
        }
    }
    if munged.resources != old.spec.resources {
        errors.forbidden(path, "only cpu and memory resources are mutable at pod-level");
    }
}

fn same_order(field: &str, new: &[Container], old: &[Container], path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child(field);
    if new.len() != old.len() {
        return errors.forbidden(&at, &format!("{field} may not be added or removed on resize"));
    }
    for (index, (container, before)) in new.iter().zip(old).enumerate() {
        if container.name != before.name {
            let detail = format!("{field} may not be renamed or reordered on resize");
            errors.forbidden(&at.index(index).child("name"), &detail);
        }
    }
}

fn each(new: &[Container], old: &[Container], path: &FieldPath, errors: &mut FieldErrors) {
    for (index, (container, before)) in new.iter().zip(old).enumerate() {
        let at = path.index(index).child("resources");
        if some_removed(&container.resources.requests, &before.resources.requests) {
            errors.forbidden(&at.child("requests"), "resource requests cannot be removed");
        }
        if some_removed(&container.resources.limits, &before.resources.limits) {
            errors.forbidden(&at.child("limits"), "resource limits cannot be removed");
        }
    }
}

fn some_removed(new: &Resources, old: &Resources) -> bool {
    old.keys().any(|name| !new.contains_key(name))
}

fn init_containers(munged: &mut PodSpec, old: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    for (index, (container, before)) in
        munged.init_containers.iter_mut().zip(&old.init_containers).enumerate()
    {
        let is_modified = container != before;
        with_old_compute(&mut container.resources, &before.resources);
        if container != before {
            let detail = "only cpu and memory resources for init or sidecar containers are mutable";
            errors.forbidden(&path.index(index), detail);
        }
        if is_modified && container.restart_policy.as_deref() != Some("Always") {
            for _ in
                container.resize_policy.iter().filter(|policy| policy.restart_policy == "RestartContainer")
            {
                let detail =
                    "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
                errors.forbidden(&path.index(index), detail);
            }
        }
    }
}

/// Puts the old CPU and memory in place; claims are lost, so that a container that has some can't be resized.
fn with_old_compute(resources: &mut ResourceRequirements, old: &ResourceRequirements) {
    for (list, before) in [(&mut resources.limits, &old.limits), (&mut resources.requests, &old.requests)] {
        for name in ["cpu", "memory"] {
            match before.get(name) {
                Some(quantity) => _ = list.insert(name.to_owned(), quantity.clone()),
                None => _ = list.remove(name),
            }
        }
    }
    resources.claims.clear();
}

/// Returns how well a pod is served when the node runs short, which follows from its requests and limits.
fn qos_class(spec: &PodSpec) -> &'static str {
    let (mut requests, mut limits) = (Resources::new(), Resources::new());
    let mut is_guaranteed = true;
    if let Some(own) = spec.resources.as_deref() {
        add_compute(&mut requests, &own.requests);
        add_compute(&mut limits, &own.limits);
        is_guaranteed = own.limits.is_empty() || limits.len() == 2;
    } else {
        for container in spec.containers.iter().chain(&spec.init_containers) {
            add_compute(&mut requests, &container.resources.requests);
            add_compute(&mut limits, &container.resources.limits);
            let mut found = Resources::new();
            add_compute(&mut found, &container.resources.limits);
            is_guaranteed &= found.len() == 2;
        }
    }
    if requests.is_empty() && limits.is_empty() {
        "BestEffort"
    } else if is_guaranteed && requests == limits {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

fn add_compute(sum: &mut Resources, more: &Resources) {
    let compute = more.iter().filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory"));
    for (name, quantity) in compute.filter(|(_, quantity)| quantity.sign() > 0) {
        match sum.get_mut(name) {
            Some(value) => *value += quantity,
            None => _ = sum.insert(name.clone(), quantity.clone()),
        }
    }
}
