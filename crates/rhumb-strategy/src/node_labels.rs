//! Warnings about deprecated node labels.

use rhumb_api::core::v1::NodeSelectorTerm;
use rhumb_meta::v1::LabelSelector;
use rhumb_meta::validation::is_valid_label_value;
use rhumb_scheme::validation::FieldPath;

const DEPRECATED: &[(&str, &str)] = &[
    ("beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"),
    ("beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
    ),
    (
        "beta.kubernetes.io/instance-type",
        "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
    ),
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    (
        "scheduler.alpha.kubernetes.io/preferAvoidPods",
        "deprecated since v1.22; use Taints and Tolerations instead",
    ),
    ("node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"),
];

/// Returns the deprecation message of a label.
pub(crate) fn deprecated(label: &str) -> Option<&'static str> {
    DEPRECATED.iter().find(|(known, _)| *known == label).map(|(_, message)| *message)
}

/// Whether values are checked too, which not all fields with terms do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    Checked,
    Unchecked,
}

/// Warns of a term's labels.
pub(crate) fn warn_term(
    term: &NodeSelectorTerm,
    values: Values,
    path: &FieldPath,
    warnings: &mut Vec<String>,
) {
    for (index, expression) in term.match_expressions.iter().enumerate() {
        let path = path.child("matchExpressions").index(index);
        if let Some(message) = deprecated(&expression.key) {
            warnings.push(format!("{}: {} is {message}", path.child("key"), expression.key));
        }
        if values == Values::Unchecked {
            continue;
        }
        for (index, value) in expression.values.iter().enumerate() {
            for message in is_valid_label_value(value) {
                let path = path.child("values").index(index);
                warnings.push(format!("{path}: {value} is invalid, {message}"));
            }
        }
    }
}

/// Warns of a selector's labels.
pub(crate) fn warn_selector(selector: &LabelSelector, path: &FieldPath) -> Vec<String> {
    let mut warnings = Vec::new();
    for (index, expression) in selector.match_expressions.iter().enumerate() {
        if let Some(message) = deprecated(&expression.key) {
            let path = path.child("matchExpressions").index(index).child("key");
            warnings.push(format!("{path}: {} is {message}", expression.key));
        }
    }
    for label in selector.match_labels.keys() {
        if let Some(message) = deprecated(label) {
            warnings.push(format!("{}: {message}", path.child("matchLabels").child(label)));
        }
    }
    warnings
}
