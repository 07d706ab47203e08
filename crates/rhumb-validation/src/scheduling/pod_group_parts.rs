//! What pod groups and the templates they are made from have in common.

use rhumb_api::scheduling::v1alpha2::{
    DISRUPTION_MODES, PodGroupResourceClaim, PodGroupSchedulingConstraints, PodGroupSchedulingPolicy,
};
use rhumb_schema::Value;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Shown, Wanted};

use crate::meta::{dns_label, dns_subdomain, label_name};

pub(super) const MAX_CLAIMS: usize = 4;
const MAX_TOPOLOGY: usize = 1;
const HIGHEST_PRIORITY: i32 = 1_000_000_000;

/// A field that can't be changed. The error doesn't show the value.
pub(super) fn immutable<T: PartialEq>(new: &T, old: &T, path: &FieldPath, errors: &mut FieldErrors) {
    if new != old {
        errors.invalid(path, &Shown("null".to_owned()), "field is immutable");
    }
}

/// Exactly one of several fields is set.
pub(super) fn one_of(members: &[(&str, bool)], path: &FieldPath, errors: &mut FieldErrors) {
    let set: Vec<&str> = members.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| *name).collect();
    let names: Vec<String> = members.iter().map(|(name, _)| format!("`{name}`")).collect();
    let names = names.join(", ");
    match set.len() {
        0 => errors.invalid(path, "", &format!("must specify one of: {names}")),
        1 => {}
        _ => {
            let set = format!("{{{}}}", set.join(", "));
            errors.invalid(path, &set, &format!("must specify exactly one of: {names}"));
        }
    }
}

/// Elements that have the name of one before them.
pub(super) fn unique<T: Value>(
    elements: &[T],
    name: fn(&T) -> &str,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (index, element) in elements.iter().enumerate().wanted() {
        if elements.iter().take(index).any(|before| name(before) == name(element)) {
            errors.duplicate(&path.index(index), element);
        }
    }
}

/// A name that must be there and be a DNS label.
pub(super) fn required_label(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if name.is_empty() {
        errors.required(path, "");
    } else {
        dns_label(name, path, errors);
    }
}

pub(super) fn policy(policy: &PodGroupSchedulingPolicy, path: &FieldPath, errors: &mut FieldErrors) {
    one_of(&[("basic", policy.basic.is_some()), ("gang", policy.gang.is_some())], path, errors);
    if let Some(gang) = &policy.gang {
        let path = path.child("gang").child("minCount");
        match gang.min_count {
            0 => errors.required(&path, ""),
            count if count < 1 => errors.invalid(&path, &count, "must be greater than or equal to 1"),
            _ => {}
        }
    }
}

pub(super) fn constraints(
    constraints: Option<&PodGroupSchedulingConstraints>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let Some(constraints) = constraints else { return };
    let path = path.child("topology");
    if constraints.topology.len() > MAX_TOPOLOGY {
        return errors.too_many(&path, constraints.topology.len(), MAX_TOPOLOGY);
    }
    for (index, constraint) in constraints.topology.iter().enumerate().wanted() {
        let path = path.index(index).child("key");
        if constraint.key.is_empty() {
            errors.required(&path, "");
        } else {
            label_name(&constraint.key, &path, errors);
        }
    }
}

pub(super) fn claims(claims: &[PodGroupResourceClaim], path: &FieldPath, errors: &mut FieldErrors) {
    if claims.len() > MAX_CLAIMS {
        return errors.too_many(path, claims.len(), MAX_CLAIMS);
    }
    unique(claims, |claim| &claim.name, path, errors);
    for (index, claim) in claims.iter().enumerate().wanted() {
        let path = path.index(index);
        let sources = [
            ("resourceClaimName", &claim.resource_claim_name),
            ("resourceClaimTemplateName", &claim.resource_claim_template_name),
        ];
        one_of(&sources.map(|(field, name)| (field, name.is_some())), &path, errors);
        required_label(&claim.name, &path.child("name"), errors);
        for (field, name) in sources {
            if let Some(name) = name {
                dns_subdomain(name, &path.child(field), errors);
            }
        }
    }
}

pub(super) fn disruption_mode(mode: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if !DISRUPTION_MODES.contains(&mode) {
        errors.not_supported(path, &Named(mode), DISRUPTION_MODES);
    }
}

pub(super) fn priority(class_name: &str, priority: Option<i32>, path: &FieldPath, errors: &mut FieldErrors) {
    if !class_name.is_empty() {
        dns_subdomain(class_name, &path.child("priorityClassName"), errors);
    }
    if let Some(priority) = priority
        && priority > HIGHEST_PRIORITY
    {
        let detail = format!("must be less than or equal to {HIGHEST_PRIORITY}");
        errors.invalid(&path.child("priority"), &priority, &detail);
    }
}
