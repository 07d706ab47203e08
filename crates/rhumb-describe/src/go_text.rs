//! Values as Go's default formatting prints them.

use std::fmt::Write;

use rhumb_api::core::v1::{LocalObjectReference, SecretReference};
use rhumb_meta::Quantity;

/// Returns a list: `[a b]`.
pub(crate) fn list<T: AsRef<str>>(values: &[T]) -> String {
    let texts: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
    format!("[{}]", texts.join(" "))
}

/// Returns a map: `map[a:b c:d]`.
pub(crate) fn map<'a>(entries: impl IntoIterator<Item = (&'a String, &'a String)>) -> String {
    let texts: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
    format!("map[{}]", texts.join(" "))
}

/// Returns a reference to a secret of the same namespace.
pub(crate) fn local_reference(reference: Option<&LocalObjectReference>) -> String {
    match reference {
        Some(reference) => format!("&LocalObjectReference{{Name:{},}}", reference.name),
        None => "nil".to_owned(),
    }
}

/// Returns a reference to a secret of any namespace.
pub(crate) fn secret_reference(reference: Option<&SecretReference>) -> String {
    match reference {
        Some(reference) => {
            format!("&SecretReference{{Name:{},Namespace:{},}}", reference.name, reference.namespace)
        }
        None => "nil".to_owned(),
    }
}

/// Returns a quantity that may be missing.
pub(crate) fn quantity(quantity: Option<&Quantity>) -> String {
    quantity.map_or_else(|| "<nil>".to_owned(), Quantity::to_string)
}

/// Returns a text, or a word for none.
pub(crate) fn or<'a>(text: &'a str, instead: &'a str) -> &'a str {
    if text.is_empty() { instead } else { text }
}

/// Returns a floating-point number as a whole one. What doesn't fit is the smallest there is, as on the machines that
/// kubectl mostly runs on.
pub(crate) fn whole(number: f64) -> i64 {
    // The bounds are powers of two, so that they are exact.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number) {
        number as i64
    } else {
        i64::MIN
    }
}

/// Formats a text that Go uses as a format without arguments.
pub(crate) fn format_without_arguments(format: &str) -> String {
    let mut out = String::with_capacity(format.len());
    let mut rest = format.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        while rest.next_if(|next| matches!(next, '#' | '0'..='9' | '+' | '-' | ' ' | '.')).is_some() {}
        // Writing to a string doesn't fail.
        let _ = match rest.next() {
            None => write!(out, "%!(NOVERB)"),
            Some('%') => write!(out, "%"),
            Some(verb) => write!(out, "%!{verb}(MISSING)"),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_without_arguments() {
        assert_eq!(
            format_without_arguments("100% sure, 5%% off, 7%"),
            "100%!s(MISSING)ure, 5% off, 7%!(NOVERB)"
        );
    }
}
