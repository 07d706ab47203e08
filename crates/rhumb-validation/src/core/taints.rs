//! Validation of taints.

use std::collections::HashSet;

use rhumb_api::core::v1::{TAINT_EFFECTS, Taint};
use rhumb_meta::validation::is_valid_label_value;
use rhumb_scheme::validation::{FieldErrors, FieldPath, FieldProblem, Named, Wanted};

use crate::internal_form::internal;
use crate::meta::label_name;

/// The taints of a node: each key once per effect.
pub(crate) fn taints(taints: &[Taint], path: &FieldPath, errors: &mut FieldErrors) {
    let mut seen = HashSet::new();
    for (index, taint) in taints.iter().enumerate().wanted() {
        let path = path.index(index);
        label_name(&taint.key, &path.child("key"), errors);
        let found = is_valid_label_value(&taint.value);
        if !found.is_empty() {
            errors.invalid(&path.child("value"), &taint.value, &found.join(";"));
        }
        taint_effect(&taint.effect, &path.child("effect"), errors);
        if !seen.insert((&taint.effect, &taint.key)) {
            let detail = "taints must be unique by key and effect pair";
            errors.add(FieldProblem::Duplicate, &path, &internal(taint), detail);
        }
    }
}

/// What a taint does, which must be said.
pub(crate) fn taint_effect(effect: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if effect.is_empty() {
        errors.required(path, "");
    } else if !TAINT_EFFECTS.contains(&effect) {
        errors.not_supported(path, &Named(effect), TAINT_EFFECTS);
    }
}
