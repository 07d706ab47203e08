//! Rules of roles, one by one.

use super::*;
use crate::base::identity::User;

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn rule(verbs: &[&str], groups: &[&str], resources: &[&str], names: &[&str]) -> PolicyRule {
    PolicyRule {
        verbs: texts(verbs),
        api_groups: texts(groups),
        resources: texts(resources),
        resource_names: texts(names),
        ..PolicyRule::default()
    }
}

fn paths(verbs: &[&str], paths: &[&str]) -> PolicyRule {
    PolicyRule { verbs: texts(verbs), non_resource_urls: texts(paths), ..PolicyRule::default() }
}

/// Whether a rule allows `verb group resource/subresource name`.
fn may(rule: &PolicyRule, verb: &str, group: &str, resource: &str, name: &str) -> bool {
    let user = User::default();
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    let asked = AskedResource { group, resource, subresource, name: name.into(), ..AskedResource::default() };
    allows(rule, &Attributes::resource(&user, verb, asked))
}

fn may_see(rule: &PolicyRule, verb: &str, path: &str) -> bool {
    allows(rule, &Attributes::path(&User::default(), verb, path))
}

#[test]
fn verbs_groups_and_resources_match_by_name_or_star() {
    let pods = rule(&["get", "list"], &[""], &["pods"], &[]);
    assert!(may(&pods, "get", "", "pods", "a") && may(&pods, "list", "", "pods", ""));
    assert!(!may(&pods, "delete", "", "pods", "a") && !may(&pods, "get", "apps", "pods", "a"));
    assert!(!may(&pods, "GET", "", "pods", "a") && !may(&pods, "get", "", "Pods", "a"));
    assert!(!may(&pods, "", "", "pods", "a") && !may(&pods, "get", "", "pods/log", "a"));
    let all = rule(&["*"], &["*"], &["*"], &[]);
    assert!(may(&all, "anything", "any", "thing/at-all", "x"));
    assert!(!may_see(&all, "get", "/metrics"));
}

#[test]
fn a_subresource_is_a_resource_of_its_own() {
    let log = rule(&["get"], &[""], &["pods/log"], &[]);
    assert!(may(&log, "get", "", "pods/log", "a"));
    assert!(!may(&log, "get", "", "pods", "a") && !may(&log, "get", "", "pods/exec", "a"));
    let scales = rule(&["get"], &["*"], &["*/scale"], &[]);
    assert!(may(&scales, "get", "apps", "deployments/scale", "a"));
    assert!(!may(&scales, "get", "apps", "deployments", "a"));
    assert!(!may(&scales, "get", "apps", "deployments/status", "a"));
    // A resource whose name has a slash in it is none.
    assert!(!may(&rule(&["get"], &[""], &["pods/"], &[]), "get", "", "pods", "a"));
}

#[test]
fn names_shut_out_what_has_none() {
    let one = rule(&["get", "list", "create"], &[""], &["secrets"], &["a"]);
    assert!(may(&one, "get", "", "secrets", "a"));
    assert!(!may(&one, "get", "", "secrets", "b"));
    assert!(!may(&one, "list", "", "secrets", "") && !may(&one, "create", "", "secrets", ""));
    assert!(may(&one, "list", "", "secrets", "a"));
}

#[test]
fn paths_end_in_a_star_or_are_exact() {
    let some = paths(&["get"], &["/healthz", "/logs/*"]);
    assert!(may_see(&some, "get", "/healthz") && may_see(&some, "get", "/logs/a/b"));
    assert!(!may_see(&some, "get", "/healthz/") && !may_see(&some, "get", "/logs"));
    assert!(!may_see(&some, "post", "/healthz") && !may_see(&some, "get", "/healthz/etcd"));
    assert!(may_see(&paths(&["*"], &["*"]), "delete", "/x"));
}

#[test]
fn what_is_missing_is_told_by_resource() {
    let owned = [Cow::Owned(rule(&["get", "list"], &[""], &["pods"], &[]))];
    assert_eq!(missing(&owned, &[rule(&["get"], &[""], &["pods"], &["x"])]), None);
    let granted = [
        rule(&["get", "delete", "watch"], &[""], &["pods"], &[]),
        rule(&["get"], &["apps"], &["deployments"], &["a"]),
        paths(&["get"], &["/metrics"]),
    ];
    let told = [
        r#"{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}"#,
        r#"{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["a"], Verbs:["get"]}"#,
        r#"{NonResourceURLs:["/metrics"], Verbs:["get"]}"#,
    ];
    assert_eq!(missing(&owned, &granted).as_deref(), Some(&told.map(str::to_owned)[..]));
}

#[test]
fn a_star_is_only_covered_by_a_star() {
    let owned = [Cow::Owned(rule(&["get"], &[""], &["pods", "*/scale"], &[]))];
    let lacks =
        |verb, group, resource| missing(&owned, &[rule(&[verb], &[group], &[resource], &[])]).is_some();
    assert!(lacks("*", "", "pods") && lacks("get", "*", "pods") && lacks("get", "", "*"));
    assert!(!lacks("get", "", "deployments/scale") && lacks("get", "", "deployments/status"));
    let named = [Cow::Owned(rule(&["get"], &[""], &["pods"], &["a"]))];
    assert!(missing(&named, &[rule(&["get"], &[""], &["pods"], &[])]).is_some());
    let star = [Cow::Owned(paths(&["get"], &["/api*"]))];
    assert_eq!(missing(&star, &[paths(&["get"], &["/apis/*"])]), None);
    assert!(missing(&star, &[paths(&["get"], &["*"])]).is_some());
}
