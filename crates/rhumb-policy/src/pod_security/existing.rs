//! Check of existing pods when a namespace's level is raised.

use std::collections::{BTreeMap, HashSet};

use rhumb_api::core::v1::Pod;

use super::level::{Level, LevelAndVersion};
use super::policy::Policy;
use super::{evaluate, reasons};

/// Maximum number of pods checked, so that large namespaces don't block their client.
pub const MOST_PODS_CHECKED: usize = 3000;

/// Reports whether the pods of a namespace are looked at because its labels changed.
pub fn must_check_existing(old: &Policy, new: &Policy) -> bool {
    let (old, new) = (&old.enforce, &new.enforce);
    let is_relaxed = new.version == old.version && new.level <= old.level;
    new != old && new.level != Level::Privileged && !is_relaxed
}

/// Returns the warnings about pods that could not be made any more under a new level.
///
/// Pods of one controller are mostly alike, so that one of each comes first, should there be more than
/// [`MOST_PODS_CHECKED`].
pub fn existing_pods<'a>(
    namespace: &str,
    enforce: &LevelAndVersion,
    pods: impl IntoIterator<Item = &'a Pod>,
) -> Vec<String> {
    let pods = prioritized(pods);
    let checked = pods.len().min(MOST_PODS_CHECKED);
    // By reason, the first pod by name and how many there are.
    let mut found = BTreeMap::<String, (&str, usize)>::new();
    for pod in pods.iter().take(checked) {
        let violations = evaluate(enforce, &pod.metadata, &pod.spec);
        if violations.is_empty() {
            continue;
        }
        let name = pod.metadata.name.as_str();
        let (first, count) = found.entry(reasons(&violations)).or_insert((name, 0));
        *first = (*first).min(name);
        *count += 1;
    }
    let mut warnings = Vec::new();
    if checked < pods.len() {
        warnings.push(format!(
            "new PodSecurity enforce level only checked against the first {checked} of {} existing pods",
            pods.len()
        ));
    }
    if !found.is_empty() {
        warnings.push(format!(
            "existing pods in namespace \"{namespace}\" violate the new PodSecurity enforce level \"{enforce}\""
        ));
    }
    let mut texts: Vec<String> = found
        .into_iter()
        .map(|(reason, (name, count))| match count {
            1 => format!("{name}: {reason}"),
            2 => format!("{name} (and 1 other pod): {reason}"),
            many => format!("{name} (and {} other pods): {reason}", many - 1),
        })
        .collect();
    texts.sort();
    warnings.extend(texts);
    warnings
}

fn prioritized<'a>(pods: impl IntoIterator<Item = &'a Pod>) -> Vec<&'a Pod> {
    let mut seen = HashSet::new();
    let (mut first, mut more) = (Vec::new(), Vec::new());
    for pod in pods {
        let mut owners = pod.metadata.owner_references.iter();
        let controller = owners.find(|owner| owner.controller == Some(true));
        let is_new = controller.is_none_or(|controller| seen.insert(controller.uid.as_str()));
        if is_new { first.push(pod) } else { more.push(pod) }
    }
    first.append(&mut more);
    first
}
