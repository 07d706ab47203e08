//! Order of kinds: some first, some last, others by group, version and kind.

use std::cmp::Ordering;

use crate::fault::{Outcome, fail};
use crate::id::{Gvk, ResId};
use crate::kustomization::SortOptions;
use crate::resource::{Resource, Resources};

const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];

const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// Returns the rank of a kind: negative if it comes first, positive if last.
fn rank<T: AsRef<str>>(kind: &str, first: &[T], last: &[T]) -> isize {
    let place = |list: &[T]| {
        list.iter().rposition(|known| known.as_ref() == kind).and_then(|at| isize::try_from(at).ok())
    };
    if let Some(at) = place(last) {
        return 1 + at;
    }
    place(first).map_or(0, |at| at - isize::try_from(first.len()).unwrap_or(isize::MAX))
}

/// Returns the order of kinds in tables of field specs.
pub(crate) fn compare_kinds(one: &Gvk, other: &Gvk) -> Ordering {
    let rank = |gvk: &Gvk| rank(&gvk.kind, &FIRST, &LAST);
    rank(one).cmp(&rank(other)).then_with(|| one.sort_text().cmp(&other.sort_text()))
}

/// Puts the objects in the order that a kustomization asks for.
pub(crate) fn sort(resources: &mut Resources, options: &SortOptions) -> Outcome<()> {
    match (options.order.as_str(), &options.legacy) {
        ("fifo", None) => Ok(()),
        ("fifo", Some(_)) => fail(
            "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', \
             not 'legacy'",
        ),
        ("legacy", None) => {
            sort_legacy(resources, &FIRST, &LAST);
            Ok(())
        }
        ("legacy", Some(order)) => {
            sort_legacy(resources, &order.first, &order.last);
            Ok(())
        }
        _ => fail("the field 'sortOptions.order' must be one of [fifo, legacy]"),
    }
}

/// Puts the objects in the order that older versions had.
pub(crate) fn sort_by_default(resources: &mut Resources) {
    sort_legacy(resources, &FIRST, &LAST);
}

fn sort_legacy<T: AsRef<str>>(resources: &mut Resources, first: &[T], last: &[T]) {
    let list = std::mem::take(&mut resources.list);
    let mut keyed: Vec<(ResId, Resource)> =
        list.into_iter().map(|resource| (resource.current_id(), resource)).collect();
    keyed.sort_by(|(one, _), (other, _)| {
        if one.gvk.equals(&other.gvk) {
            return name_text(one).cmp(&name_text(other));
        }
        let rank = |id: &ResId| rank(&id.gvk.kind, first, last);
        rank(one).cmp(&rank(other)).then_with(|| {
            let order = one.gvk.sort_text().cmp(&other.gvk.sort_text());
            // A namespace of Kubernetes itself comes before what others call a Namespace.
            let namespaces = one.gvk.kind == "Namespace" && other.gvk.kind == "Namespace";
            let is_core = one.gvk.group.is_empty() || other.gvk.group.is_empty();
            if namespaces && is_core { order.reverse() } else { order }
        })
    });
    resources.list = keyed.into_iter().map(|(_, resource)| resource).collect();
}

fn name_text(id: &ResId) -> String {
    let or = |text: &str, default: &str| if text.is_empty() { default.to_owned() } else { text.to_owned() };
    format!("{}|{}|{}", id.gvk, or(&id.namespace, "~X"), or(&id.name, "~N"))
}
