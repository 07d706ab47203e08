//! Total usage of a namespace.

use std::collections::BTreeSet;

use rhumb_api::core::v1::ResourceQuotaSpec;
use rhumb_meta::{Object, Time};

use super::arithmetic::{mask, zero};
use super::evaluator::{COUNTED_BY_NAME, Evaluator};
use super::scopes::is_in_scope;
use crate::ResourceList;

/// Returns the resources, by group and name, whose objects must be known to tell what a quota has used.
pub fn tracked(hard: &ResourceList) -> BTreeSet<(String, String)> {
    const WITH_MORE_THAN_COUNTS: &[(&str, &str)] = &[
        ("", "pods"),
        ("", "services"),
        ("", "persistentvolumeclaims"),
        ("resource.k8s.io", "resourceclaims"),
    ];
    let fixed = WITH_MORE_THAN_COUNTS.iter().copied().chain(COUNTED_BY_NAME.iter().map(|name| ("", *name)));
    let fixed = fixed.filter(|(group, resource)| {
        Evaluator::of(group, resource).is_some_and(|evaluator| !evaluator.concerned(hard).is_empty())
    });
    let counted = hard
        .keys()
        .filter_map(|name| name.strip_prefix("count/"))
        .map(|name| name.split_once('.').map_or(("", name), |(resource, group)| (group, resource)));
    fixed.chain(counted).map(|(group, resource)| (group.to_owned(), resource.to_owned())).collect()
}

/// Returns the usage of a quota by all objects of the resources that it [tracks](tracked).
pub fn used<'a>(
    quota: &ResourceQuotaSpec,
    resources: impl IntoIterator<Item = (Evaluator, Vec<&'a dyn Object>)>,
    now: Time,
) -> ResourceList {
    let (mut sum, mut names) = (ResourceList::new(), BTreeSet::new());
    for (evaluator, objects) in resources {
        let concerned = evaluator.concerned(&quota.hard);
        if concerned.is_empty() {
            continue;
        }
        for name in &concerned {
            sum.entry((*name).to_owned()).or_insert_with(zero);
        }
        names.extend(concerned);
        for object in objects.into_iter().filter(|object| is_in_scope(&evaluator, quota, *object)) {
            crate::resources::add(&mut sum, &evaluator.usage(object, now));
        }
    }
    mask(&sum, names)
}
