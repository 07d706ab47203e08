//! Validation of topology selectors.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::core::v1::TopologySelectorTerm;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};

use crate::meta::label_name;

/// Returns a term of a selector of the topology; gives its values by key.
pub(crate) fn topology_selector_term<'a>(
    term: &'a TopologySelectorTerm,
    path: &FieldPath,
    errors: &mut FieldErrors,
) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut by_key = BTreeMap::new();
    for (index, requirement) in term.match_label_expressions.iter().enumerate().wanted() {
        let path = path.child("matchLabelExpressions").index(index);
        let mut values = BTreeSet::new();
        if requirement.values.is_empty() {
            errors.required(&path.child("values"), "");
        }
        for (index, value) in requirement.values.iter().enumerate().wanted() {
            if !values.insert(value.as_str()) {
                errors.duplicate(&path.child("values").index(index), value);
            }
        }
        label_name(&requirement.key, &path.child("key"), errors);
        if by_key.insert(requirement.key.as_str(), values).is_some() {
            errors.duplicate(&path.child("key"), &requirement.key);
        }
    }
    by_key
}
