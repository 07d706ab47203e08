//! Escaping of text for terminals.

use std::borrow::Cow;

/// A text without what could make a terminal do things: escapes become `^[` and carriage returns `\r`.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if text.contains(['\x1b', '\r']) {
        Cow::Owned(text.replace('\x1b', "^[").replace('\r', "\\r"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns a text in capitals, letter by letter: one whose capital form is several letters stays as it is.
pub(crate) fn upper(text: &str) -> String {
    text.chars().map(|letter| single(letter, letter.to_uppercase())).collect()
}

/// Returns a text in small letters, letter by letter.
pub(crate) fn lower(text: &str) -> String {
    text.chars().map(|letter| single(letter, letter.to_lowercase())).collect()
}

fn single(letter: char, mut mapped: impl Iterator<Item = char>) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(only), None) => only,
        _ => letter,
    }
}
