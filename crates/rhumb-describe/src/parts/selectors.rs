//! Label selectors as text.

use rhumb_meta::labels::{Expression, LabelSelectorError, Selector};
use rhumb_meta::v1::LabelSelector;

/// Returns the selector that a structured one stands for. None at all selects nothing.
///
/// # Errors
/// If an expression can't be met by any label, such as `In` without values.
pub(crate) fn selector(selector: Option<&LabelSelector>) -> Result<Selector, LabelSelectorError> {
    let Some(selector) = selector else { return Ok(Selector::nothing()) };
    let expressions = selector.match_expressions.iter().map(|requirement| Expression {
        key: &requirement.key,
        operator: &requirement.operator,
        values: &requirement.values,
    });
    Selector::from_label_selector(&selector.match_labels, expressions)
}

/// Returns a selector as it is typed in queries, or a word for none.
pub(crate) fn selector_or_none(given: Option<&LabelSelector>) -> String {
    match selector(given).map(|selector| selector.to_string()) {
        Ok(text) if text.is_empty() => "<none>".to_owned(),
        Ok(text) => text,
        Err(_) => "<error>".to_owned(),
    }
}
