//! Validation of operations and resources in rules.

use std::collections::HashSet;

use rhumb_api::admissionregistration::v1::{NamedRuleWithOperations, Rule, RuleWithOperations};
use rhumb_meta::validation::is_path_segment_name;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

const OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES: &[&str] = &["*", "Cluster", "Namespaced"];
/// Nothing is left to change of what is deleted.
const MUTATING_OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "UPDATE"];

pub(super) fn named_rule(rule: &NamedRuleWithOperations, path: &FieldPath, errors: &mut FieldErrors) {
    let names = path.child("resourceNames");
    let mut seen = HashSet::new();
    for (index, name) in rule.resource_names.iter().enumerate().wanted() {
        errors.invalid_each(&names.index(index), name, is_path_segment_name(name));
        if !seen.insert(name) {
            errors.duplicate(&names.index(index), name);
        }
    }
    rule_with_operations(&rule.rule_with_operations, path, errors);
}

pub(super) fn rule_with_operations(rule: &RuleWithOperations, path: &FieldPath, errors: &mut FieldErrors) {
    let operations = path.child("operations");
    if rule.operations.is_empty() {
        errors.required(&operations, "");
    }
    if wildcard_among_others(&rule.operations) {
        let detail = "if '*' is present, must not specify other operations";
        errors.invalid(&operations, &rule.operations, detail);
    }
    for (index, operation) in rule.operations.iter().enumerate().wanted() {
        if !OPERATIONS.contains(&operation.as_str()) {
            errors.not_supported(&operations.index(index), &Named(operation), OPERATIONS);
        }
    }
    plain_rule(&rule.rule, path, errors);
}

/// The operations that a mutating policy can't be about, told at the rules as a whole.
pub(super) fn mutating_operations(
    rules: &[NamedRuleWithOperations],
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for operation in rules.iter().flat_map(|rule| &rule.rule_with_operations.operations) {
        if !MUTATING_OPERATIONS.contains(&operation.as_str()) {
            errors.not_supported(&path.child("operations"), &Named(operation), MUTATING_OPERATIONS);
        }
    }
}

fn plain_rule(rule: &Rule, path: &FieldPath, errors: &mut FieldErrors) {
    let groups = path.child("apiGroups");
    if rule.api_groups.is_empty() {
        errors.required(&groups, "");
    }
    if wildcard_among_others(&rule.api_groups) {
        let detail = "if '*' is present, must not specify other API groups";
        errors.invalid(&groups, &rule.api_groups, detail);
    }
    let versions = path.child("apiVersions");
    if rule.api_versions.is_empty() {
        errors.required(&versions, "");
    }
    if wildcard_among_others(&rule.api_versions) {
        let detail = "if '*' is present, must not specify other API versions";
        errors.invalid(&versions, &rule.api_versions, detail);
    }
    for (index, version) in rule.api_versions.iter().enumerate().wanted() {
        if version.is_empty() {
            errors.required(&versions.index(index), "");
        }
    }
    resources(&rule.resources, &path.child("resources"), errors);
    if let Some(scope) = &rule.scope
        && !SCOPES.contains(&scope.as_str())
    {
        errors.not_supported(&path.child("scope"), &Named(scope), SCOPES);
    }
}

fn wildcard_among_others(values: &[String]) -> bool {
    values.len() > 1 && values.iter().any(|value| value == "*")
}

/// What a wildcard covers must not be named behind it.
fn resources(resources: &[String], path: &FieldPath, errors: &mut FieldErrors) {
    if resources.is_empty() {
        errors.required(path, "");
    }
    let mut all_subresources_of = HashSet::new();
    let mut everywhere = HashSet::new();
    // Only the last resource without a subresource counts, as in Kubernetes.
    let mut last_is_plain = false;
    for (index, text) in resources.iter().enumerate().wanted() {
        if text.is_empty() {
            errors.required(&path.index(index), "");
            continue;
        }
        let Some((resource, subresource)) = text.split_once('/') else {
            last_is_plain = text != "*";
            continue;
        };
        if all_subresources_of.contains(resource) {
            let detail = format!("if '{resource}/*' is present, must not specify {text}");
            errors.invalid(&path.index(index), text, &detail);
        }
        if everywhere.contains(subresource) {
            let detail = format!("if '*/{subresource}' is present, must not specify {text}");
            errors.invalid(&path.index(index), text, &detail);
        }
        if subresource == "*" {
            all_subresources_of.insert(resource);
        }
        if resource == "*" {
            everywhere.insert(subresource);
        }
    }
    let resources = resources.to_vec();
    if resources.len() > 1 && resources.iter().any(|text| text == "*/*") {
        errors.invalid(path, &resources, "if '*/*' is present, must not specify other resources");
    }
    if last_is_plain && resources.iter().any(|text| text == "*") {
        let detail = "if '*' is present, must not specify other resources without subresources";
        errors.invalid(path, &resources, detail);
    }
}
