//! Scheduling: taints, tolerations, topology spread; and pods by name.

use rhumb_api::core::v1::{Pod, PodSchedulingGroup, Taint, Toleration, TopologySpreadConstraint};

use super::{selector_or_none, sorted_as_go};
use crate::Lines;

/// Tolerations, one per line.
pub(crate) fn tolerations(out: &mut Lines, title: &str, tolerations: &[Toleration]) {
    let sorted = sorted_as_go(tolerations, |one, other| one.key < other.key);
    several(out, title, sorted.into_iter().map(toleration_text));
}

fn toleration_text(toleration: &Toleration) -> String {
    let mut text = toleration.key.clone();
    if !toleration.value.is_empty() {
        text.push('=');
        text.push_str(&toleration.value);
    }
    if !toleration.effect.is_empty() {
        text.push(':');
        text.push_str(&toleration.effect);
    }
    if toleration.operator == "Exists" && toleration.value.is_empty() {
        // Without key and effect it tolerates everything, and there is nothing to set it apart from.
        let is_bare = toleration.key.is_empty() && toleration.effect.is_empty();
        text.push_str(if is_bare { "op=Exists" } else { " op=Exists" });
    }
    if let Some(seconds) = toleration.toleration_seconds {
        text.push_str(&format!(" for {seconds}s"));
    }
    text
}

/// Taints, one per line.
pub(crate) fn taints(out: &mut Lines, title: &str, taints: &[Taint]) {
    let keyed = taints.iter().map(|taint| (format!("{},{}", taint.effect, taint.key), taint));
    let sorted = sorted_as_go(keyed, |one, other| one.0 < other.0);
    several(out, title, sorted.into_iter().map(|(_, taint)| taint_text(taint)));
}

fn taint_text(taint: &Taint) -> String {
    let Taint { key, value, effect, .. } = taint;
    match (value.is_empty(), effect.is_empty()) {
        (true, true) => key.clone(),
        (false, true) => format!("{key}={value}:"),
        (true, false) => format!("{key}:{effect}"),
        (false, false) => format!("{key}={value}:{effect}"),
    }
}

/// Writes the names of pods, one per line.
pub(crate) fn pod_names(out: &mut Lines, title: &str, pods: &[Pod]) {
    let mut names: Vec<&String> = pods.iter().map(|pod| &pod.metadata.name).collect();
    names.sort();
    several(out, title, names.into_iter().cloned());
}

/// Writes values one per line after a title.
fn several(out: &mut Lines, title: &str, values: impl Iterator<Item = String>) {
    out.put(0, format_args!("{title}:\t"));
    let mut values = values.peekable();
    if values.peek().is_none() {
        out.end("<none>");
    }
    for (index, value) in values.enumerate() {
        if index > 0 {
            out.put(0, "\t");
        }
        out.end(value);
    }
}

/// Writes topology spread constraints.
pub(crate) fn spread_constraints(out: &mut Lines, space: &str, constraints: &[TopologySpreadConstraint]) {
    if constraints.is_empty() {
        return;
    }
    let sorted = sorted_as_go(constraints, |one, other| one.topology_key < other.topology_key);
    out.put(0, format_args!("{space}Topology Spread Constraints:\t"));
    for (index, constraint) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.put(0, format_args!("{space}\t"));
        }
        let selector = match constraint.label_selector.as_deref() {
            Some(selector) => format!(" for selector {}", selector_or_none(Some(selector))),
            None => String::new(),
        };
        let TopologySpreadConstraint { topology_key, when_unsatisfiable, max_skew, .. } = constraint;
        out.end(format_args!(
            "{topology_key}:{when_unsatisfiable} when max skew {max_skew} is exceeded{selector}"
        ));
    }
}

/// Writes the scheduling group of a pod.
pub(crate) fn scheduling_group(out: &mut Lines, space: &str, group: &PodSchedulingGroup) {
    out.line(0, format_args!("{space}SchedulingGroup:"));
    out.field(1, "PodGroupName", group.pod_group_name.as_deref().unwrap_or_default());
}
