//! Validation of what both types of policies share: parameters, match constraints, variables.

use rhumb_api::admissionregistration::v1::{MatchResources, ParamKind, ParamRef, Variable};
use rhumb_meta::validation::{is_dns1035_label, is_dns1123_subdomain, is_path_segment_name};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::expressions::Expressions;
use super::resource_rules::named_rule;
use super::{FAILURE_POLICIES, MATCH_POLICIES};
use crate::meta::{LabelSelectorOptions, label_selector};

/// Words that CEL keeps for itself.
const RESERVED: &[&str] = &[
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

pub(super) fn failure_policy(policy: Option<&String>, path: &FieldPath, errors: &mut FieldErrors) {
    match policy {
        None => errors.required(path, ""),
        Some(policy) if FAILURE_POLICIES.contains(&policy.as_str()) => {}
        Some(policy) => errors.not_supported(path, &Named(policy), FAILURE_POLICIES),
    }
}

pub(super) fn param_kind(kind: &ParamKind, path: &FieldPath, errors: &mut FieldErrors) {
    api_version(&kind.api_version, &path.child("apiVersion"), errors);
    if kind.kind.is_empty() {
        return errors.required(&path.child("kind"), "");
    }
    let found = is_dns1035_label(&kind.kind.to_lowercase());
    if !found.is_empty() {
        let detail = format!("may have mixed case, but should otherwise match: {}", found.join(","));
        errors.invalid(&path.child("kind"), &kind.kind, &detail);
    }
}

fn api_version(text: &String, path: &FieldPath, errors: &mut FieldErrors) {
    if text.is_empty() {
        return errors.required(path, "");
    }
    let (group, version) = match text.split('/').collect::<Vec<_>>().as_slice() {
        [version] => ("", *version),
        [group, version] => (*group, *version),
        _ => return errors.invalid(path, text, &format!("unexpected GroupVersion string: {text}")),
    };
    if !group.is_empty() {
        let found = is_dns1123_subdomain(group);
        if !found.is_empty() {
            errors.invalid(path, group, &found.join(","));
        }
    }
    if version.is_empty() {
        return errors.invalid(path, text, "version must be specified");
    }
    let found = is_dns1035_label(version);
    if !found.is_empty() {
        errors.invalid(path, version, &found.join(","));
    }
}

pub(super) fn match_resources(resources: &MatchResources, path: &FieldPath, errors: &mut FieldErrors) {
    let policy = path.child("matchPolicy");
    match &resources.match_policy {
        None => errors.required(&policy, ""),
        Some(value) if MATCH_POLICIES.contains(&value.as_str()) => {}
        Some(value) => errors.not_supported(&policy, &Named(value), MATCH_POLICIES),
    }
    for (field, selector) in
        [("namespaceSelector", &resources.namespace_selector), ("objectSelector", &resources.object_selector)]
    {
        match selector {
            None => errors.required(&path.child(field), ""),
            Some(selector) => {
                label_selector(selector, LabelSelectorOptions::default(), &path.child(field), errors);
            }
        }
    }
    for (field, rules) in [
        ("resourceRules", &resources.resource_rules),
        ("excludeResourceRules", &resources.exclude_resource_rules),
    ] {
        for (index, rule) in rules.iter().enumerate().wanted() {
            named_rule(rule, &path.child(field).index(index), errors);
        }
    }
}

/// What a policy matches; at least one rule must say on which types its expressions are to be checked.
pub(super) fn match_constraints(
    resources: Option<&MatchResources>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let Some(resources) = resources else { return errors.required(path, "") };
    match_resources(resources, path, errors);
    if resources.resource_rules.is_empty() {
        errors.required(&path.child("resourceRules"), "");
    }
}

pub(super) fn param_ref(param: &ParamRef, path: &FieldPath, errors: &mut FieldErrors) {
    const EXCLUSIVE: &str = "name and selector are mutually exclusive";
    let name = path.child("name");
    if !param.name.is_empty() {
        errors.invalid_each(&name, &param.name, is_path_segment_name(&param.name));
        if param.selector.is_some() {
            errors.forbidden(&name, EXCLUSIVE);
        }
    }
    if let Some(selector) = &param.selector {
        let path = path.child("selector");
        label_selector(selector, LabelSelectorOptions::default(), &path, errors);
        if !param.name.is_empty() {
            errors.forbidden(&path, EXCLUSIVE);
        }
    }
    if param.name.is_empty() && param.selector.is_none() {
        errors.required(path, "one of name or selector must be specified");
    }
    let action = path.child("parameterNotFoundAction");
    match param.parameter_not_found_action.as_deref() {
        None | Some("") => errors.required(&action, ""),
        Some("Deny" | "Allow") => {}
        Some(other) => errors.not_supported(&action, &Named(other), &["Deny", "Allow"]),
    }
}

/// Checks variables in their order: each may use those before it. Without `expressions` they are not compiled.
pub(super) fn variables(
    variables: &[Variable],
    mut expressions: Option<&mut Expressions<'_>>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (index, variable) in variables.iter().enumerate().wanted() {
        let path = path.index(index);
        if variable.name.trim().is_empty() {
            errors.required(&path.child("name"), "name is not specified");
        } else if !is_identifier(&variable.name) {
            errors.invalid(&path.child("name"), &variable.name, "must be a valid CEL identifier");
        }
        if variable.expression.trim().is_empty() {
            errors.required(&path.child("expression"), "expression is not specified");
        } else if let Some(expressions) = &mut expressions {
            let path = path.child("expression");
            expressions.variable(&variable.name, &variable.expression, &path, errors);
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(word)
        && !RESERVED.contains(&name)
}
