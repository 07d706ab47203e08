//! Shared formatting of cells: shortened lists, selectors, optional values.

use rhumb_api::core::v1::Container;
use rhumb_meta::v1::LabelSelector;

/// Placeholder for empty values.
pub(crate) const NONE: &str = "<none>";
/// Placeholder for unset values.
pub(crate) const UNSET: &str = "<unset>";

/// Returns the text, or another if it is empty.
pub(crate) fn or<'a>(text: &'a str, instead: &'a str) -> &'a str {
    if text.is_empty() { instead } else { text }
}

/// Returns the text if there is one, or another; an empty text is one.
pub(crate) fn some_or<'a>(text: &'a Option<String>, instead: &'a str) -> &'a str {
    text.as_deref().unwrap_or(instead)
}

/// Returns the first three members, and how many more there are; `<unset>` if there are none.
pub(crate) fn first_three<T: AsRef<str>>(all: &[T]) -> String {
    let shown: Vec<&str> = all.iter().take(3).map(AsRef::as_ref).collect();
    let text = shown.join(",");
    match all.len().checked_sub(3) {
        Some(more @ 1..) => format!("{text} + {more} more..."),
        _ => or(&text, UNSET).to_owned(),
    }
}

/// Returns a selector as it is typed in queries. None at all selects nothing, which has no text.
///
/// # Errors
/// If its requirements can't be met by any label, such as `In` without values.
pub(crate) fn selector(selector: Option<&LabelSelector>) -> Result<String, ()> {
    let Some(selector) = selector else { return Ok(String::new()) };
    selector.to_selector().map(|selector| selector.to_string()).map_err(|_| ())
}

/// Returns a selector as it is typed in queries, or a word for none.
pub(crate) fn selector_or_none(given: Option<&LabelSelector>) -> String {
    match selector(given) {
        Ok(text) => or(&text, NONE).to_owned(),
        Err(()) => "<error>".to_owned(),
    }
}

/// Returns the names of containers.
pub(crate) fn container_names(containers: &[Container]) -> String {
    containers.iter().map(|container| container.name.as_str()).collect::<Vec<_>>().join(",")
}

/// Returns the images of containers.
pub(crate) fn images(containers: &[Container]) -> String {
    containers.iter().map(|container| container.image.as_str()).collect::<Vec<_>>().join(",")
}
