//! Validation of resource quotas.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::core::v1::{ResourceQuota, ResourceQuotaSpec, ScopeSelector};
use rhumb_meta::Quantity;
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::quota_resources::{is_standard_for_quotas, quota_resource_name};
use super::resources::resource_quantity;
use crate::internal_form::internal;
use crate::meta::{Scope, object_meta, object_meta_update};

const ONLY_EXISTS: &str = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
    ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or \
    ResourceQuotaScopeCrossNamespacePodAffinity";
/// Scopes that nothing can be of at once.
const CONFLICTS: [(&str, &str); 2] = [("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating")];

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<ResourceQuota>(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(quota: &ResourceQuota, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&quota.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    spec(&quota.spec, &FieldPath::new("spec"), errors);
    status_amounts(quota, errors);
}

fn update(new: &ResourceQuota, old: &ResourceQuota, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec");
    spec(&new.spec, &path, errors);
    let set = |quota: &ResourceQuota| quota.spec.scopes.iter().cloned().collect::<BTreeSet<String>>();
    if set(new) != set(old) {
        errors.invalid(&path.child("scopes"), &new.spec.scopes, "field is immutable");
    }
}

fn status(new: &ResourceQuota, old: &ResourceQuota, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.metadata.resource_version.is_empty() {
        errors.required(&FieldPath::new("resourceVersion"), "");
    }
    status_amounts(new, errors);
}

fn status_amounts(quota: &ResourceQuota, errors: &mut FieldErrors) {
    let path = FieldPath::new("status");
    amounts(&quota.status.hard, &path.child("hard"), errors);
    amounts(&quota.status.used, &path.child("used"), errors);
}

fn amounts(amounts: &BTreeMap<String, Quantity>, path: &FieldPath, errors: &mut FieldErrors) {
    for (name, amount) in amounts {
        quota_resource_name(name, &path.key(name), errors);
        resource_quantity(name, amount, &path.key(name), errors);
    }
}

fn spec(spec: &ResourceQuotaSpec, path: &FieldPath, errors: &mut FieldErrors) {
    amounts(&spec.hard, &path.child("hard"), errors);
    let scopes = path.child("scopes");
    let mut unfit = Unfit::of(spec);
    for scope in spec.scopes.iter().wanted() {
        if !is_scope(scope) {
            errors.invalid(&scopes, &spec.scopes, "unsupported scope");
        }
        unfit.tell(scope, errors, |errors| {
            errors.invalid(&scopes, &spec.scopes, "unsupported scope applied to resource");
        });
    }
    for _ in conflicts(spec.scopes.iter().map(String::as_str).collect()) {
        errors.invalid(&scopes, &spec.scopes, "conflicting scopes");
    }
    if let Some(selector) = &spec.scope_selector {
        scope_selector(selector, spec, &path.child("scopeSelector").child("matchExpressions"), errors);
    }
}

fn is_scope(scope: &str) -> bool {
    rhumb_api::core::v1::RESOURCE_QUOTA_SCOPES.contains(&scope)
}

fn conflicts(scopes: BTreeSet<&str>) -> impl Iterator<Item = (&'static str, &'static str)> {
    CONFLICTS.into_iter().filter(move |(one, other)| scopes.contains(one) && scopes.contains(other))
}

/// The resources that a scope says nothing on.
struct Unfit<'a> {
    spec: &'a ResourceQuotaSpec,
    by_scope: BTreeMap<&'a str, usize>,
}

impl<'a> Unfit<'a> {
    fn of(spec: &'a ResourceQuotaSpec) -> Self {
        Unfit { spec, by_scope: BTreeMap::new() }
    }

    /// Tells of as many errors as there are such resources.
    fn tell(&mut self, scope: &'a str, errors: &mut FieldErrors, tell: impl Fn(&mut FieldErrors)) {
        let standard = || self.spec.hard.keys().filter(|name| is_standard_for_quotas(name));
        let count = *self.by_scope.entry(scope).or_insert_with(|| {
            if is_scope(scope) { standard().filter(|name| !fits(scope, name)).count() } else { 0 }
        });
        for _ in 0..count {
            if errors.is_full() {
                break;
            }
            tell(errors);
        }
    }
}

fn fits(scope: &str, name: &str) -> bool {
    let computes = matches!(
        name,
        "cpu" | "memory" | "limits.cpu" | "limits.memory" | "requests.cpu" | "requests.memory"
    );
    match scope {
        "Terminating"
        | "NotTerminating"
        | "NotBestEffort"
        | "PriorityClass"
        | "CrossNamespacePodAffinity" => name == "pods" || computes,
        "BestEffort" => name == "pods",
        "VolumeAttributesClass" => matches!(name, "persistentvolumeclaims" | "requests.storage"),
        _ => true,
    }
}

/// A selector by scopes. Errors stand at the list of requirements, not at each of them.
fn scope_selector(
    selector: &ScopeSelector,
    spec: &ResourceQuotaSpec,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let mut unfit = Unfit::of(spec);
    for requirement in selector.match_expressions.iter().wanted() {
        let (scope, operator) = (requirement.scope_name.as_str(), requirement.operator.as_str());
        if !is_scope(scope) {
            errors.invalid(&path.child("scopeName"), &Named(scope), "unsupported scope");
        }
        unfit.tell(scope, errors, |errors| {
            errors.invalid(path, &internal(selector), "unsupported scope applied to resource");
        });
        let has_no_values = matches!(
            scope,
            "BestEffort" | "NotBestEffort" | "Terminating" | "NotTerminating" | "CrossNamespacePodAffinity"
        );
        if has_no_values && operator != "Exists" {
            errors.invalid(&path.child("operator"), &Named(operator), ONLY_EXISTS);
        }
        match operator {
            "In" | "NotIn" => {
                if requirement.values.is_empty() {
                    let detail =
                        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
                    errors.required(&path.child("values"), detail);
                }
            }
            "Exists" | "DoesNotExist" => {
                if !requirement.values.is_empty() {
                    let detail =
                        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
                    errors.invalid(&path.child("values"), &requirement.values, detail);
                }
            }
            _ => errors.invalid(&path.child("operator"), &Named(operator), "not a valid selector operator"),
        }
    }
    let scopes = selector.match_expressions.iter().map(|requirement| requirement.scope_name.as_str());
    for _ in conflicts(scopes.collect()) {
        errors.invalid(path, &spec.scopes, "conflicting scopes");
    }
}
