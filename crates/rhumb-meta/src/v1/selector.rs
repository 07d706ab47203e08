//! Selectors in `meta.k8s.io/v1`.

use rhumb_schema::Schema;
use std::collections::BTreeMap;

/// The values that a `FieldSelectorOperator` has.
pub const FIELD_SELECTOR_OPERATORS: &[&str] = &["In", "NotIn", "Exists", "DoesNotExist"];
/// The values that a `LabelSelectorOperator` has.
pub const LABEL_SELECTOR_OPERATORS: &[&str] = &["In", "NotIn", "Exists", "DoesNotExist"];

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct FieldSelectorRequirement {
    #[field(1, required)]
    pub key: String,
    #[field(2, required, values = FIELD_SELECTOR_OPERATORS)]
    pub operator: String,
    #[field(3, list = "atomic")]
    pub values: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct LabelSelector {
    #[field(1)]
    pub match_labels: BTreeMap<String, String>,
    #[field(2, list = "atomic")]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct LabelSelectorRequirement {
    #[field(1, required)]
    pub key: String,
    #[field(2, required, values = LABEL_SELECTOR_OPERATORS)]
    pub operator: String,
    #[field(3, list = "atomic")]
    pub values: Vec<String>,
}
