//! Selectors of nodes by their labels and fields, and of parts of the topology.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::core::v1::{NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, TopologySelectorTerm};
use rhumb_meta::validation::{NamePart, is_valid_label_value, name_is_dns_subdomain};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named};

use crate::meta::label_name;

/// What becomes of values that no label can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadLabelValues {
    /// They are errors.
    #[default]
    Refused,
    /// They stay, because the stored object has some.
    Kept,
}

impl BadLabelValues {
    /// What becomes of them where an old selector stood.
    pub fn after(old: Option<&NodeSelector>) -> Self {
        let terms = old.into_iter().flat_map(|selector| &selector.node_selector_terms);
        let mut values =
            terms.flat_map(|term| &term.match_expressions).flat_map(|requirement| &requirement.values);
        if values.any(|value| !is_valid_label_value(value).is_empty()) {
            BadLabelValues::Kept
        } else {
            BadLabelValues::Refused
        }
    }
}

/// A selector of nodes, which has at least one term.
pub fn node_selector(
    selector: &NodeSelector,
    values: BadLabelValues,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let path = path.child("nodeSelectorTerms");
    if selector.node_selector_terms.is_empty() {
        errors.required(&path, "must have at least one node selector term");
    }
    for (index, term) in selector.node_selector_terms.iter().enumerate() {
        node_selector_term(term, values, &path.index(index), errors);
    }
}

/// A term of a selector of nodes.
pub fn node_selector_term(
    term: &NodeSelectorTerm,
    values: BadLabelValues,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (index, requirement) in term.match_expressions.iter().enumerate() {
        by_label(requirement, values, &path.child("matchExpressions").index(index), errors);
    }
    for (index, requirement) in term.match_fields.iter().enumerate() {
        by_field(requirement, &path.child("matchFields").index(index), errors);
    }
}

fn by_label(
    requirement: &NodeSelectorRequirement,
    bad_values: BadLabelValues,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let values = path.child("values");
    match requirement.operator.as_str() {
        "In" | "NotIn" => {
            if requirement.values.is_empty() {
                errors.required(&values, "must be specified when `operator` is 'In' or 'NotIn'");
            }
        }
        "Exists" | "DoesNotExist" => {
            if !requirement.values.is_empty() {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errors.forbidden(&values, detail);
            }
        }
        "Gt" | "Lt" => {
            if requirement.values.len() != 1 {
                errors.required(&values, "must be specified single value when `operator` is 'Lt' or 'Gt'");
            }
        }
        other => errors.invalid(&path.child("operator"), &Named(other), "not a valid selector operator"),
    }
    label_name(&requirement.key, &path.child("key"), errors);
    if bad_values == BadLabelValues::Refused {
        for (index, value) in requirement.values.iter().enumerate() {
            errors.invalid_each(&values.index(index), value, is_valid_label_value(value));
        }
    }
}

/// Nodes have one field that can be selected by: their name.
fn by_field(requirement: &NodeSelectorRequirement, path: &FieldPath, errors: &mut FieldErrors) {
    let values = path.child("values");
    match requirement.operator.as_str() {
        "In" | "NotIn" => {
            if requirement.values.len() != 1 {
                let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
                errors.required(&values, detail);
            }
        }
        other => errors.invalid(&path.child("operator"), &Named(other), "not a valid selector operator"),
    }
    if requirement.key == "metadata.name" {
        for (index, value) in requirement.values.iter().enumerate() {
            errors.invalid_each(&values.index(index), value, name_is_dns_subdomain(value, NamePart::Whole));
        }
    } else {
        errors.invalid(&path.child("key"), &requirement.key, "not a valid field selector key");
    }
}

/// A term of a selector of the topology: its values by key.
pub fn topology_selector_term<'a>(
    term: &'a TopologySelectorTerm,
    path: &FieldPath,
    errors: &mut FieldErrors,
) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut by_key = BTreeMap::new();
    for (index, requirement) in term.match_label_expressions.iter().enumerate() {
        let path = path.child("matchLabelExpressions").index(index);
        let mut values = BTreeSet::new();
        if requirement.values.is_empty() {
            errors.required(&path.child("values"), "");
        }
        for (index, value) in requirement.values.iter().enumerate() {
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
