//! The selector in the status of a Scale: a text in the hub; in the beta versions the text and, where it fits, labels.

use std::collections::BTreeMap;

use rhumb_meta::labels::{Operator, Selector};
use rhumb_scheme::ConvertError;

/// The text of the selector, made from the labels if there is none.
pub(super) fn selector_text(labels: &BTreeMap<String, String>, text: String) -> String {
    if text.is_empty() { Selector::from_set(labels).to_string() } else { text }
}

/// The labels that a selector asks for; none if it asks for anything but equality.
pub(super) fn selector_labels(text: &str) -> Result<BTreeMap<String, String>, ConvertError> {
    let failed = |reason: String| ConvertError::value(format!("failed to parse selector: {reason}"));
    let selector = Selector::parse(text)
        .map_err(|error| failed(format!("couldn't parse the selector string \"{text}\": {error}")))?;
    let mut labels = BTreeMap::new();
    let mut only_equality = true;
    for requirement in selector.requirements().unwrap_or_default() {
        match (requirement.operator(), requirement.values()) {
            (Operator::Equals | Operator::DoubleEquals, [value]) => {
                labels.insert(requirement.key().to_owned(), value.clone());
            }
            (Operator::Equals | Operator::DoubleEquals, _) => {
                return Err(failed("equals operator must have exactly one value".to_owned()));
            }
            (Operator::In | Operator::NotIn | Operator::Exists | Operator::DoesNotExist, _) => {
                only_equality = false;
            }
            (operator @ (Operator::GreaterThan | Operator::LessThan), _) => {
                return Err(failed(format!("\"{operator}\" isn't supported in label selectors")));
            }
            (operator, _) => {
                return Err(failed(format!("\"{operator}\" is not a valid label selector operator")));
            }
        }
    }
    Ok(if only_equality { labels } else { BTreeMap::new() })
}
