//! Every kind that `k8s.io/api` has registered in any release since v0.17 is known, and the list of them is that of
//! `tools/record-golden.py`.

use std::collections::BTreeMap;

use rhumb_meta::{GroupVersion, GroupVersionKind};
use rhumb_scheme::ConvertError;

/// `GROUP/VERSION KIND FIRST-LAST` lines, with the releases that have the kind.
const PUBLISHED: &str = include_str!("../data/golden/published.txt");

/// Kinds that are left out, each with the reason. There is none.
const LEFT_OUT: &[(&str, &str)] = &[];

/// The kind of a line, and the first and the last release.
fn read(line: &str) -> (GroupVersionKind, u32, u32) {
    let [version, kind, releases] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
    let version: GroupVersion = version.parse().expect("a version");
    let minor = |release: &str| release.strip_prefix("1.").and_then(|minor| minor.parse().ok());
    let (first, last) = releases.split_once('-').expect("two releases");
    let kind = version.with_kind(kind.to_owned());
    (kind, minor(first).expect("a release"), minor(last).expect("a release"))
}

#[test]
fn every_published_kind_is_known() {
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let is_left_out = |line: &str| LEFT_OUT.iter().any(|(kind, _)| line.starts_with(kind));
    let lines = PUBLISHED.lines().filter(|line| !is_left_out(line));
    let unknown: Vec<&str> = lines.filter(|line| !scheme.recognizes(&read(line).0)).collect();
    assert!(unknown.is_empty(), "{} kinds are unknown:\n{}", unknown.len(), unknown.join("\n"));
}

#[test]
fn the_list_reaches_from_the_oldest_release_to_the_newest() {
    let kinds: Vec<_> = PUBLISHED.lines().map(read).collect();
    assert!(kinds.len() > 380, "only {} kinds", kinds.len());
    assert!(kinds.iter().all(|(_, first, last)| first <= last));
    assert_eq!(kinds.iter().map(|(_, first, _)| first).min(), Some(&17));
    assert_eq!(kinds.iter().map(|(_, _, last)| last).max(), Some(&36));
}

/// Versions of kinds that no release of Kubernetes converts to another. They share no more than the name with it.
const UNCONVERTED: &[(&str, &[&str])] = &[
    // Claims on classes, before there were devices.
    (
        "resource.k8s.io/v1alpha1",
        &["ResourceClaim", "ResourceClaimList", "ResourceClaimTemplate", "ResourceClaimTemplateList"],
    ),
    (
        "resource.k8s.io/v1alpha2",
        &[
            "ResourceClaim",
            "ResourceClaimList",
            "ResourceClaimTemplate",
            "ResourceClaimTemplateList",
            "ResourceSlice",
            "ResourceSliceList",
        ],
    ),
    // It names a version, and where to go on.
    ("storagemigration.k8s.io/v1alpha1", &["StorageVersionMigration", "StorageVersionMigrationList"]),
];

fn is_unconverted(gvk: &GroupVersionKind) -> bool {
    let version = gvk.group_version().to_string();
    UNCONVERTED.iter().any(|(of, kinds)| *of == version && kinds.contains(&&*gvk.kind))
}

#[test]
fn every_published_version_of_a_kind_converts_to_every_other_or_says_that_none_does() {
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let mut versions: BTreeMap<(String, String), Vec<GroupVersionKind>> = BTreeMap::new();
    for (gvk, _, _) in PUBLISHED.lines().map(read) {
        versions.entry((gvk.group.to_string(), gvk.kind.to_string())).or_default().push(gvk);
    }
    let mut wrong = Vec::new();
    let (mut converted, mut refused) = (0, 0);
    for gvks in versions.values() {
        for (from, to) in gvks.iter().flat_map(|from| gvks.iter().map(move |to| (from, to))) {
            if from == to {
                continue;
            }
            let object = scheme.new_object(from).expect("the kind is registered");
            // The same type in both: only the label changes.
            let same = scheme.known_type(from).map(|known| known.rust_name)
                == scheme.known_type(to).map(|known| known.rust_name);
            let has_way = same || !(is_unconverted(from) || is_unconverted(to));
            match scheme.convert_to_version(&*object, &to.group_version()) {
                Ok(object) if has_way => {
                    converted += 1;
                    let label = (to.group_version().to_string(), to.kind.to_string());
                    if object.type_meta() != (&*label.0, &*label.1) {
                        wrong.push(format!("{from} to {to} became {:?}", object.type_meta()));
                    }
                }
                Ok(_) => wrong.push(format!("{from} to {to} has a conversion")),
                Err(ConvertError::Value(text))
                    if !has_way && text.starts_with("no release of Kubernetes") =>
                {
                    refused += 1;
                }
                Err(error) => wrong.push(format!("{from} to {to}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} pairs are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(converted > 350 && refused > 40, "{converted} pairs converted, {refused} refused");
}

#[test]
fn a_version_that_is_not_converted_says_between_what() {
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    let gvk = GroupVersionKind::new("resource.k8s.io", "v1alpha2", "ResourceClaim");
    let claim = scheme.new_object(&gvk).expect("the kind is registered");
    let refused = scheme.convert_to_version(&*claim, &GroupVersion::new("resource.k8s.io", "v1"));
    assert_eq!(
        refused.expect_err("no conversion").to_string(),
        "no release of Kubernetes converts ResourceClaim of resource.k8s.io/v1alpha2 to resource.k8s.io/v1"
    );
}
