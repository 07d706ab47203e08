//! Validation of match conditions of webhooks and policies.

use std::collections::HashSet;

use rhumb_api::admissionregistration::v1::MatchCondition;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};

use crate::meta::qualified_name;

const MOST: usize = 64;

pub(super) fn match_conditions(conditions: &[MatchCondition], path: &FieldPath, errors: &mut FieldErrors) {
    if conditions.len() > MOST {
        errors.too_many(path, conditions.len(), MOST);
    }
    let mut names = HashSet::new();
    for (index, condition) in conditions.iter().enumerate().wanted() {
        let path = path.index(index);
        if condition.expression.trim().is_empty() {
            errors.required(&path.child("expression"), "");
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
