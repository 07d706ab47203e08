//! Kinds, objects of kinds, and the order of versions.

use rhumb_meta::{GroupKind, GroupVersion, GroupVersionKind, INTERNAL, Object};
use rhumb_scheme::{Scheme, SchemeBuilder, Unstructured};
use serde_json::json;

use crate::toys::{self, GROUP, gv, gvk, v1};

#[test]
fn a_new_object_carries_its_kind() {
    let scheme = toys::scheme();
    let object = scheme.new_object(&gvk("v1beta1", "Widget")).expect("is registered");
    assert_eq!(object.type_meta(), ("toys.example/v1beta1", "Widget"));
    let hub = scheme.new_object(&gvk(INTERNAL, "Widget")).expect("is registered");
    assert_eq!(hub.type_meta(), ("", ""));
}

#[test]
fn unknown_kinds_are_told_in_kubernetes_words() {
    let scheme = toys::scheme();
    for (group, version, kind, words) in [
        ("apps", "v1", "X", r#"no kind "X" is registered for version "apps/v1" in scheme "toys""#),
        ("", "v1", "X", r#"no kind "X" is registered for version "v1" in scheme "toys""#),
        (
            "apps",
            INTERNAL,
            "X",
            r#"no kind "X" is registered for the internal version of group "apps" in scheme "toys""#,
        ),
        ("", "v9", "", r#"no version "v9" has been registered in scheme "toys""#),
        ("apps", INTERNAL, "", r#"no version "apps/__internal" has been registered in scheme "toys""#),
        ("a\u{e9}\n", "v1", "K\"", r#"no kind "K\"" is registered for version "aé\n/v1" in scheme "toys""#),
    ] {
        let error = scheme.new_object(&GroupVersionKind::new(group, version, kind)).err();
        assert_eq!(error.map(|error| error.to_string()).as_deref(), Some(words));
    }
}

#[test]
fn objects_that_are_not_known_are_told_in_kubernetes_words() {
    let scheme = toys::scheme();
    let words = |object: &dyn Object| scheme.object_kind(object).err().map(|error| error.to_string());
    assert_eq!(
        words(&v1::WidgetList::default()).as_deref(),
        Some(r#"no kind is registered for the type v1.WidgetList in scheme "toys""#)
    );
    let tree = |tree| Unstructured::new(tree).expect("an object");
    assert_eq!(
        words(&tree(json!({}))).as_deref(),
        Some("Object 'Kind' is missing in 'unstructured object has no kind'")
    );
    assert_eq!(
        words(&tree(json!({"kind": "X"}))).as_deref(),
        Some("Object 'apiVersion' is missing in 'unstructured object has no version'")
    );
    let gvk = scheme.object_kind(&tree(json!({"kind": "X", "apiVersion": "a/v1"})));
    assert_eq!(gvk, Ok(GroupVersionKind::new_static("a", "v1", "X")));
}

#[test]
fn unversioned_kinds_exist_in_every_group_and_version() {
    let scheme = toys::scheme();
    for (group, version) in [("", "v1"), ("apps", "v7"), (GROUP, INTERNAL)] {
        let notice = scheme.new_object(&GroupVersionKind::new(group, version, "Notice")).expect("anywhere");
        assert!(notice.is::<v1::Notice>());
    }
    assert!(!scheme.recognizes(&GroupVersionKind::new("apps", "v7", "Notice")));
    assert_eq!(scheme.is_unversioned(&v1::Notice::default()), Some(true));
    assert_eq!(scheme.is_unversioned(&v1::Widget::default()), Some(false));
    assert_eq!(scheme.is_unversioned(&v1::WidgetList::default()), None);
}

#[test]
fn kinds_are_listed_in_order() {
    let scheme = toys::scheme();
    let kinds = |gv: &GroupVersion| -> Vec<String> {
        scheme.known_types(gv).iter().map(|known| known.gvk.kind.to_string()).collect()
    };
    assert_eq!(kinds(&gv("v1")), ["Gadget", "Widget"]);
    assert_eq!(kinds(&gv(INTERNAL)), ["Gadget", "Widget"]);
    assert_eq!(kinds(&gv("v9")), Vec::<String>::new());
    assert_eq!(scheme.all_known_types().len(), 7);
    let known = scheme.known_type(&gvk("v1", "Widget")).expect("is known");
    assert_eq!((known.rust_name, known.desc.name), ("scheme::toys::v1::Widget", "Widget"));
}

/// A scheme with one kind in versions registered in this order, and a priority.
fn versions(registered: &[&'static str], priority: &[&str]) -> Scheme {
    let mut builder = SchemeBuilder::new("versions");
    for version in registered {
        builder.register::<v1::Gadget>(&gv(version)).expect("registers");
    }
    if !priority.is_empty() {
        builder.version_priority(GROUP, priority).expect("these are registered");
    }
    builder.freeze().expect("freezes")
}

fn texts(versions: &[GroupVersion]) -> Vec<&str> {
    versions.iter().map(|gv| &*gv.version).collect()
}

#[test]
fn versions_come_in_the_order_of_registration_unless_a_priority_says_otherwise() {
    let registered = ["v1alpha1", "v2", "foo", "v1", "v10", INTERNAL, "bar"];
    let observed = ["v1alpha1", "v2", "foo", "v1", "v10", "bar"];
    assert_eq!(texts(versions(&registered, &[]).prioritized_versions(GROUP)), observed);

    let scheme = versions(&registered, &["v1", "foo"]);
    let prioritized = ["v1", "foo", "v1alpha1", "v2", "v10", "bar"];
    assert_eq!(texts(scheme.prioritized_versions(GROUP)), prioritized);
    assert_eq!(scheme.preferred_versions(), [gv("v1")]);
    assert_eq!(texts(scheme.observed_versions()), observed);
    assert_eq!(scheme.prioritized_versions("other"), []);
}

#[test]
fn every_group_has_a_preferred_version() {
    let mut builder = toys::builder();
    builder.version_priority(GROUP, &["v1beta1"]).expect("is registered");
    let scheme = builder.freeze().expect("freezes");
    let core = GroupVersion::new_static("", "v1");
    assert_eq!(scheme.preferred_versions(), [core.clone(), gv("v1beta1")]);
    let all = scheme.prioritized_versions_all_groups();
    assert_eq!(all, [core.clone(), gv("v1beta1"), gv("v1"), gv("v1alpha1")]);
    assert_eq!(scheme.observed_versions(), [gv("v1"), gv("v1beta1"), gv("v1alpha1"), core]);
    assert!(scheme.is_group_registered(GROUP) && !scheme.is_group_registered("apps"));
    assert!(scheme.is_version_registered(&gv("v1")) && !scheme.is_version_registered(&gv(INTERNAL)));
}

#[test]
fn versions_of_a_kind_are_those_that_have_it() {
    let scheme = toys::scheme();
    let versions = |kind| scheme.versions_for_group_kind(&GroupKind::new_static(GROUP, kind));
    assert_eq!(texts(&versions("Widget")), ["v1", "v1beta1", "v1alpha1"]);
    assert_eq!(texts(&versions("Gadget")), ["v1"]);
    assert_eq!(texts(&versions("Nothing")), Vec::<&str>::new());
}
