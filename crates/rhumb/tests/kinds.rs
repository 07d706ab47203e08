//! Every kind of Kubernetes' API is known, in every version, and every version of a kind converts to every other.

#[path = "../../../testdata/kubernetes/read.rs"]
mod kubernetes;

use std::collections::{BTreeMap, BTreeSet};

use rhumb_meta::{GroupVersion, GroupVersionKind, INTERNAL};
use rhumb_scheme::Scheme;

/// The kinds of Kubernetes v1.36 and those it had before, as `GROUP/VERSION KIND` lines.
const KINDS: &str = include_str!("data/kinds.txt");

fn scheme() -> Scheme {
    rhumb_api::scheme().expect("the built-in scheme freezes")
}

fn kinds() -> Vec<GroupVersionKind> {
    let kind = |line: &str| {
        let (version, kind) = line.split_once(' ').expect("a version and a kind");
        version.parse::<GroupVersion>().expect("a version").with_kind(kind.to_owned())
    };
    KINDS.lines().map(kind).collect()
}

#[test]
fn every_kind_of_every_version_is_registered() {
    let scheme = scheme();
    let missing: Vec<_> =
        kinds().iter().filter(|gvk| !scheme.recognizes(gvk)).map(ToString::to_string).collect();
    assert!(missing.is_empty(), "{} kinds are not registered:\n{}", missing.len(), missing.join("\n"));
}

#[test]
fn the_list_of_kinds_has_all_that_the_facts_have() {
    let facts = kubernetes::document("facts");
    let mut found = BTreeSet::new();
    for (version, facts) in facts.as_object().expect("facts by version") {
        let version: GroupVersion = version.parse().expect("a version");
        let kinds = facts["kinds"].as_array().expect("a list of kinds").iter();
        found.extend(kinds.map(|kind| version.with_kind(kind.as_str().expect("a kind").to_owned())));
    }
    assert!(found.len() > 300, "only {} kinds were found", found.len());
    let listed: BTreeSet<_> = kinds().into_iter().collect();
    let missing: Vec<_> = found.difference(&listed).map(ToString::to_string).collect();
    assert!(missing.is_empty(), "{} kinds are not listed:\n{}", missing.len(), missing.join("\n"));
}

#[test]
fn every_version_of_a_kind_converts_to_every_other() {
    let scheme = scheme();
    let mut versions: BTreeMap<(String, String), Vec<GroupVersionKind>> = BTreeMap::new();
    for gvk in kinds() {
        versions.entry((gvk.group.to_string(), gvk.kind.to_string())).or_default().push(gvk);
    }
    let mut failures = Vec::new();
    let mut pairs = 0;
    for gvks in versions.values() {
        for from in gvks {
            let object = scheme.new_object(from).expect("the kind is registered");
            for to in gvks.iter().filter(|to| *to != from) {
                pairs += 1;
                match scheme.convert_to_version(&*object, &to.group_version()) {
                    Ok(converted) => {
                        let got = converted.type_meta();
                        if got != (to.group_version().to_string().as_str(), &*to.kind) {
                            failures.push(format!("{from} to {to}: got {got:?}"));
                        }
                    }
                    Err(error) => failures.push(format!("{from} to {to}: {error}")),
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {pairs} pairs fail:\n{}", failures.len(), failures.join("\n"));
    assert!(pairs > 300, "only {pairs} pairs were tried");
}

#[test]
fn kinds_that_moved_between_groups_share_their_hub() {
    let scheme = scheme();
    for (old, new) in [
        ("extensions/v1beta1 Deployment", "apps/v1 Deployment"),
        ("extensions/v1beta1 DaemonSet", "apps/v1 DaemonSet"),
        ("extensions/v1beta1 ReplicaSet", "apps/v1 ReplicaSet"),
        ("extensions/v1beta1 Ingress", "networking.k8s.io/v1 Ingress"),
        ("extensions/v1beta1 NetworkPolicy", "networking.k8s.io/v1 NetworkPolicy"),
        ("events.k8s.io/v1 Event", "v1 Event"),
    ] {
        let hub = |line: &str| {
            let (version, kind) = line.split_once(' ').expect("a version and a kind");
            let group = version.parse::<GroupVersion>().expect("a version").group;
            let hub = GroupVersionKind::new(group.to_string(), INTERNAL, kind.to_owned());
            scheme.known_type(&hub).unwrap_or_else(|| panic!("{line} has no hub")).desc
        };
        assert!(std::ptr::eq(hub(old), hub(new)), "{old} and {new} have different hubs");
    }
}
