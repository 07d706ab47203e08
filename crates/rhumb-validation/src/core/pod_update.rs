//! Validation of pod updates: mutable fields, and added ephemeral containers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rhumb_api::core::v1::{
    Affinity, Container, EphemeralContainer, NodeAffinity, NodeSelectorTerm, Pod, PodSchedulingGate, PodSpec,
};
use rhumb_meta::validation::inclusive_range_error;
use rhumb_schema::Value;
use rhumb_schema::text::{indent, quoted};
use rhumb_scheme::validation::{BadValue, Context, FieldErrors, FieldPath, Wanted};

use super::line_diff::unified;
use super::pod::metadata_and_spec;
use super::pod_annotations::{MIRROR, pod_annotations_update};
use super::pod_options::PodOptions;
use super::toleration::only_added;
use crate::internal_form::internal;
use crate::meta::object_meta_update;

const UPDATABLE: &str = "`spec.containers[*].image`,`spec.initContainers[*].image`,\
    `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

pub(super) fn update(new: &Pod, old: &Pod, _: &Context, errors: &mut FieldErrors) {
    let options = PodOptions::of_pod_update(&old.metadata, &old.spec);
    let (metadata, path) = (FieldPath::new("metadata"), FieldPath::new("spec"));
    object_meta_update(&new.metadata, &old.metadata, &metadata, errors);
    metadata_and_spec(new, &options, errors);
    let at = metadata.child("annotations");
    let (after, before) = (&new.metadata.annotations, &old.metadata.annotations);
    pod_annotations_update(after, before, &new.spec, &at, &options, errors);
    let (new, old) = (&new.spec, &old.spec);
    if !same_containers(&new.containers, &old.containers, &path.child("containers"), errors)
        || !same_containers(&new.init_containers, &old.init_containers, &path.child("initContainers"), errors)
        || !deadline(new, old, &path.child("activeDeadlineSeconds"), errors)
    {
        return;
    }
    only_added(&new.tolerations, &old.tolerations, &path.child("tolerations"), &options, errors);
    only_deleted(&new.scheduling_gates, &old.scheduling_gates, &path.child("schedulingGates"), errors);
    if new == old {
        return;
    }
    let mut munged = with_old_values(new, old);
    if !old.scheduling_gates.is_empty() {
        gated(&mut munged, old, &path, errors);
    }
    if munged != *old {
        let diff = unified(&pretty(old), &pretty(&munged));
        let detail = format!("pod updates may not change fields other than {UPDATABLE}\n{diff}");
        errors.forbidden(&path, &detail);
    }
}

/// Returns the value's internal form over many lines, with a space for each level.
pub(super) fn pretty(value: &dyn Value) -> String {
    let mut out = Vec::new();
    indent(internal(value).shown().as_bytes(), &mut out);
    let text = String::from_utf8_lossy(&out);
    let lines = text.split('\n').map(|line| {
        let content = line.trim_start_matches(' ');
        let level = (line.len() - content.len()) / 2;
        format!("{}{content}", " ".repeat(level))
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// Reports whether there are as many containers as before; images are looked at once more.
fn same_containers(new: &[Container], old: &[Container], path: &FieldPath, errors: &mut FieldErrors) -> bool {
    if new.len() != old.len() {
        errors.forbidden(path, "pod updates may not add or remove containers");
        return false;
    }
    for (index, container) in new.iter().enumerate().wanted() {
        let at = path.index(index).child("image");
        if container.image.is_empty() {
            errors.required(&at, "");
        }
        if container.image.trim() != container.image {
            errors.invalid(&at, &container.image, "must not have leading or trailing whitespace");
        }
    }
    true
}

/// Validates the deadline, which may be set and shortened. Returns whether there is more to check.
fn deadline(new: &PodSpec, old: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) -> bool {
    match (new.active_deadline_seconds, old.active_deadline_seconds) {
        (Some(seconds), _) if !(0..=i64::from(i32::MAX)).contains(&seconds) => {
            errors.invalid(path, &seconds, &inclusive_range_error(0, i64::from(i32::MAX)));
            false
        }
        (Some(seconds), Some(before)) if before < seconds => {
            errors.invalid(path, &seconds, "must be less than or equal to previous value");
            false
        }
        (None, Some(_)) => {
            let detail = "must not update from a positive integer to nil value";
            errors.invalid(path, &new.active_deadline_seconds, detail);
            true
        }
        _ => true,
    }
}

fn only_deleted(
    new: &[PodSchedulingGate],
    old: &[PodSchedulingGate],
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let mut added: BTreeMap<&str, usize> = BTreeMap::new();
    let old: BTreeSet<&str> = old.iter().map(|gate| gate.name.as_str()).collect();
    for (index, gate) in new.iter().enumerate().filter(|(_, gate)| !old.contains(gate.name.as_str())) {
        added.insert(&gate.name, index);
    }
    let mut added: Vec<(usize, &str)> = added.into_iter().map(|(name, index)| (index, name)).collect();
    added.sort_unstable();
    for (index, name) in added {
        let detail = format!("only deletion is allowed, but found new scheduling gate '{name}'");
        errors.forbidden(&path.index(index).child("name"), &detail);
    }
}

/// Returns the new spec with the old values of all that may change.
fn with_old_values(new: &PodSpec, old: &PodSpec) -> PodSpec {
    let mut munged = new.clone();
    for (container, before) in munged.containers.iter_mut().zip(&old.containers) {
        container.image.clone_from(&before.image);
    }
    for (container, before) in munged.init_containers.iter_mut().zip(&old.init_containers) {
        container.image.clone_from(&before.image);
    }
    munged.active_deadline_seconds = old.active_deadline_seconds;
    munged.scheduling_gates.clone_from(&old.scheduling_gates);
    munged.tolerations.clone_from(&old.tolerations);
    if old.termination_grace_period_seconds.is_some_and(|seconds| seconds < 0)
        && munged.termination_grace_period_seconds == Some(1)
    {
        munged.termination_grace_period_seconds = old.termination_grace_period_seconds;
    }
    munged
}

/// A pod that waits at a gate may still become more choosy of nodes.
fn gated(munged: &mut PodSpec, old: &PodSpec, path: &FieldPath, errors: &mut FieldErrors) {
    if munged.node_selector != old.node_selector {
        let is_kept = |(key, value)| munged.node_selector.get(key) == Some(value);
        if !old.node_selector.iter().all(is_kept) {
            let detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
            errors.invalid(&path.child("nodeSelector"), &munged.node_selector, detail);
        }
        munged.node_selector.clone_from(&old.node_selector);
    }
    let before = old.affinity.as_deref().and_then(|affinity| affinity.node_affinity.as_deref());
    let after = munged.affinity.as_deref().and_then(|affinity| affinity.node_affinity.as_deref());
    if before == after {
        return;
    }
    let at = path.child("affinity").child("nodeAffinity");
    node_affinity_mutation(after, before, &at, errors);
    let node_affinity = before.cloned().map(Box::new);
    match &mut munged.affinity {
        None => munged.affinity = Some(Box::new(Affinity { node_affinity, ..Affinity::default() })),
        Some(affinity) => {
            let only_nodes = affinity.pod_affinity.is_none() && affinity.pod_anti_affinity.is_none();
            affinity.node_affinity = node_affinity;
            if old.affinity.is_none() && only_nodes {
                munged.affinity = None;
            }
        }
    }
}

fn node_affinity_mutation(
    new: Option<&NodeAffinity>,
    old: Option<&NodeAffinity>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let terms = |nodes: Option<&NodeAffinity>| -> Vec<NodeSelectorTerm> {
        let required = nodes.and_then(|n| n.required_during_scheduling_ignored_during_execution.as_deref());
        required.map(|selector| selector.node_selector_terms.clone()).unwrap_or_default()
    };
    let (new, old) = (terms(new), terms(old));
    let path = path.child("requiredDuringSchedulingIgnoredDuringExecution").child("nodeSelectorTerms");
    if !old.is_empty() && old.len() != new.len() {
        let detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        return errors.invalid(&path, &internal(&new), detail);
    }
    for (index, (term, before)) in new.iter().zip(&old).enumerate() {
        let was_empty = before.match_expressions.is_empty() && before.match_fields.is_empty();
        let is_empty = term.match_expressions.is_empty() && term.match_fields.is_empty();
        let only_additions = (!was_empty || is_empty)
            && term.match_expressions.starts_with(&before.match_expressions)
            && term.match_fields.starts_with(&before.match_fields);
        if !only_additions {
            let detail = "only additions are allowed (no mutations or deletions)";
            errors.invalid(&path.index(index), &internal(term), detail);
        }
    }
}

/// Containers for debugging may be added, and stay as they are.
pub(super) fn ephemeral_containers(new: &Pod, old: &Pod, _: &Context, errors: &mut FieldErrors) {
    if old.metadata.annotations.contains_key(MIRROR) {
        return errors.forbidden(&FieldPath::new(""), "static pods do not support ephemeral containers");
    }
    let options = PodOptions::of_pod_update(&old.metadata, &old.spec);
    let metadata = FieldPath::new("metadata");
    object_meta_update(&new.metadata, &old.metadata, &metadata, errors);
    metadata_and_spec(new, &options, errors);
    let at = metadata.child("annotations");
    let (after, before) = (&new.metadata.annotations, &old.metadata.annotations);
    pod_annotations_update(after, before, &new.spec, &at, &options, errors);
    let path = FieldPath::new("spec").child("ephemeralContainers");
    // Of several with a name the last counts.
    let now: HashMap<&str, &EphemeralContainer> = new
        .spec
        .ephemeral_containers
        .iter()
        .map(|container| (container.ephemeral_container_common.name.as_str(), container))
        .collect();
    for before in old.spec.ephemeral_containers.iter().wanted() {
        let name = &before.ephemeral_container_common.name;
        match now.get(name.as_str()).copied() {
            None => {
                let detail = format!("existing ephemeral containers {} may not be removed\n", quoted(name));
                errors.forbidden(&path, &detail);
            }
            // Nobody reads what is different then.
            Some(after) if after != before && errors.is_full() => errors.forbidden(&path, ""),
            Some(after) if after != before => {
                let diff = unified(&pretty(before), &pretty(after));
                let detail =
                    format!("existing ephemeral containers {} may not be changed\n{diff}", quoted(name));
                errors.forbidden(&path, &detail);
            }
            Some(_) => {}
        }
    }
}
