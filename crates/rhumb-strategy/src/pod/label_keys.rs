//! Resolves selectors with values from the pod's own labels, on creation.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{Pod, PodAffinityTerm};
use rhumb_meta::v1::{LabelSelector, LabelSelectorRequirement};

/// Writes the values into the selectors of a new pod.
pub(crate) fn merge_label_keys(pod: &mut Pod) {
    let labels = &pod.metadata.labels;
    if let Some(affinity) = &mut pod.spec.affinity {
        if let Some(near) = &mut affinity.pod_affinity {
            let weighted = &mut near.preferred_during_scheduling_ignored_during_execution;
            weighted.iter_mut().for_each(|term| merge_term(&mut term.pod_affinity_term, labels));
            let required = &mut near.required_during_scheduling_ignored_during_execution;
            required.iter_mut().for_each(|term| merge_term(term, labels));
        }
        if let Some(far) = &mut affinity.pod_anti_affinity {
            let weighted = &mut far.preferred_during_scheduling_ignored_during_execution;
            weighted.iter_mut().for_each(|term| merge_term(&mut term.pod_affinity_term, labels));
            let required = &mut far.required_during_scheduling_ignored_during_execution;
            required.iter_mut().for_each(|term| merge_term(term, labels));
        }
    }
    for constraint in &mut pod.spec.topology_spread_constraints {
        if let Some(selector) = &mut constraint.label_selector {
            merge(selector, &constraint.match_label_keys, "In", labels);
        }
    }
}

fn merge_term(term: &mut PodAffinityTerm, labels: &BTreeMap<String, String>) {
    if let Some(selector) = &mut term.label_selector {
        merge(selector, &term.match_label_keys, "In", labels);
        merge(selector, &term.mismatch_label_keys, "NotIn", labels);
    }
}

fn merge(selector: &mut LabelSelector, keys: &[String], operator: &str, labels: &BTreeMap<String, String>) {
    let found = keys.iter().filter_map(|key| Some((key, labels.get(key)?)));
    selector.match_expressions.extend(found.map(|(key, value)| LabelSelectorRequirement {
        key: key.clone(),
        operator: operator.to_owned(),
        values: vec![value.clone()],
    }));
}
