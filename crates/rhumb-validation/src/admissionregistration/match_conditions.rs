//! Validation of match conditions of webhooks and policies.

use std::collections::HashSet;

use rhumb_api::admissionregistration::v1::MatchCondition;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};

use super::expressions::Expressions;
use crate::meta::qualified_name;

const MOST: usize = 64;

pub(super) fn match_conditions(
    conditions: &[MatchCondition],
    expressions: &Expressions<'_>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if conditions.len() > MOST {
        errors.too_many(path, conditions.len(), MOST);
    }
    let mut names = HashSet::new();
    for (index, condition) in conditions.iter().enumerate().wanted() {
        let path = path.index(index);
        match condition.expression.trim() {
            "" => errors.required(&path.child("expression"), ""),
            expression => expressions.condition(expression, &path.child("expression"), errors),
        }
        if condition.name.is_empty() {
            errors.required(&path.child("name"), "");
            continue;
        }
        qualified_name(&condition.name, &path.child("name"), errors);
        if !names.insert(&condition.name) {
            errors.duplicate(&path.child("name"), &condition.name);
        }
    }
}
