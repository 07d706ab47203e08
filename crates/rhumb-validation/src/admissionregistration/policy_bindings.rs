//! Validation of bindings of policies.

use std::collections::HashSet;

use rhumb_api::admissionregistration::v1::{
    MatchResources, MutatingAdmissionPolicyBinding, ParamRef, ValidatingAdmissionPolicyBinding,
};
use rhumb_meta::ObjectMeta;
use rhumb_meta::validation::{NamePart, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::policies::{match_resources, param_ref};
use super::resource_rules::mutating_operations;
use crate::meta::{Scope, common_object_meta};

const ACTIONS: &[&str] = &["Audit", "Deny", "Warn"];

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .rules::<ValidatingAdmissionPolicyBinding>(Rules::create(validating))?
        .rules::<MutatingAdmissionPolicyBinding>(Rules::create(mutating))?;
    Ok(())
}

fn validating(binding: &ValidatingAdmissionPolicyBinding, _: &Context, errors: &mut FieldErrors) {
    let spec = &binding.spec;
    let parts = (spec.param_ref.as_deref(), spec.match_resources.as_deref());
    shared(&binding.metadata, &spec.policy_name, parts, errors);
    actions(&spec.validation_actions, &FieldPath::new("spec").child("validationActions"), errors);
}

fn mutating(binding: &MutatingAdmissionPolicyBinding, _: &Context, errors: &mut FieldErrors) {
    let spec = &binding.spec;
    let parts = (spec.param_ref.as_deref(), spec.match_resources.as_deref());
    shared(&binding.metadata, &spec.policy_name, parts, errors);
    if let Some(resources) = &spec.match_resources {
        let path = FieldPath::new("spec").child("matchResources").child("resourceRules");
        mutating_operations(&resources.resource_rules, &path, errors);
    }
}

fn shared(
    metadata: &ObjectMeta,
    policy: &String,
    (param, resources): (Option<&ParamRef>, Option<&MatchResources>),
    errors: &mut FieldErrors,
) {
    let path = FieldPath::new("metadata");
    common_object_meta(metadata, Scope::Cluster, name_is_dns_subdomain, &path, errors);
    let path = FieldPath::new("spec");
    let name = path.child("policyName");
    if policy.is_empty() {
        errors.required(&name, "");
    } else {
        errors.invalid_each(&name, policy, name_is_dns_subdomain(policy, NamePart::Whole));
    }
    if let Some(param) = param {
        param_ref(param, &path.child("paramRef"), errors);
    }
    if let Some(resources) = resources {
        match_resources(resources, &path.child("matchResources"), errors);
    }
}

fn actions(actions: &Vec<String>, path: &FieldPath, errors: &mut FieldErrors) {
    let mut seen = HashSet::new();
    for (index, action) in actions.iter().enumerate().wanted() {
        if !ACTIONS.contains(&action.as_str()) {
            errors.not_supported(&path.index(index), &Named(action), ACTIONS);
        }
        if !seen.insert(action.as_str()) {
            errors.duplicate(&path.index(index), &Named(action));
        }
    }
    if seen.contains("Deny") && seen.contains("Warn") {
        let detail = "must not contain both Deny and Warn (repeating the same validation failure information \
                      in the API response and headers serves no purpose)";
        errors.invalid(path, actions, detail);
    }
    if actions.is_empty() {
        errors.required(path, "at least one validation action is required");
    }
}
