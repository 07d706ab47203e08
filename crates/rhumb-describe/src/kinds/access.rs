//! Roles and role bindings.

use std::collections::BTreeMap;

use rhumb_api::rbac::v1::{PolicyRule, RoleRef, Subject};
use rhumb_meta::v1::ObjectMeta;

use super::cluster_heading;
use crate::Lines;
use crate::go_text::list;

/// Describes a Role or ClusterRole.
pub fn role(out: &mut Lines, metadata: &ObjectMeta, rules: &[PolicyRule]) {
    cluster_heading(out, metadata);
    out.line(0, "PolicyRule:");
    out.row(1, &[&"Resources", &"Non-Resource URLs", &"Resource Names", &"Verbs"]);
    out.row(1, &[&"---------", &"-----------------", &"--------------", &"-----"]);
    for rule in compact(rules) {
        let resource = resource_text(&rule.resources, &rule.api_groups);
        let (urls, names) = (list(&rule.non_resource_urls), list(&rule.resource_names));
        out.row(1, &[&resource, &urls, &names, &list(&rule.verbs)]);
    }
}

/// Describes a RoleBinding or ClusterRoleBinding.
pub fn binding(out: &mut Lines, metadata: &ObjectMeta, role: &RoleRef, subjects: &[Subject]) {
    cluster_heading(out, metadata);
    out.line(0, "Role:");
    out.field(1, "Kind", &role.kind);
    out.field(1, "Name", &role.name);
    out.line(0, "Subjects:");
    out.row(1, &[&"Kind", &"Name", &"Namespace"]);
    out.row(1, &[&"----", &"----", &"---------"]);
    for subject in subjects {
        out.row(1, &[&subject.kind, &subject.name, &subject.namespace]);
    }
}

/// Returns a resource with its group, which stands before a subresource: `deployments.apps/scale`.
fn resource_text(resources: &[String], groups: &[String]) -> String {
    let Some(resource) = resources.first() else { return String::new() };
    let (name, subresource) = match resource.split_once('/') {
        Some((name, subresource)) => (name, format!("/{subresource}")),
        None => (resource.as_str(), String::new()),
    };
    match groups.first().filter(|group| !group.is_empty()) {
        Some(group) => format!("{name}.{group}{subresource}"),
        None => format!("{name}{subresource}"),
    }
}

/// Returns a rule per resource and name with all its verbs, and one per URL and verb. Sorted by their text, of which
/// the verbs come first.
fn compact(rules: &[PolicyRule]) -> Vec<PolicyRule> {
    let mut by_resource: BTreeMap<(String, String, Option<String>), PolicyRule> = BTreeMap::new();
    let mut compacted = Vec::new();
    for rule in rules {
        for single in single_resources(rule) {
            let key = (
                single.api_groups.concat(),
                single.resources.concat(),
                single.resource_names.first().cloned(),
            );
            let known = by_resource.entry(key).or_insert_with(|| PolicyRule { verbs: Vec::new(), ..single });
            for verb in &rule.verbs {
                if !known.verbs.contains(verb) {
                    known.verbs.push(verb.clone());
                }
            }
        }
        for url in &rule.non_resource_urls {
            compacted.extend(rule.verbs.iter().map(|verb| PolicyRule {
                non_resource_urls: vec![url.clone()],
                verbs: vec![verb.clone()],
                ..PolicyRule::default()
            }));
        }
    }
    compacted.extend(by_resource.into_values().filter(|rule| !rule.verbs.is_empty()));
    compacted.sort_by_cached_key(sorting_text);
    compacted
}

/// Returns a rule for every group, resource and name of a rule, with its verbs left out.
fn single_resources(rule: &PolicyRule) -> Vec<PolicyRule> {
    let names: Vec<Vec<String>> = match rule.resource_names.as_slice() {
        [] => vec![Vec::new()],
        names => names.iter().map(|name| vec![name.clone()]).collect(),
    };
    let mut singles = Vec::new();
    for group in &rule.api_groups {
        for resource in &rule.resources {
            singles.extend(names.iter().map(|names| PolicyRule {
                api_groups: vec![group.clone()],
                resources: vec![resource.clone()],
                resource_names: names.clone(),
                ..PolicyRule::default()
            }));
        }
    }
    singles
}

fn sorting_text(rule: &PolicyRule) -> String {
    format!(
        "Verbs:{},APIGroups:{},Resources:{},ResourceNames:{},NonResourceURLs:{},",
        list(&rule.verbs),
        list(&rule.api_groups),
        list(&rule.resources),
        list(&rule.resource_names),
        list(&rule.non_resource_urls)
    )
}
