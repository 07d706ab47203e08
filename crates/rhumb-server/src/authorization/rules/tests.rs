//! Rules of roles, one by one.

use std::borrow::Cow;

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
    assert_eq!(missing(&owned, &[rule(&["get"], &[""], &["pods"], &["x"])]), Ok(None));
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
    assert_eq!(missing(&owned, &granted), Ok(Some(told.map(str::to_owned).to_vec())));
}

#[test]
fn a_star_is_only_covered_by_a_star() {
    let owned = [Cow::Owned(rule(&["get"], &[""], &["pods", "*/scale"], &[]))];
    let lacks =
        |verb, group, resource| missing(&owned, &[rule(&[verb], &[group], &[resource], &[])]) != Ok(None);
    assert!(lacks("*", "", "pods") && lacks("get", "*", "pods") && lacks("get", "", "*"));
    assert!(!lacks("get", "", "deployments/scale") && lacks("get", "", "deployments/status"));
    let named = [Cow::Owned(rule(&["get"], &[""], &["pods"], &["a"]))];
    assert_ne!(missing(&named, &[rule(&["get"], &[""], &["pods"], &[])]), Ok(None));
    let star = [Cow::Owned(paths(&["get"], &["/api*"]))];
    assert_eq!(missing(&star, &[paths(&["get"], &["/apis/*"])]), Ok(None));
    assert_ne!(missing(&star, &[paths(&["get"], &["*"])]), Ok(None));
}

/// Texts that differ.
fn many(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{prefix}{number}")).collect()
}

/// A rule for a billion things in a few kilobytes.
fn vast() -> PolicyRule {
    PolicyRule {
        verbs: many("v", 1000),
        api_groups: many("g", 1000),
        resources: many("r", 1000),
        ..PolicyRule::default()
    }
}

#[test]
fn a_rule_for_very_many_things_is_not_written_out_to_find_what_is_missing() {
    let lines = missing::<PolicyRule>(&[], &[vast()]).unwrap().unwrap();
    let (more, told) = lines.split_last().unwrap();
    assert_eq!(more, "and more that is not listed here");
    assert!(!told.is_empty() && told.iter().map(String::len).sum::<usize>() < 2 * LONGEST);
    // One that is owned as a whole is not walked at all, nor are the parts of it.
    assert_eq!(missing(&[Cow::Owned(vast())], &[vast()]), Ok(None));
    let part = |list: &[String], half: usize| list.chunks(500).nth(half).unwrap_or_default().to_vec();
    let halves = [0, 1].map(|half| Cow::Owned(PolicyRule { verbs: part(&vast().verbs, half), ..vast() }));
    assert_eq!(missing(&halves, &[vast()]), Ok(None));
    // Eight that have all of it together, and none of which has anything whole.
    let eighths = (0..8).map(|number| {
        Cow::Owned(PolicyRule {
            verbs: part(&vast().verbs, number & 1),
            api_groups: part(&vast().api_groups, number >> 1 & 1),
            resources: part(&vast().resources, number >> 2),
            ..PolicyRule::default()
        })
    });
    assert_eq!(missing(&eighths.collect::<Vec<_>>(), &[vast()]), Err(TooMany));
    let mut wider = vast();
    wider.resources.push("more".to_owned());
    assert_ne!(missing(&[Cow::Owned(vast())], &[wider]), Ok(None));
}

#[test]
fn what_is_missing_is_listed_whole_up_to_a_thousand_lines() {
    for (count, cut) in [(MOST_LINES, 0), (MOST_LINES + 1, 1)] {
        let granted = PolicyRule { resources: many("r", count), ..rule(&["get"], &[""], &[], &[]) };
        let lines = missing::<PolicyRule>(&[], &[granted]).unwrap().unwrap();
        assert_eq!(lines.len(), MOST_LINES + cut);
    }
    let long = PolicyRule { resource_names: vec!["n".repeat(LONGEST / 2); 3], ..vast() };
    let lines = missing::<PolicyRule>(&[], &[long]).unwrap().unwrap();
    assert!(lines.iter().map(String::len).sum::<usize>() <= LONGEST);
}

#[test]
fn a_comparison_ends_when_nobody_waits_for_it() {
    let budget = rhumb_schema::budget::Budget::new(0);
    budget.stop();
    let owned: Vec<_> =
        many("v", 5000).iter().map(|verb| rule(&[verb], &["*"], &["*"], &[])).map(Cow::Owned).collect();
    let all = rule(&["v1", "v4999"], &["a"], &["b"], &[]);
    assert_eq!(missing(&owned, std::slice::from_ref(&all)), Ok(None));
    assert_eq!(budget.scope(|| missing(&owned, &[all])), Err(TooMany));
}

/// All that a rule grants, one by one, as it was compared before.
fn written_out(rule: &PolicyRule) -> Vec<PolicyRule> {
    let mut all = Vec::new();
    for verb in &rule.verbs {
        for group in &rule.api_groups {
            for resource in &rule.resources {
                let names: Vec<Vec<&str>> = match rule.resource_names.as_slice() {
                    [] => vec![Vec::new()],
                    names => names.iter().map(|name| vec![name.as_str()]).collect(),
                };
                all.extend(names.iter().map(|name| super::tests::rule(&[verb], &[group], &[resource], name)));
            }
        }
        all.extend(rule.non_resource_urls.iter().map(|path| paths(&[verb], &[path])));
    }
    all
}

/// Whether one rule alone grants what another one does that is for one thing.
fn grants(owned: &PolicyRule, one: &PolicyRule) -> bool {
    let any = |list: &[String], wanted: &[String]| {
        wanted.iter().all(|wanted| list.iter().any(|told| told == "*" || told == wanted))
    };
    let resource = |told: &String, wanted: &String| {
        told == "*"
            || told == wanted
            || matches!((told.strip_prefix("*/"), wanted.split_once('/')), (Some(a), Some((_, b))) if a == b)
    };
    let named = owned.resource_names.is_empty()
        || (!one.resource_names.is_empty()
            && one.resource_names.iter().all(|name| owned.resource_names.contains(name)));
    any(&owned.verbs, &one.verbs)
        && any(&owned.api_groups, &one.api_groups)
        && one.resources.iter().all(|wanted| owned.resources.iter().any(|told| resource(told, wanted)))
        && named
        && one.non_resource_urls.iter().all(|path| {
            owned.resource_names.is_empty() && owned.non_resource_urls.iter().any(|told| is_path(told, path))
        })
}

#[test]
fn the_walk_finds_what_comparing_one_by_one_finds() {
    let mut state = 7_u64;
    let mut pick = |from: &[&str]| -> Vec<String> {
        let mut take = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33).is_multiple_of(3)
        };
        from.iter().filter(|_| take()).map(|text| (*text).to_owned()).collect()
    };
    for _ in 0..3000 {
        let mut any = || PolicyRule {
            verbs: pick(&["get", "list", "*", "watch"]),
            api_groups: pick(&["", "apps", "*"]),
            resources: pick(&["pods", "pods/log", "*/log", "*", "a/scale"]),
            resource_names: pick(&["x", "y", "z"]),
            non_resource_urls: pick(&["/a", "/a/*", "*", "/b"]),
        };
        let owned = [any(), any(), any()];
        let granted = [any(), any()];
        let lacks =
            granted.iter().flat_map(written_out).any(|one| !owned.iter().any(|owned| grants(owned, &one)));
        let held: Vec<_> = owned.iter().map(Cow::Borrowed).collect();
        assert_eq!(missing(&held, &granted) != Ok(None), lacks, "{owned:?} {granted:?}");
        assert_eq!(!lacking(&owned, &granted).is_empty(), lacks);
    }
}
