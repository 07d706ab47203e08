//! Validation of labels and selectors.

use std::collections::BTreeMap;

use rhumb_meta::v1::{FieldSelectorRequirement, LabelSelector, LabelSelectorRequirement};
use rhumb_meta::validation::{is_qualified_name, is_valid_label_value};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

const VALUES_NEEDED: &str = "must be specified when `operator` is 'In' or 'NotIn'";
const VALUES_FORBIDDEN: &str = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";

/// What becomes of an operator that nobody knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownOperators {
    /// It is an error.
    #[default]
    Refused,
    /// It is left to a later check.
    Allowed,
}

/// What a label selector may hold beyond the usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LabelSelectorOptions {
    /// Values that no label can have are accepted, because the stored object has some.
    pub allow_invalid_label_value: bool,
    /// What becomes of unknown operators.
    pub unknown_operators: UnknownOperators,
}

/// The labels of an object.
pub fn labels(labels: &BTreeMap<String, String>, path: &FieldPath, errors: &mut FieldErrors) {
    for (key, value) in labels.iter().wanted() {
        label_name(key, path, errors);
        errors.invalid_each(path, value, is_valid_label_value(value));
    }
}

/// The name of a label.
pub fn label_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, name, is_qualified_name(name));
}

/// Reports whether a selector has values that no label can have.
pub fn has_invalid_label_value(selector: &LabelSelector) -> bool {
    let mut values = selector.match_expressions.iter().flat_map(|requirement| &requirement.values);
    values.any(|value| !is_valid_label_value(value).is_empty())
}

/// A selector by labels.
pub fn label_selector(
    selector: &LabelSelector,
    options: LabelSelectorOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    labels(&selector.match_labels, &path.child("matchLabels"), errors);
    let expressions = path.child("matchExpressions");
    for (index, requirement) in selector.match_expressions.iter().enumerate().wanted() {
        label_selector_requirement(requirement, options, &expressions.index(index), errors);
    }
}

/// A requirement of a selector by labels.
pub fn label_selector_requirement(
    requirement: &LabelSelectorRequirement,
    options: LabelSelectorOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    operator(&requirement.operator, &requirement.values, options.unknown_operators, path, errors);
    label_name(&requirement.key, &path.child("key"), errors);
    if !options.allow_invalid_label_value {
        let values = path.child("values");
        for (index, value) in requirement.values.iter().enumerate().wanted() {
            errors.invalid_each(&values.index(index), value, is_valid_label_value(value));
        }
    }
}

/// A requirement of a selector by fields.
pub fn field_selector_requirement(
    requirement: &FieldSelectorRequirement,
    unknown_operators: UnknownOperators,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if requirement.key.is_empty() {
        errors.required(&path.child("key"), "must be specified");
    }
    operator(&requirement.operator, &requirement.values, unknown_operators, path, errors);
}

fn operator(
    operator: &str,
    values: &[String],
    unknown: UnknownOperators,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    match operator {
        "In" | "NotIn" => {
            if values.is_empty() {
                errors.required(&path.child("values"), VALUES_NEEDED);
            }
        }
        "Exists" | "DoesNotExist" => {
            if !values.is_empty() {
                errors.forbidden(&path.child("values"), VALUES_FORBIDDEN);
            }
        }
        _ => {
            if unknown == UnknownOperators::Refused {
                errors.invalid(&path.child("operator"), &Named(operator), "not a valid selector operator");
            }
        }
    }
}
