//! What the server serves by itself, as objects: one for each version of a group, with the order in which
//! clients prefer them.

use crate::loopback::{Client, Loopback, ObjectRef};
use std::collections::HashMap;

use rhumb_api::resources::{GROUPS, ResourceTable};
use rhumb_meta::GroupVersion;
use rhumb_meta::v1::{DeleteOptions, Preconditions};
use rhumb_store::{Entry, Key};
use serde_json::json;

use super::{Upkeep, Wanted};
use crate::base::failure::Outcome;

const GROUP: &str = "apiregistration.k8s.io";
const MANAGED: &str = "kube-aggregator.kubernetes.io/automanaged";

/// A group, how much it is preferred, and the same for its versions.
type Priority = (&'static str, i32, &'static [(&'static str, i32)]);

/// The groups with how much they are preferred, and the versions of each with the same.
const PRIORITIES: &[Priority] = &[
    ("", 18000, &[("v1", 1)]),
    ("apps", 17800, &[("v1", 15)]),
    ("events.k8s.io", 17750, &[("v1", 15), ("v1beta1", 5)]),
    ("authentication.k8s.io", 17700, &[("v1", 15), ("v1beta1", 9), ("v1alpha1", 1)]),
    ("authorization.k8s.io", 17600, &[("v1", 15)]),
    ("autoscaling", 17500, &[("v1", 15), ("v2", 30), ("v2beta1", 9), ("v2beta2", 1)]),
    ("batch", 17400, &[("v1", 15), ("v1beta1", 9), ("v2alpha1", 9)]),
    ("certificates.k8s.io", 17300, &[("v1", 15), ("v1beta1", 9), ("v1alpha1", 1)]),
    ("networking.k8s.io", 17200, &[("v1", 15), ("v1beta1", 9)]),
    ("policy", 17100, &[("v1", 15), ("v1beta1", 9)]),
    ("rbac.authorization.k8s.io", 17000, &[("v1", 15)]),
    ("storage.k8s.io", 16800, &[("v1", 15), ("v1beta1", 9), ("v1alpha1", 1)]),
    ("apiextensions.k8s.io", 16700, &[("v1", 15)]),
    ("admissionregistration.k8s.io", 16700, &[("v1", 15), ("v1beta1", 12), ("v1alpha1", 9)]),
    ("scheduling.k8s.io", 16600, &[("v1", 15), ("v1alpha2", 2)]),
    ("coordination.k8s.io", 16500, &[("v1", 15), ("v1beta1", 13), ("v1alpha2", 12)]),
    ("node.k8s.io", 16300, &[("v1", 15), ("v1alpha1", 1), ("v1beta1", 9)]),
    ("discovery.k8s.io", 16200, &[("v1", 15), ("v1beta1", 12)]),
    ("resource.k8s.io", 16200, &[("v1", 21), ("v1beta2", 15), ("v1beta1", 9), ("v1alpha3", 1)]),
    (
        "flowcontrol.apiserver.k8s.io",
        16100,
        &[("v1", 21), ("v1beta3", 18), ("v1beta2", 15), ("v1beta1", 12), ("v1alpha1", 9)],
    ),
    ("internal.apiserver.k8s.io", 16000, &[("v1alpha1", 9)]),
    ("storagemigration.k8s.io", 15800, &[("v1beta1", 9)]),
];

/// What groups have that are not Kubernetes' own, as custom resources do.
const OTHERS: (i32, i32) = (1000, 100);

fn priorities(place: &GroupVersion) -> Option<(i32, i32)> {
    if !GROUPS.iter().any(|group| group.name == place.group) {
        return Some(OTHERS);
    }
    let (_, group, versions) = PRIORITIES.iter().find(|(group, _, _)| *group == place.group)?;
    let (_, version) = versions.iter().find(|(version, _)| *version == place.version)?;
    Some((*group, *version))
}

/// The name of the object for a version.
fn name(place: &GroupVersion) -> String {
    format!("{}.{}", place.version, place.group)
}

/// The versions that have an object. Kubernetes has none for versions that it gives no order.
fn places(table: &ResourceTable) -> Vec<GroupVersion> {
    let mut places = table.group_versions();
    places.retain(|place| priorities(place).is_some());
    places.sort_by_key(name);
    places.dedup();
    places
}

/// An object for each version that is served.
pub(super) fn everything(table: &ResourceTable) -> Vec<Wanted> {
    let object = |place: &GroupVersion| {
        let (group, version) = priorities(place).unwrap_or_default();
        let mut spec = json!({
            "version": place.version, "groupPriorityMinimum": group, "versionPriority": version
        });
        if !place.group.is_empty()
            && let Some(fields) = spec.as_object_mut()
        {
            fields.insert("group".to_owned(), place.group.to_string().into());
        }
        let tree = json!({"metadata": {"name": name(place), "labels": {MANAGED: "onstart"}}, "spec": spec});
        Wanted {
            upkeep: Upkeep::Fields { names: &["spec"], unless: "" },
            ..Wanted::new(GROUP, "apiservices", tree)
        }
    };
    places(table).iter().map(object).collect()
}

/// Drops the objects of versions that an earlier release served, and this one doesn't.
pub(super) async fn drop_old(api: &Loopback, known: &HashMap<Key, Entry>) -> Outcome<()> {
    let resources = api.resources();
    let Some(endpoint) = resources.find(GROUP, "v1", "apiservices") else { return Ok(()) };
    let Some(storage) = &endpoint.storage else { return Ok(()) };
    let names: Vec<String> = places(&api.registry().table).iter().map(name).collect();
    let old = known.iter().filter(|(key, _)| key.starts_with(storage.prefix()));
    for (key, entry) in old.filter(|(key, _)| !names.iter().any(|name| name == storage.place(key).1)) {
        let Ok(hub) = endpoint.model.load(&entry.value, entry.modified) else { continue };
        let Some(meta) = hub.metadata() else { continue };
        if meta.labels.get(MANAGED).is_none_or(|managed| managed != "onstart") {
            continue;
        }
        let preconditions = Preconditions { uid: Some(meta.uid.clone()), resource_version: None };
        let options =
            DeleteOptions { preconditions: Some(Box::new(preconditions)), ..DeleteOptions::default() };
        match Client::server(api).delete(&ObjectRef::new(endpoint, "", storage.place(key).1), options).await {
            Err(failure) if !failure.is_not_found() => return Err(failure),
            _ => {}
        }
    }
    Ok(())
}
