//! Validation of roles.

use rhumb_api::rbac::v1::{ClusterRole, PolicyRule, Role};
use rhumb_meta::validation::name_is_path_segment;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Shown, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{
    LabelSelectorOptions, Scope, has_invalid_label_value, label_selector, object_meta, object_meta_update,
};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .rules::<Role>(Rules::create(role).update(role_update))?
        .rules::<ClusterRole>(Rules::create(cluster_role).update(cluster_role_update))?;
    Ok(())
}

fn role(role: &Role, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&role.metadata, Scope::Namespaced, name_is_path_segment, &metadata, errors);
    policy_rules(&role.rules, Scope::Namespaced, errors);
}

fn role_update(new: &Role, old: &Role, context: &Context, errors: &mut FieldErrors) {
    role(new, context, errors);
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
}

fn cluster_role(role: &ClusterRole, _: &Context, errors: &mut FieldErrors) {
    cluster_role_with(role, LabelSelectorOptions::default(), errors);
}

fn cluster_role_update(new: &ClusterRole, old: &ClusterRole, _: &Context, errors: &mut FieldErrors) {
    let mut selectors = old.aggregation_rule.iter().flat_map(|rule| &rule.cluster_role_selectors);
    let options = LabelSelectorOptions {
        allow_invalid_label_value: selectors.any(has_invalid_label_value),
        ..LabelSelectorOptions::default()
    };
    cluster_role_with(new, options, errors);
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
}

fn cluster_role_with(role: &ClusterRole, options: LabelSelectorOptions, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&role.metadata, Scope::Cluster, name_is_path_segment, &metadata, errors);
    policy_rules(&role.rules, Scope::Cluster, errors);
    let Some(aggregation) = &role.aggregation_rule else { return };
    let path = FieldPath::new("aggregationRule").child("clusterRoleSelectors");
    if aggregation.cluster_role_selectors.is_empty() {
        errors.required(&path, "at least one clusterRoleSelector required if aggregationRule is non-nil");
    }
    for (index, selector) in aggregation.cluster_role_selectors.iter().enumerate().wanted() {
        let path = path.index(index);
        label_selector(selector, options, &path, errors);
        // What no label can have can't be selected by either, even where it may stay.
        let mut found = FieldErrors::default();
        label_selector(selector, LabelSelectorOptions::default(), &path, &mut found);
        if !found.is_empty() {
            errors.invalid(&path, &Shown("null".to_owned()), "invalid label selector.");
        }
    }
}

fn policy_rules(rules: &[PolicyRule], scope: Scope, errors: &mut FieldErrors) {
    for (index, rule) in rules.iter().enumerate().wanted() {
        policy_rule(rule, scope, &FieldPath::new("rules").index(index), errors);
    }
}

/// Rules are about resources or about paths of the server; the latter have no namespace.
fn policy_rule(rule: &PolicyRule, scope: Scope, path: &FieldPath, errors: &mut FieldErrors) {
    if rule.verbs.is_empty() {
        errors.required(&path.child("verbs"), "verbs must contain at least one value");
    }
    let urls = &rule.non_resource_urls;
    if !urls.is_empty() {
        let path = path.child("nonResourceURLs");
        if scope == Scope::Namespaced {
            errors.invalid(&path, urls, "namespaced rules cannot apply to non-resource URLs");
        }
        if !(rule.api_groups.is_empty() && rule.resources.is_empty() && rule.resource_names.is_empty()) {
            let detail = "rules cannot apply to both regular resources and non-resource URLs";
            errors.invalid(&path, urls, detail);
        }
        return;
    }
    if rule.api_groups.is_empty() {
        errors.required(&path.child("apiGroups"), "resource rules must supply at least one api group");
    }
    if rule.resources.is_empty() {
        errors.required(&path.child("resources"), "resource rules must supply at least one resource");
    }
}
