//! The rules that many kinds share, compared with what Kubernetes' own functions answered to the same values.
//!
//! `data/shared.txt` holds the errors of each check, one per line, below a line with its name.

use std::collections::BTreeMap;

use rhumb_meta::v1::{
    Condition, CreateOptions, DeleteOptions, FieldSelectorRequirement, LabelSelector,
    LabelSelectorRequirement, ManagedFieldsEntry, PatchOptions, Preconditions, TableOptions,
};
use rhumb_meta::validation::name_is_dns_label;
use rhumb_meta::{ObjectMeta, Time};
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_validation::meta::{self, LabelSelectorOptions, PatchType, Scope, UnknownOperators};

/// Runs a check and compares what it finds with the recorded errors.
fn check(name: &str, run: impl FnOnce(&FieldPath, &mut FieldErrors)) {
    let recorded = include_str!("data/shared.txt");
    let mut sections = recorded.split("## ").filter_map(|section| section.split_once('\n'));
    let (_, expected) = sections.find(|(title, _)| *title == name).unwrap_or_else(|| panic!("no {name}"));
    let mut errors = FieldErrors::default();
    run(&FieldPath::new("x"), &mut errors);
    let found: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
    assert_eq!(found.join("\n"), expected.trim_end_matches('\n'), "{name}");
}

fn named(prefix: &str, values: &[&str], rule: fn(&str, &FieldPath, &mut FieldErrors)) {
    for value in values {
        check(format!("{prefix} {value}").trim_end(), |path, errors| rule(value, path, errors));
    }
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn map(key: &str, value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(key.to_owned(), value.to_owned())])
}

#[test]
fn names() {
    named("fqn", &["", "a.b", "a.b.c", "A.b.c"], meta::fully_qualified_name);
    let long = format!("{}.b", "a".repeat(64));
    let names = ["", "a", "a.b.", "a.b", "A.b", &long, "."];
    named("fqdn", &names, meta::fully_qualified_domain_name);
    let paths = ["", "a", "a/", "/a", "a.io/b c", "A.io/b", "a.io/b/c?", "a.io/b/c"];
    named("path", &paths, meta::domain_prefixed_path);
    named("key", &["", "a", "a.io/b", "a.io/b c", "a/b/c"], meta::domain_prefixed_key);
}

#[test]
fn conditions() {
    let condition = |type_: &str, status: &str, reason: &str| Condition {
        type_: type_.into(),
        status: status.into(),
        reason: reason.into(),
        last_transition_time: Time::from_timestamp(0, 0),
        ..Condition::default()
    };
    let bad =
        Condition { observed_generation: -1, message: "m".repeat(32769), ..condition("A", "Maybe<", "a-b") };
    let long = format!("Ok:{}", "x".repeat(1024));
    let all = [Condition::default(), bad, condition("A", "True", &long), condition("B c", "False", "1")];
    check("conditions", |path, errors| meta::conditions(&all, path, errors));
}

#[test]
fn options() {
    let options = DeleteOptions {
        orphan_dependents: Some(true),
        propagation_policy: Some("No<".into()),
        dry_run: texts(&["All", "x<"]),
        ignore_store_read_error_with_cluster_breaking_potential: Some(true),
        grace_period_seconds: Some(1),
        preconditions: Some(Box::new(Preconditions::default())),
        ..DeleteOptions::default()
    };
    check("delete", |_, errors| meta::delete_options(&options, errors));
    let options = CreateOptions {
        field_manager: format!("a\u{7}b\u{200b}{}", "m".repeat(128)),
        field_validation: "Nope".into(),
        dry_run: texts(&["x"]),
        ..CreateOptions::default()
    };
    check("create", |_, errors| meta::create_options(&options, errors));
    let options = PatchOptions::default();
    check("apply", |_, errors| meta::patch_options(&options, PatchType::Apply, errors));
    let options = PatchOptions { force: Some(true), ..options };
    check("patch", |_, errors| meta::patch_options(&options, PatchType::Other, errors));
    let options = TableOptions { include_object: "All".into(), ..TableOptions::default() };
    check("table", |_, errors| meta::table_options(&options, errors));
}

#[test]
fn selectors() {
    let requirement = |key: &str, operator: &str, values: &[&str]| LabelSelectorRequirement {
        key: key.into(),
        operator: operator.into(),
        values: texts(values),
    };
    let selector = LabelSelector {
        match_labels: map("a b", "c d"),
        match_expressions: vec![
            requirement("a", "In", &[]),
            requirement("", "Exists", &["x y"]),
            requirement("a", "Like<", &["ok"]),
        ],
    };
    assert!(meta::has_invalid_label_value(&selector));
    check("selector", |path, errors| {
        meta::label_selector(&selector, LabelSelectorOptions::default(), path, errors);
    });
    let requirement = FieldSelectorRequirement { operator: "NotIn".into(), ..Default::default() };
    check("field", |path, errors| {
        meta::field_selector_requirement(&requirement, UnknownOperators::Refused, path, errors);
    });
}

#[test]
fn metadata() {
    let entry = ManagedFieldsEntry {
        operation: "Do".into(),
        fields_type: "V2".into(),
        manager: "\n".into(),
        subresource: "s".repeat(257),
        ..ManagedFieldsEntry::default()
    };
    let new = ObjectMeta {
        name: "b".into(),
        namespace: "n".into(),
        uid: "u<".into(),
        generation: 1,
        creation_timestamp: Time::from_timestamp(0, 0),
        finalizers: texts(&["b/\"", "a/a", "c/c"]),
        deletion_grace_period_seconds: Some(1),
        managed_fields: vec![entry],
        ..ObjectMeta::default()
    };
    let old = ObjectMeta {
        name: "a".into(),
        generation: 2,
        deletion_timestamp: Some(Time::from_timestamp(60, 0)),
        finalizers: texts(&["c/c"]),
        ..ObjectMeta::default()
    };
    check("update", |path, errors| meta::common_object_meta_update(&new, &old, path, errors));
    let new = ObjectMeta {
        generate_name: "A-".into(),
        generation: -1,
        namespace: "A.b".into(),
        annotations: map("a", &"v".repeat(256 * 1024)),
        ..ObjectMeta::default()
    };
    check("meta", |path, errors| {
        meta::common_object_meta(&new, Scope::Namespaced, name_is_dns_label, path, errors);
    });
    let new = ObjectMeta { name: "a".into(), namespace: "b".into(), ..ObjectMeta::default() };
    check("cluster", |path, errors| {
        meta::common_object_meta(&new, Scope::Cluster, name_is_dns_label, path, errors);
    });
    let new = ObjectMeta { generate_name: "A\"-".into(), ..ObjectMeta::default() };
    check("opts", |path, errors| {
        meta::object_meta_with(&new, Scope::Namespaced, |_, _, _| {}, path, errors);
    });
}
