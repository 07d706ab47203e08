//! Validation of mutating policies.

use rhumb_api::admissionregistration::v1::{MutatingAdmissionPolicy, Mutation};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::REINVOCATION_POLICIES;
use super::expressions::{Existing, Expressions};
use super::match_conditions::match_conditions;
use super::policies::{failure_policy, match_constraints, param_kind, variables};
use super::resource_rules::mutating_operations;
use super::validating_policies::MatchConditions;
use crate::meta::{Scope, common_object_meta};

const PATCH_TYPES: &[&str] = &["ApplyConfiguration", "JSONPatch"];

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<MutatingAdmissionPolicy>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(policy: &MutatingAdmissionPolicy, _: &Context, errors: &mut FieldErrors) {
    validate(policy, MatchConditions::Checked, Existing::default(), errors);
}

fn update(
    new: &MutatingAdmissionPolicy,
    old: &MutatingAdmissionPolicy,
    _: &Context,
    errors: &mut FieldErrors,
) {
    let (spec, before) = (&new.spec, &old.spec);
    let same = spec.param_kind == before.param_kind && spec.match_conditions == before.match_conditions;
    let kept = if same { MatchConditions::Kept } else { MatchConditions::Checked };
    validate(new, kept, Existing::conditions(before.match_conditions.iter()), errors);
}

fn validate(
    policy: &MutatingAdmissionPolicy,
    kept: MatchConditions,
    existing: Existing<'_>,
    errors: &mut FieldErrors,
) {
    let metadata = FieldPath::new("metadata");
    common_object_meta(&policy.metadata, Scope::Cluster, name_is_dns_subdomain, &metadata, errors);
    let (spec, path) = (&policy.spec, FieldPath::new("spec"));
    failure_policy(spec.failure_policy.as_ref(), &path.child("failurePolicy"), errors);
    if let Some(kind) = &spec.param_kind {
        param_kind(kind, &path.child("paramKind"), errors);
    }
    let constraints = path.child("matchConstraints");
    match_constraints(spec.match_constraints.as_deref(), &constraints, errors);
    if let Some(resources) = &spec.match_constraints {
        mutating_operations(&resources.resource_rules, &constraints.child("resourceRules"), errors);
    }
    if kept == MatchConditions::Checked {
        let expressions = Expressions::new(existing, spec.param_kind.is_some());
        match_conditions(&spec.match_conditions, &expressions, &path.child("matchConditions"), errors);
    }
    variables(&spec.variables, None, &path.child("variables"), errors);
    let mutations = path.child("mutations");
    if spec.mutations.is_empty() {
        errors.required(&mutations, "mutations must contain at least one item");
    }
    for (index, each) in spec.mutations.iter().enumerate().wanted() {
        mutation(each, &mutations.index(index), errors);
    }
    let reinvocation = path.child("reinvocationPolicy");
    match spec.reinvocation_policy.as_str() {
        "" => errors.required(&reinvocation, ""),
        known if REINVOCATION_POLICIES.contains(&known) => {}
        other => errors.not_supported(&reinvocation, &Named(other), REINVOCATION_POLICIES),
    }
}

/// A mutation says its patch in the form that it names, and in no other.
fn mutation(mutation: &Mutation, path: &FieldPath, errors: &mut FieldErrors) {
    let patch = mutation.json_patch.as_ref().map(|patch| &patch.expression);
    let configuration = mutation.apply_configuration.as_ref().map(|patch| &patch.expression);
    let json_patch = ("jsonPatch", patch);
    let apply = ("applyConfiguration", configuration);
    let ((field, given), (other, also)) = match mutation.patch_type.as_str() {
        "JSONPatch" => (json_patch, apply),
        "ApplyConfiguration" => (apply, json_patch),
        "" => return errors.required(&path.child("patchType"), ""),
        unknown => return errors.not_supported(&path.child("patchType"), &Named(unknown), PATCH_TYPES),
    };
    let patch_type = &mutation.patch_type;
    match given {
        None => {
            let detail = format!("must be specified when patchType is {patch_type}");
            errors.required(&path.child(field), &detail);
        }
        Some(expression) if expression.trim().is_empty() => {
            errors.required(&path.child(field).child("expression"), "");
        }
        Some(_) => {}
    }
    if also.is_some() {
        let detail = format!("must not be specified when patchType is {patch_type}");
        errors.invalid(&path.child(other), &format!("{{{other}}}"), &detail);
    }
}
