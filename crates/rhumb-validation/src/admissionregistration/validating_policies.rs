//! Validation of validating policies.

use std::collections::HashSet;

use rhumb_api::admissionregistration::v1::{
    AuditAnnotation, ExpressionWarning, ValidatingAdmissionPolicy, Validation,
};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{BadValue, Context, FieldErrors, FieldPath, Named, Rules, Shown, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::expressions::{Existing, Expressions};
use super::match_conditions::match_conditions;
use super::policies::{failure_policy, match_constraints, param_kind, variables};
use crate::meta::{Scope, common_object_meta, conditions, qualified_name};

const MOST_ANNOTATIONS: usize = 20;
const LONGEST_EXPRESSION: usize = 5 * 1024;
const REASONS: &[&str] = &["Forbidden", "Invalid", "RequestEntityTooLarge"];
const NOTHING: &str = "validations or auditAnnotations must contain at least one item";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    let rules = Rules::create(create).update(update).on("status", status);
    builder.rules::<ValidatingAdmissionPolicy>(rules)?;
    Ok(())
}

fn create(policy: &ValidatingAdmissionPolicy, _: &Context, errors: &mut FieldErrors) {
    validate(policy, MatchConditions::Checked, Existing::default(), errors);
}

fn update(
    new: &ValidatingAdmissionPolicy,
    old: &ValidatingAdmissionPolicy,
    _: &Context,
    errors: &mut FieldErrors,
) {
    let (spec, before) = (&new.spec, &old.spec);
    let same = spec.param_kind == before.param_kind && spec.match_conditions == before.match_conditions;
    let kept = if same { MatchConditions::Kept } else { MatchConditions::Checked };
    validate(new, kept, Existing::policy(old), errors);
}

/// Whether match conditions are those of the stored object, which pass as they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchConditions {
    Checked,
    Kept,
}

fn validate(
    policy: &ValidatingAdmissionPolicy,
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
    match_constraints(spec.match_constraints.as_deref(), &path.child("matchConstraints"), errors);
    // Without any there is no name `variables`.
    let mut expressions = match spec.variables.as_slice() {
        [] => Expressions::new(existing, spec.param_kind.is_some()),
        _ => Expressions::composing(existing, spec.param_kind.is_some()),
    };
    if kept == MatchConditions::Checked {
        match_conditions(&spec.match_conditions, &expressions, &path.child("matchConditions"), errors);
    }
    variables(&spec.variables, Some(&mut expressions), &path.child("variables"), errors);
    let (validations, annotations) = (path.child("validations"), path.child("auditAnnotations"));
    if spec.validations.is_empty() && spec.audit_annotations.is_empty() {
        errors.required(&validations, NOTHING);
        errors.required(&annotations, NOTHING);
        return;
    }
    for (index, each) in spec.validations.iter().enumerate().wanted() {
        validation(each, &expressions, &validations.index(index), errors);
    }
    audit_annotations(&policy.metadata.name, &spec.audit_annotations, &expressions, &annotations, errors);
}

fn validation(
    validation: &Validation,
    expressions: &Expressions<'_>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    const BLANK: &str = "must be non-empty if specified";
    let blank = |text: &str| !text.is_empty() && text.trim().is_empty();
    if validation.expression.trim().is_empty() {
        errors.required(&path.child("expression"), "expression is not specified");
    } else {
        expressions.validation(&validation.expression, &path.child("expression"), errors);
    }
    let message = path.child("messageExpression");
    if blank(&validation.message_expression) {
        errors.invalid(&message, &validation.message_expression, BLANK);
    } else if !validation.message_expression.is_empty() {
        expressions.message(&validation.message_expression, &message, errors);
    }
    let message = path.child("message");
    if blank(&validation.message) {
        errors.invalid(&message, &validation.message, BLANK);
    } else if validation.message.trim().contains(['\n', '\r']) {
        errors.invalid(&message, &validation.message, "must not contain line breaks");
    }
    if let Some(reason) = &validation.reason
        && !REASONS.contains(&reason.as_str())
    {
        errors.not_supported(&path.child("reason"), &Named(reason), REASONS);
    }
}

/// The full name of an annotation begins with that of its policy.
fn audit_annotations(
    policy: &str,
    annotations: &[AuditAnnotation],
    expressions: &Expressions<'_>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if annotations.len() > MOST_ANNOTATIONS {
        let detail = format!("must not have more than {MOST_ANNOTATIONS} auditAnnotations");
        errors.invalid(path, &shown(annotations), &detail);
    }
    let mut keys = HashSet::new();
    for (index, annotation) in annotations.iter().enumerate().wanted() {
        let path = path.index(index);
        let key = path.child("key");
        if policy.is_empty() {
            errors.invalid(&key, &annotation.key, "requires metadata.name be non-empty");
        } else {
            qualified_name(&format!("{policy}/{}", annotation.key), &key, errors);
        }
        let (expression, path) = (annotation.value_expression.trim(), path.child("valueExpression"));
        if expression.is_empty() {
            errors.required(&path, "valueExpression is not specified");
        } else if expression.len() > LONGEST_EXPRESSION {
            errors.required(&path, &format!("must not exceed {LONGEST_EXPRESSION} bytes in length"));
        } else {
            expressions.annotation(&annotation.value_expression, &path, errors);
        }
        if !keys.insert(&annotation.key) {
            errors.duplicate(&key, &annotation.key);
        }
    }
}

/// As the internal type prints.
fn shown(annotations: &[AuditAnnotation]) -> Shown {
    let each = annotations.iter().map(|annotation| {
        let [key, value] = [&annotation.key, &annotation.value_expression].map(|text| Named(text).shown());
        format!(r#"{{"Key":{key},"ValueExpression":{value}}}"#)
    });
    Shown(format!("[{}]", each.collect::<Vec<_>>().join(",")))
}

fn status(
    new: &ValidatingAdmissionPolicy,
    _: &ValidatingAdmissionPolicy,
    _: &Context,
    errors: &mut FieldErrors,
) {
    let path = FieldPath::new("status");
    if let Some(checking) = &new.status.type_checking {
        let path = path.child("typeChecking").child("expressionWarnings");
        for (index, each) in checking.expression_warnings.iter().enumerate().wanted() {
            warning(each, &path.index(index), errors);
        }
    }
    conditions(&new.status.conditions, &path.child("conditions"), errors);
}

fn warning(warning: &ExpressionWarning, path: &FieldPath, errors: &mut FieldErrors) {
    if warning.warning.is_empty() {
        errors.required(&path.child("warning"), "");
    }
    if warning.field_ref.trim().is_empty() {
        errors.required(&path.child("fieldRef"), "");
    }
}
