//! Label and field selectors in their structured form.

use std::collections::BTreeMap;

use rhumb_schema::Schema;

use crate::labels::{Expression, LabelSelectorError, Selector};

/// Values of `FieldSelectorOperator`.
pub const FIELD_SELECTOR_OPERATORS: &[&str] = &["In", "NotIn", "Exists", "DoesNotExist"];
/// Values of `LabelSelectorOperator`.
pub const LABEL_SELECTOR_OPERATORS: &[&str] = &["In", "NotIn", "Exists", "DoesNotExist"];

/// A requirement on the value of one field.
#[derive(Clone, Default, Schema)]
pub struct FieldSelectorRequirement {
    /// The path of the field, such as metadata.name.
    #[field(1, required)]
    pub key: String,
    /// How the value relates to the list: In, NotIn, Exists or DoesNotExist.
    #[field(2, required, values = FIELD_SELECTOR_OPERATORS)]
    pub operator: String,
    /// The values to compare with. Needed for In and NotIn, and must be empty for the others.
    #[field(3, list = "atomic")]
    pub values: Vec<String>,
}

/// Selects objects by their labels. All its requirements must hold; an empty one selects everything.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct LabelSelector {
    /// Labels that must be there with exactly this value.
    #[field(1)]
    pub match_labels: BTreeMap<String, String>,
    /// Requirements beyond equality.
    #[field(2, list = "atomic")]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

impl LabelSelector {
    /// Returns the selector that labels can be matched against, and that has a text.
    ///
    /// # Errors
    /// If no label could meet a requirement, such as `In` without values.
    pub fn to_selector(&self) -> Result<Selector, LabelSelectorError> {
        let expressions = self.match_expressions.iter().map(|requirement| Expression {
            key: &requirement.key,
            operator: &requirement.operator,
            values: &requirement.values,
        });
        Selector::from_label_selector(&self.match_labels, expressions)
    }
}

/// A requirement on one label.
#[derive(Clone, Default, Schema)]
pub struct LabelSelectorRequirement {
    /// The label's name.
    #[field(1, required)]
    pub key: String,
    /// How the label relates to the list: In, NotIn, Exists or DoesNotExist. NotIn also holds if there is no
    /// such label.
    #[field(2, required, values = LABEL_SELECTOR_OPERATORS)]
    pub operator: String,
    /// The values to compare with. Needed for In and NotIn, and must be empty for the others.
    #[field(3, list = "atomic")]
    pub values: Vec<String>,
}
