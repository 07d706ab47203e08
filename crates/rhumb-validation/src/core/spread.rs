//! Validation of topology spread constraints.

use std::collections::{HashMap, HashSet};

use rhumb_api::core::v1::{PodSpec, TopologySpreadConstraint};
use rhumb_meta::v1::LabelSelector;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Wanted};

use super::affinity::match_label_keys;
use super::pod_options::{PodOptions, passes};
use crate::meta::{LabelSelectorOptions, label_name, label_selector};

const POSITIVE: &str = "must be greater than zero";

/// The constraints of a pod.
pub(super) fn spread_constraints(
    constraints: &[TopologySpreadConstraint],
    options: &PodOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let last: HashMap<Kind<'_>, usize> =
        constraints.iter().enumerate().map(|(index, constraint)| (kind(constraint), index)).collect();
    for (index, constraint) in constraints.iter().enumerate().wanted() {
        let comes_again = last.get(&kind(constraint)).is_some_and(|last| *last > index);
        spread_constraint(constraint, comes_again, options, &path.index(index), errors);
    }
}

/// What makes a constraint the same as another one.
type Kind<'a> = (&'a str, &'a str);

fn kind(constraint: &TopologySpreadConstraint) -> Kind<'_> {
    (&constraint.topology_key, &constraint.when_unsatisfiable)
}

fn spread_constraint(
    constraint: &TopologySpreadConstraint,
    comes_again: bool,
    options: &PodOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let action = constraint.when_unsatisfiable.as_str();
    if constraint.max_skew <= 0 {
        errors.invalid(&path.child("maxSkew"), &constraint.max_skew, POSITIVE);
    }
    if constraint.topology_key.is_empty() {
        errors.required(&path.child("topologyKey"), "can not be empty");
    }
    if !matches!(action, "DoNotSchedule" | "ScheduleAnyway") {
        let at = path.child("whenUnsatisfiable");
        errors.not_supported(&at, &Named(action), &["DoNotSchedule", "ScheduleAnyway"]);
    }
    if comes_again {
        let value = format!("{{{}, {action}}}", constraint.topology_key);
        errors.duplicate(&path.child("{topologyKey, whenUnsatisfiable}"), &value);
    }
    if let Some(minimum) = constraint.min_domains {
        let at = path.child("minDomains");
        if minimum <= 0 {
            errors.invalid(&at, &minimum, POSITIVE);
        }
        if action != "DoNotSchedule" {
            let detail = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
            errors.invalid(&at, &minimum, &detail);
        }
    }
    for (policy, field) in [
        (&constraint.node_affinity_policy, "nodeAffinityPolicy"),
        (&constraint.node_taints_policy, "nodeTaintsPolicy"),
    ] {
        if let Some(policy) = policy.as_deref()
            && !matches!(policy, "Honor" | "Ignore")
        {
            errors.not_supported(&path.child(field), &Named(policy), &["Honor", "Ignore"]);
        }
    }
    let (keys, selector) = (&constraint.match_label_keys, constraint.label_selector.as_deref());
    if options.legacy_match_label_keys {
        legacy_match_label_keys(keys, selector, &path.child("matchLabelKeys"), errors);
    } else {
        match_label_keys(keys, &[], selector, path, errors);
    }
    if let Some(selector) = selector
        && !options.invalid_spread_selector
    {
        label_selector(selector, LabelSelectorOptions::default(), &path.child("labelSelector"), errors);
    }
}

/// The rule from before the keys were merged into the selector.
fn legacy_match_label_keys(
    keys: &[String],
    selector: Option<&LabelSelector>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if selector.is_none() && !keys.is_empty() {
        errors.forbidden(path, "must not be specified when labelSelector is not set");
    }
    let expressions = selector.into_iter().flat_map(|selector| &selector.match_expressions);
    let expressions: HashSet<&str> = expressions.map(|expression| expression.key.as_str()).collect();
    for (index, key) in keys.iter().enumerate().wanted() {
        label_name(key, &path.index(index), errors);
        let is_selected = expressions.contains(key.as_str())
            || selector.is_some_and(|selector| selector.match_labels.contains_key(key));
        if is_selected {
            errors.invalid(&path.index(index), key, "exists in both matchLabelKeys and labelSelector");
        }
    }
}

/// Reports whether the selector of a constraint breaks a rule.
pub(super) fn invalid_selector(spec: &PodSpec) -> bool {
    let mut selectors = spec.topology_spread_constraints.iter().filter_map(|c| c.label_selector.as_deref());
    selectors.any(|selector| {
        !passes(|path, errors| label_selector(selector, LabelSelectorOptions::default(), path, errors))
    })
}

/// Reports whether the label keys of a constraint break a rule.
pub(super) fn invalid_match_label_keys(spec: &PodSpec) -> bool {
    spec.topology_spread_constraints.iter().any(|constraint| {
        let selector = constraint.label_selector.as_deref();
        !passes(|path, errors| match_label_keys(&constraint.match_label_keys, &[], selector, path, errors))
    })
}
