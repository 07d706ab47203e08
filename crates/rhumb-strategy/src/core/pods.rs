//! Strategy of pods and their subresources.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{Container, Pod, PodCondition, PodStatus};
use rhumb_meta::Time;
use rhumb_meta::v1::DeleteOptions;
use rhumb_scheme::validation::FieldPath;

use super::V1;
use crate::addresses::warn_ip;
use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::metadata::reset_metadata_for_status;
use crate::pod::apparmor;
use crate::pod::disabled::drop_disabled_pod;
use crate::pod::label_keys::merge_label_keys;
use crate::pod::quality::quality_of_service;
use crate::pod::warnings::warn_pod;
use crate::registry::StrategiesBuilder;
use crate::reset::{ResetPath, STATUS};
use crate::strategy::{Part, Strategy};

const STATUS_RESETS: &[ResetPath] =
    &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]];

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("", "Pod")
            .generation(Generation::Counted)
            .create(create)
            .update(update)
            .warn_unprepared(apparmor::warn)
            .warn_create(warn_pod)
            .resets(V1, STATUS)
            .grace(grace)
            .on("status", Part::new(update_status).warn(warn_addresses).resets(V1, STATUS_RESETS))
            // Kubernetes knows which fields these two reset, but its server doesn't ask.
            .on("ephemeralcontainers", Part::new(update_ephemeral))
            .on("resize", Part::new(resize)),
    )?;
    Ok(())
}

fn create(pod: &mut Pod, context: &Context) {
    pod.metadata.generation = 1;
    // A client that sends a class with a new pod gets it, as in Kubernetes, where the status is read once
    // more.
    let qos_class = match std::mem::take(&mut pod.status.qos_class) {
        sent if sent.is_empty() => quality_of_service(&pod.spec).to_owned(),
        sent => sent,
    };
    pod.status = PodStatus { phase: "Pending".to_owned(), qos_class, ..PodStatus::default() };
    drop_disabled_pod(pod, None);
    if !pod.spec.scheduling_gates.is_empty() {
        let gated = PodCondition {
            type_: "PodScheduled".to_owned(),
            status: "False".to_owned(),
            reason: "SchedulingGated".to_owned(),
            message: "Scheduling is blocked due to non-empty scheduling gates".to_owned(),
            ..PodCondition::default()
        };
        set_condition(&mut pod.status, gated, context.now);
    }
    merge_label_keys(pod);
    apparmor::annotations_to_fields(pod);
}

/// Puts a condition in the place of the one of its type. The time of the last change stays if the status
/// does.
pub(super) fn set_condition(status: &mut PodStatus, mut condition: PodCondition, now: Time) {
    condition.last_transition_time = now;
    match status.conditions.iter_mut().find(|old| old.type_ == condition.type_) {
        Some(old) => {
            if old.status == condition.status {
                condition.last_transition_time = old.last_transition_time;
            }
            *old = condition;
        }
        None => status.conditions.push(condition),
    }
}

fn update(new: &mut Pod, old: &Pod, _: &Context) {
    new.status = old.status.clone();
    drop_disabled_pod(new, Some(old));
    count(new, old);
}

fn count(new: &mut Pod, old: &Pod) {
    if new.spec != old.spec {
        new.metadata.generation = new.metadata.generation.saturating_add(1);
    }
}

fn update_status(new: &mut Pod, old: &Pod, _: &Context) {
    new.spec = old.spec.clone();
    // Only deleting a pod sets the time; what the old one has comes back with the rest of its metadata.
    new.metadata.deletion_timestamp = None;
    new.metadata.owner_references.clone_from(&old.metadata.owner_references);
    if new.status.qos_class.is_empty() {
        new.status.qos_class.clone_from(&old.status.qos_class);
    }
    keep_observed_generations(&mut new.status, &old.status);
    drop_disabled_pod(new, Some(old));
}

/// Clients that don't know the field would lose it.
fn keep_observed_generations(new: &mut PodStatus, old: &PodStatus) {
    if new.observed_generation == 0 {
        new.observed_generation = old.observed_generation;
    }
    let mut known: BTreeMap<&str, std::collections::VecDeque<i64>> = BTreeMap::new();
    for condition in &old.conditions {
        known.entry(&condition.type_).or_default().push_back(condition.observed_generation);
    }
    for condition in &mut new.conditions {
        let generation = known
            .get_mut(condition.type_.as_str())
            .and_then(|generations| generations.pop_front())
            .unwrap_or(0);
        if condition.observed_generation == 0 {
            condition.observed_generation = generation;
        }
    }
}

fn update_ephemeral(new: &mut Pod, old: &Pod, _: &Context) {
    let containers = std::mem::take(&mut new.spec.ephemeral_containers);
    new.spec = old.spec.clone();
    new.spec.ephemeral_containers = containers;
    new.status = old.status.clone();
    reset_metadata_for_status(&mut new.metadata, &old.metadata);
    drop_disabled_pod(new, Some(old));
    count(new, old);
}

fn resize(new: &mut Pod, old: &Pod, _: &Context) {
    // Containers that come or go are left in, for validation to refuse.
    if new.spec.containers.len() == old.spec.containers.len()
        && new.spec.init_containers.len() == old.spec.init_containers.len()
    {
        let resources = new.spec.resources.take();
        let containers = only_resized(std::mem::take(&mut new.spec.containers), &old.spec.containers);
        let init_containers =
            only_resized(std::mem::take(&mut new.spec.init_containers), &old.spec.init_containers);
        new.spec = old.spec.clone();
        new.spec.resources = resources;
        new.spec.containers = containers;
        new.spec.init_containers = init_containers;
        new.status = old.status.clone();
        reset_metadata_for_status(&mut new.metadata, &old.metadata);
    }
    drop_disabled_pod(new, Some(old));
    count(new, old);
}

/// Returns the old containers with the new resources; the new ones, if they aren't the same by name.
fn only_resized(new: Vec<Container>, old: &[Container]) -> Vec<Container> {
    if new.iter().map(|one| &one.name).ne(old.iter().map(|one| &one.name)) {
        return new;
    }
    let merged = new.into_iter().zip(old).map(|(new, old)| Container {
        resources: new.resources,
        resize_policy: new.resize_policy,
        ..old.clone()
    });
    merged.collect()
}

fn warn_addresses(new: &Pod, _: &Pod) -> Vec<String> {
    let path = FieldPath::new("status");
    let pod = new.status.pod_ips.iter().enumerate().filter_map(|(index, one)| {
        let path = path.child("podIPs").index(index).child("ip");
        warn_ip(&path, &one.ip)
    });
    let host = new.status.host_ips.iter().enumerate().filter_map(|(index, one)| {
        let path = path.child("hostIPs").index(index).child("ip");
        warn_ip(&path, &one.ip)
    });
    pod.chain(host).collect()
}

/// Sets the grace period of a deletion, which is 0 for pods without a node and finished ones. Always returns
/// true.
fn grace(pod: &Pod, options: &mut DeleteOptions) -> bool {
    let asked = options.grace_period_seconds.or(pod.spec.termination_grace_period_seconds).unwrap_or(0);
    let done = matches!(pod.status.phase.as_str(), "Failed" | "Succeeded");
    let period = match asked {
        _ if pod.spec.node_name.is_empty() || done => 0,
        negative if negative < 0 => 1,
        period => period,
    };
    options.grace_period_seconds = Some(period);
    true
}
