//! Validation of flow schema rules: subjects and requests.

use rhumb_api::flowcontrol::v1::{
    NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule, ServiceAccountSubject, Subject,
};
use rhumb_meta::validation::is_dns1123_label;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use crate::meta::{dns_label, dns_subdomain};

const ALL: &str = "*";
const VERBS: [&str; 9] =
    ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

pub(super) fn policy_rules(rule: &PolicyRulesWithSubjects, path: &FieldPath, errors: &mut FieldErrors) {
    if rule.subjects.is_empty() {
        errors.required(&path.child("subjects"), "subjects must contain at least one value");
    }
    for (index, each) in rule.subjects.iter().enumerate().wanted() {
        subject(each, &path.child("subjects").index(index), errors);
    }
    if rule.resource_rules.is_empty() && rule.non_resource_rules.is_empty() {
        errors.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty");
    }
    for (index, each) in rule.resource_rules.iter().enumerate().wanted() {
        resource_rule(each, &path.child("resourceRules").index(index), errors);
    }
    for (index, each) in rule.non_resource_rules.iter().enumerate().wanted() {
        non_resource_rule(each, &path.child("nonResourceRules").index(index), errors);
    }
}

/// A subject has the part that belongs to its kind, and no other.
fn subject(subject: &Subject, path: &FieldPath, errors: &mut FieldErrors) {
    let forbid = |field: &str, kind: &str, errors: &mut FieldErrors| {
        let detail = format!("{field} is forbidden when subject kind is not '{kind}'");
        errors.forbidden(&path.child(field), &detail);
    };
    let kind = subject.kind.as_str();
    match kind {
        "ServiceAccount" => {
            service_account(subject.service_account.as_deref(), &path.child("serviceAccount"), errors);
        }
        "User" => name(subject.user.as_ref().map(|user| &user.name), "user", kind, path, errors),
        "Group" => name(subject.group.as_ref().map(|group| &group.name), "group", kind, path, errors),
        other => {
            let supported = ["Group", "ServiceAccount", "User"];
            return errors.not_supported(&path.child("kind"), &Named(other), &supported);
        }
    }
    if kind != "ServiceAccount" && subject.service_account.is_some() {
        forbid("serviceAccount", "ServiceAccount", errors);
    }
    if kind != "User" && subject.user.is_some() {
        forbid("user", "User", errors);
    }
    if kind != "Group" && subject.group.is_some() {
        forbid("group", "Group", errors);
    }
}

/// The name of a user or group, who must be there.
fn name(name: Option<&String>, field: &str, kind: &str, path: &FieldPath, errors: &mut FieldErrors) {
    match name {
        None => {
            let detail = format!("{field} is required when subject kind is '{kind}'");
            errors.required(&path.child(field), &detail);
        }
        Some(name) if name.is_empty() => errors.required(&path.child(field).child("name"), ""),
        Some(_) => {}
    }
}

fn service_account(account: Option<&ServiceAccountSubject>, path: &FieldPath, errors: &mut FieldErrors) {
    let Some(account) = account else {
        let detail = "serviceAccount is required when subject kind is 'ServiceAccount'";
        return errors.required(path, detail);
    };
    match account.name.as_str() {
        "" => errors.required(&path.child("name"), ""),
        ALL => {}
        name => dns_subdomain(name, &path.child("name"), errors),
    }
    match account.namespace.as_str() {
        "" => errors.required(&path.child("namespace"), "must specify namespace for service account"),
        namespace => dns_label(namespace, &path.child("namespace"), errors),
    }
}

fn resource_rule(rule: &ResourcePolicyRule, path: &FieldPath, errors: &mut FieldErrors) {
    verbs(&rule.verbs, path, errors);
    let lists = [
        ("apiGroups", &rule.api_groups, "resource rules must supply at least one api group", "api groups"),
        ("resources", &rule.resources, "resource rules must supply at least one resource", "resources"),
    ];
    for (field, list, empty, noun) in lists {
        if list.is_empty() {
            errors.required(&path.child(field), empty);
        } else {
            only_wildcard(list, noun, &path.child(field), errors);
        }
    }
    let path = path.child("namespaces");
    if rule.namespaces.is_empty() && !rule.cluster_scope {
        let detail = "resource rules that are not cluster scoped must supply at least one namespace";
        errors.required(&path, detail);
    } else if !only_wildcard(&rule.namespaces, "namespaces", &path, errors) {
        for (index, namespace) in rule.namespaces.iter().enumerate().wanted() {
            let found = is_dns1123_label(namespace).into_iter();
            let found =
                found.map(|text| format!("each member of this list must be '*' or a DNS-1123 label; {text}"));
            errors.invalid_each(&path.index(index), namespace, found);
        }
    }
}

fn non_resource_rule(rule: &NonResourcePolicyRule, path: &FieldPath, errors: &mut FieldErrors) {
    verbs(&rule.verbs, path, errors);
    let path = path.child("nonResourceURLs");
    if rule.non_resource_urls.is_empty() {
        errors.required(&path, "nonResourceURLs must contain at least one value");
    } else if !only_wildcard(&rule.non_resource_urls, "non-resource URLs", &path, errors) {
        for (index, url) in rule.non_resource_urls.iter().enumerate().wanted() {
            if let Some(problem) = url_problem(url) {
                errors.invalid(&path.index(index), url, problem);
            }
        }
    }
}

fn verbs(verbs: &Vec<String>, path: &FieldPath, errors: &mut FieldErrors) {
    let path = path.child("verbs");
    if verbs.is_empty() {
        errors.required(&path, "verbs must contain at least one value");
    } else if !only_wildcard(verbs, "verbs", &path, errors)
        && !verbs.iter().all(|verb| VERBS.contains(&verb.as_str()))
    {
        errors.not_supported(&path, verbs, &VERBS);
    }
}

/// Reports whether a list has the wildcard, beside which nothing else may stand.
fn only_wildcard(list: &Vec<String>, noun: &str, path: &FieldPath, errors: &mut FieldErrors) -> bool {
    let found = list.iter().any(|element| element == ALL);
    if found && list.len() > 1 {
        errors.invalid(path, list, &format!("if '*' is present, must not specify other {noun}"));
    }
    found
}

/// Returns what is wrong with the path of a request that is not about a resource.
fn url_problem(url: &str) -> Option<&'static str> {
    if url.is_empty() {
        return Some("must not be empty");
    }
    if !url.starts_with('/') {
        return Some("must start with slash");
    }
    if url.contains(' ') {
        return Some("must not contain white-space");
    }
    if url.contains("//") {
        return Some("must not contain double slash");
    }
    let wildcards = url.matches('*').count();
    (wildcards > 1 || wildcards == 1 && !url.ends_with("/*"))
        .then_some("wildcard can only do suffix matching")
}
