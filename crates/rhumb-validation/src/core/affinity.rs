//! Validation of node and pod affinities.

use std::collections::{BTreeSet, HashMap};

use rhumb_api::core::v1::{
    Affinity, NodeAffinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodAffinityTerm,
    PodSpec, PreferredSchedulingTerm, WeightedPodAffinityTerm,
};
use rhumb_meta::v1::LabelSelector;
use rhumb_meta::validation::{NamePart, is_valid_label_value, name_is_dns_label, name_is_dns_subdomain};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::pod_options::PodOptions;
use crate::meta::{LabelSelectorOptions, has_invalid_label_value, label_name, label_selector};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
const WEIGHT: &str = "must be in the range 1-100";

/// Whether values that are none of a label's pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelValues {
    /// They are errors.
    Checked,
    /// They pass.
    Unchecked,
}

impl LabelValues {
    fn unchecked_if(condition: bool) -> Self {
        if condition { LabelValues::Unchecked } else { LabelValues::Checked }
    }
}

/// All affinities of a pod.
pub(super) fn affinity(
    affinity: &Affinity,
    options: &PodOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if let Some(nodes) = &affinity.node_affinity {
        node_affinity(nodes, options, &path.child("nodeAffinity"), errors);
    }
    if let Some(pods) = &affinity.pod_affinity {
        let required = &pods.required_during_scheduling_ignored_during_execution;
        let preferred = &pods.preferred_during_scheduling_ignored_during_execution;
        pod_affinity(required, preferred, options, &path.child("podAffinity"), errors);
    }
    if let Some(pods) = &affinity.pod_anti_affinity {
        let required = &pods.required_during_scheduling_ignored_during_execution;
        let preferred = &pods.preferred_during_scheduling_ignored_during_execution;
        pod_affinity(required, preferred, options, &path.child("podAntiAffinity"), errors);
    }
}

fn node_affinity(nodes: &NodeAffinity, options: &PodOptions, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(required) = &nodes.required_during_scheduling_ignored_during_execution {
        let values = LabelValues::unchecked_if(options.invalid_label_value_in_node_affinity);
        node_selector(required, values, &path.child(REQUIRED), errors);
    }
    let path = path.child(PREFERRED);
    for (index, term) in
        nodes.preferred_during_scheduling_ignored_during_execution.iter().enumerate().wanted()
    {
        preferred_term(term, &path.index(index), errors);
    }
}

fn preferred_term(term: &PreferredSchedulingTerm, path: &FieldPath, errors: &mut FieldErrors) {
    if !(1..=100).contains(&term.weight) {
        errors.invalid(&path.child("weight"), &term.weight, WEIGHT);
    }
    node_selector_term(&term.preference, LabelValues::Unchecked, &path.child("preference"), errors);
}

/// A selection of nodes: any of several terms.
pub(crate) fn node_selector(
    selector: &NodeSelector,
    values: LabelValues,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let path = path.child("nodeSelectorTerms");
    if selector.node_selector_terms.is_empty() {
        errors.required(&path, "must have at least one node selector term");
    }
    for (index, term) in selector.node_selector_terms.iter().enumerate().wanted() {
        node_selector_term(term, values, &path.index(index), errors);
    }
}

fn node_selector_term(
    term: &NodeSelectorTerm,
    values: LabelValues,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (index, requirement) in term.match_expressions.iter().enumerate().wanted() {
        node_labels(requirement, values, &path.child("matchExpressions").index(index), errors);
    }
    for (index, requirement) in term.match_fields.iter().enumerate().wanted() {
        node_fields(requirement, &path.child("matchFields").index(index), errors);
    }
}

fn node_labels(
    requirement: &NodeSelectorRequirement,
    values: LabelValues,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let at = path.child("values");
    match (requirement.operator.as_str(), requirement.values.len()) {
        ("In" | "NotIn", 0) => errors.required(&at, "must be specified when `operator` is 'In' or 'NotIn'"),
        ("In" | "NotIn", _) | ("Exists" | "DoesNotExist", 0) | ("Gt" | "Lt", 1) => {}
        ("Exists" | "DoesNotExist", _) => {
            errors.forbidden(&at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        ("Gt" | "Lt", _) => {
            errors.required(&at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
        }
        (other, _) => errors.invalid(&path.child("operator"), &Named(other), "not a valid selector operator"),
    }
    label_name(&requirement.key, &path.child("key"), errors);
    if values == LabelValues::Checked {
        for (index, value) in requirement.values.iter().enumerate().wanted() {
            errors.invalid_each(&at.index(index), value, is_valid_label_value(value));
        }
    }
}

fn node_fields(requirement: &NodeSelectorRequirement, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("values");
    match (requirement.operator.as_str(), requirement.values.len()) {
        ("In" | "NotIn", 1) => {}
        ("In" | "NotIn", _) => {
            let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
            errors.required(&at, detail);
        }
        (other, _) => errors.invalid(&path.child("operator"), &Named(other), "not a valid selector operator"),
    }
    if requirement.key != "metadata.name" {
        return errors.invalid(&path.child("key"), &requirement.key, "not a valid field selector key");
    }
    for (index, value) in requirement.values.iter().enumerate().wanted() {
        errors.invalid_each(&at.index(index), value, name_is_dns_subdomain(value, NamePart::Whole));
    }
}

fn pod_affinity(
    required: &[PodAffinityTerm],
    preferred: &[WeightedPodAffinityTerm],
    options: &PodOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (index, term) in required.iter().enumerate().wanted() {
        pod_affinity_term(term, options, &path.child(REQUIRED).index(index), errors);
    }
    for (index, weighted) in preferred.iter().enumerate().wanted() {
        let at = path.child(PREFERRED).index(index);
        if !(1..=100).contains(&weighted.weight) {
            errors.invalid(&at.child("weight"), &weighted.weight, WEIGHT);
        }
        pod_affinity_term(&weighted.pod_affinity_term, options, &at.child("podAffinityTerm"), errors);
    }
}

fn pod_affinity_term(
    term: &PodAffinityTerm,
    options: &PodOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let allow_invalid_label_value = options.invalid_label_value_in_selector;
    let selector_options =
        LabelSelectorOptions { allow_invalid_label_value, ..LabelSelectorOptions::default() };
    for (selector, field) in
        [(&term.label_selector, "labelSelector"), (&term.namespace_selector, "namespaceSelector")]
    {
        if let Some(selector) = selector {
            label_selector(selector, selector_options, &path.child(field), errors);
        }
    }
    for name in &term.namespaces {
        errors.invalid_each(&path.child("namespace"), name, name_is_dns_label(name, NamePart::Whole));
    }
    let selector = term.label_selector.as_deref();
    match_label_keys(&term.match_label_keys, &term.mismatch_label_keys, selector, path, errors);
    if term.topology_key.is_empty() {
        errors.required(&path.child("topologyKey"), "can not be empty");
    }
    label_name(&term.topology_key, &path.child("topologyKey"), errors);
}

/// Labels of the pod itself that are added to a selector when the pod is made.
pub(super) fn match_label_keys(
    matching: &[String],
    mismatching: &[String],
    selector: Option<&LabelSelector>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    label_keys(matching, selector, &path.child("matchLabelKeys"), errors);
    label_keys(mismatching, selector, &path.child("mismatchLabelKeys"), errors);
    if let Some(selector) = selector {
        // When the pod is made, a key is added to the expressions once; a second time it was there before.
        let mut seen: BTreeSet<&str> = selector.match_labels.keys().map(String::as_str).collect();
        let last: HashMap<&str, usize> =
            matching.iter().enumerate().map(|(index, key)| (key.as_str(), index)).collect();
        for expression in &selector.match_expressions {
            let is_new = seen.insert(&expression.key);
            if let Some(index) = last.get(expression.key.as_str()).copied()
                && !is_new
            {
                let detail = "exists in both matchLabelKeys and labelSelector";
                errors.invalid(&path.index(index), &expression.key, detail);
            }
        }
    }
    let mismatching: BTreeSet<&String> = mismatching.iter().collect();
    for (index, key) in matching.iter().enumerate().wanted() {
        if mismatching.contains(key) {
            let detail = "exists in both matchLabelKeys and mismatchLabelKeys";
            errors.invalid(&path.child("matchLabelKeys").index(index), key, detail);
        }
    }
}

fn label_keys(keys: &[String], selector: Option<&LabelSelector>, path: &FieldPath, errors: &mut FieldErrors) {
    if selector.is_none() && !keys.is_empty() {
        return errors.forbidden(path, "must not be specified when labelSelector is not set");
    }
    for (index, key) in keys.iter().enumerate().wanted() {
        label_name(key, &path.index(index), errors);
    }
}

/// Reports whether a selector of an affinity has values that no label can have.
pub(super) fn invalid_label_value_in_selector(spec: &PodSpec) -> bool {
    let Some(affinity) = spec.affinity.as_deref() else { return false };
    let mut terms: Vec<&PodAffinityTerm> = Vec::new();
    if let Some(pods) = &affinity.pod_affinity {
        terms.extend(&pods.required_during_scheduling_ignored_during_execution);
        let preferred = &pods.preferred_during_scheduling_ignored_during_execution;
        terms.extend(preferred.iter().map(|weighted| &weighted.pod_affinity_term));
    }
    if let Some(pods) = &affinity.pod_anti_affinity {
        terms.extend(&pods.required_during_scheduling_ignored_during_execution);
        let preferred = &pods.preferred_during_scheduling_ignored_during_execution;
        terms.extend(preferred.iter().map(|weighted| &weighted.pod_affinity_term));
    }
    let selectors = terms.iter().flat_map(|term| [&term.label_selector, &term.namespace_selector]);
    selectors.flatten().any(|selector| has_invalid_label_value(selector))
}

/// Reports whether the required affinity to nodes has values that no label can have.
pub(super) fn invalid_label_value_in_node_affinity(spec: &PodSpec) -> bool {
    let nodes = spec.affinity.as_deref().and_then(|affinity| affinity.node_affinity.as_deref());
    let required =
        nodes.and_then(|nodes| nodes.required_during_scheduling_ignored_during_execution.as_deref());
    let terms = required.map(|selector| selector.node_selector_terms.as_slice()).unwrap_or_default();
    let mut values =
        terms.iter().flat_map(|term| &term.match_expressions).flat_map(|expression| &expression.values);
    values.any(|value| !is_valid_label_value(value).is_empty())
}
