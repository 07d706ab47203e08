//! Mappers whose kinds were registered by hand, and the resources that were guessed for them.

use rhumb_meta::GroupVersion;

use super::*;

fn place(text: &str) -> GroupVersion {
    GroupVersion::parse(text).expect("the tests spell group versions right")
}

/// Builds a mapper from lines of `group/version Kind scope`, with plural and singular if they aren't guessed.
pub(super) fn register(preference: &str, kinds: &[&str]) -> DefaultRestMapper {
    let mut builder = DefaultRestMapper::builder(preference.split_whitespace().map(place));
    for line in kinds {
        let words: Vec<&str> = line.split_whitespace().collect();
        let scope = if words[2] == "C" { Scope::Cluster } else { Scope::Namespaced };
        let kind = place(words[0]).with_kind(words[1].to_owned());
        match words[3..] {
            [plural, singular] => builder.add_specific(
                kind,
                place(words[0]).with_resource(plural.to_owned()),
                place(words[0]).with_resource(singular.to_owned()),
                scope,
            ),
            _ => builder.add(kind, scope),
        };
    }
    builder.build()
}

/// A mapper with several versions, a group that is a prefix of another, and irregular plurals.
pub(super) fn farm() -> DefaultRestMapper {
    register(
        "apps/v1 apps/v1beta1 v1 apps.io/v2",
        &[
            "v1 Pod N",
            "v1 Node C",
            "apps/v1beta1 Deployment N",
            "apps/v1 Deployment N",
            "apps.io/v2 Deployment C",
            "apps/v1 Sheep N sheep sheep",
            "apps/v1beta1 Sheep C sheep lamb",
            "v1 Wolf C wolves wolf",
            "apps/v1 Wolf N wolves wolf",
            "other/v1 Fox N",
        ],
    )
}

#[test]
fn resources_are_guessed_as_kubernetes_guesses_them() {
    let table = [
        ("Pod", "pods", "pod"),
        ("Endpoints", "endpoints", "endpoints"),
        ("MyEndpoints", "myendpoints", "myendpoints"),
        ("Ingress", "ingresses", "ingress"),
        ("NetworkPolicy", "networkpolicies", "networkpolicy"),
        ("Policy", "policies", "policy"),
        ("Class", "classes", "class"),
        ("Status", "statuses", "status"),
        ("Gateway", "gatewaies", "gateway"),
        ("Mouse", "mouses", "mouse"),
        ("s", "ses", "s"),
        ("y", "ies", "y"),
        ("S", "ses", "s"),
        ("Y", "ies", "y"),
        ("LEASE", "leases", "lease"),
        ("İstanbul", "istanbuls", "istanbul"),
        ("ΟΔΟΣ", "οδοσs", "οδοσ"),
        ("\u{212a}elvin", "kelvins", "kelvin"),
        ("Straße", "straßes", "straße"),
        ("pods", "podses", "pods"),
    ];
    for (kind, plural, singular) in table {
        let guessed = guess_resource(&place("g/v").with_kind(kind));
        assert_eq!(guessed.plural, place("g/v").with_resource(plural));
        assert_eq!(guessed.singular, place("g/v").with_resource(singular));
    }
    assert_eq!(guess_resource(&place("g/v").with_kind("")), GuessedResource::default());
}

#[test]
fn a_plural_that_is_its_own_singular_is_one_resource() {
    let mapper = farm();
    assert_eq!(
        ask(&mapper, "resources_for", "||sheep"),
        "[apps/v1, Resource=sheep apps/v1beta1, Resource=sheep]"
    );
    assert_eq!(
        ask(&mapper, "singular", "sheep"),
        "error: multiple possible singular resources ([apps/v1, Resource=sheep apps/v1beta1, Resource=sheep]) \
         found for sheep"
    );
    let endpoints = register("v1", &["v1 Endpoints N"]);
    assert_eq!(ask(&endpoints, "resource_for", "||endpoints"), "/v1, Resource=endpoints");
}

#[test]
fn group_versions_without_a_preference_come_last() {
    let mapper = register("b/v1", &["a/v1 Fox N", "c/v1 Fox N", "b/v1 Fox N", "a/v2 Fox N"]);
    assert_eq!(
        ask(&mapper, "kinds_for", "||fox"),
        "[b/v1, Kind=Fox a/v1, Kind=Fox a/v2, Kind=Fox c/v1, Kind=Fox]"
    );
}

#[test]
fn the_last_registration_of_a_kind_counts() {
    let mapper = register("v1", &["v1 Ox N oxs ox", "v1 Ox C oxen ox"]);
    assert_eq!(ask(&mapper, "mapping", "|Ox"), "/v1, Resource=oxen <- /v1, Kind=Ox (root)");
    assert_eq!(ask(&mapper, "kind_for", "||oxs"), "/v1, Kind=Ox");
}

#[test]
fn a_resource_registered_without_a_singular_has_none() {
    let mut builder = DefaultRestMapper::builder([]);
    let (kind, plural) = (place("v1").with_kind("Fish"), place("v1").with_resource("fish"));
    builder.add_specific(kind, plural, GroupVersionResource::default(), Scope::Cluster);
    assert_eq!(
        ask(&builder.build(), "singular", "fish"),
        "error: no singular of resource fish has been defined"
    );
}
