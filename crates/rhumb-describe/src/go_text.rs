//! Values in the form that Go's formatting gives them where nobody asked for a better one.

use std::fmt::Write;

use rhumb_api::core::v1::{LocalObjectReference, SecretReference};
use rhumb_meta::Quantity;
use serde_json::Value as Json;

/// A list: `[a b]`.
pub(crate) fn list<T: AsRef<str>>(values: &[T]) -> String {
    let texts: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
    format!("[{}]", texts.join(" "))
}

/// A map: `map[a:b c:d]`.
pub(crate) fn map<'a>(entries: impl IntoIterator<Item = (&'a String, &'a String)>) -> String {
    let texts: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
    format!("map[{}]", texts.join(" "))
}

/// A reference to a secret of the same namespace.
pub(crate) fn local_reference(reference: Option<&LocalObjectReference>) -> String {
    match reference {
        Some(reference) => format!("&LocalObjectReference{{Name:{},}}", reference.name),
        None => "nil".to_owned(),
    }
}

/// A reference to a secret of any namespace.
pub(crate) fn secret_reference(reference: Option<&SecretReference>) -> String {
    match reference {
        Some(reference) => {
            format!("&SecretReference{{Name:{},Namespace:{},}}", reference.name, reference.namespace)
        }
        None => "nil".to_owned(),
    }
}

/// A quantity that may be missing.
pub(crate) fn quantity(quantity: Option<&Quantity>) -> String {
    quantity.map_or_else(|| "<nil>".to_owned(), Quantity::to_string)
}

/// A text, or a word for none.
pub(crate) fn or<'a>(text: &'a str, instead: &'a str) -> &'a str {
    if text.is_empty() { instead } else { text }
}

/// A floating-point number as a whole one. What doesn't fit is the smallest there is, as on the machines that kubectl
/// mostly runs on.
pub(crate) fn whole(number: f64) -> i64 {
    // The bounds are powers of two, so that they are exact.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number) {
        number as i64
    } else {
        i64::MIN
    }
}

/// Any value of a tree.
pub(crate) fn tree(value: &Json) -> String {
    match value {
        Json::Null => "<nil>".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.to_string(),
            (None, Some(float)) => self::float(float),
            (None, None) => number.to_string(),
        },
        Json::String(text) => text.clone(),
        Json::Array(values) => list(&values.iter().map(tree).collect::<Vec<_>>()),
        Json::Object(fields) => {
            let mut entries: Vec<(String, String)> =
                fields.iter().map(|(key, value)| (key.clone(), tree(value))).collect();
            entries.sort();
            map(entries.iter().map(|(key, value)| (key, value)))
        }
    }
}

/// A floating-point number: with an exponent if that is below -4 or above 5, and with as few digits as tell it apart.
fn float(number: f64) -> String {
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// What becomes of a text that is taken for a format although there is nothing to fill in.
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
    fn numbers_are_written_as_go_does() {
        for (number, text) in [
            ("1", "1"),
            ("1.0", "1"),
            ("0.1", "0.1"),
            ("1e3", "1000"),
            ("1234567.5", "1.2345675e+06"),
            ("1000000.0", "1e+06"),
            ("0.00001", "1e-05"),
            ("-2.5", "-2.5"),
            ("9223372036854775808", "9.223372036854776e+18"),
        ] {
            assert_eq!(tree(&serde_json::from_str(number).unwrap()), text, "{number}");
        }
    }

    #[test]
    fn trees_are_written_as_go_does() {
        let value = serde_json::json!({"b": [1, {"x": null}], "a": "text", "c": true});
        assert_eq!(tree(&value), "map[a:text b:[1 map[x:<nil>]] c:true]");
    }

    #[test]
    fn formats_without_arguments() {
        assert_eq!(
            format_without_arguments("100% sure, 5%% off, 7%"),
            "100%!s(MISSING)ure, 5% off, 7%!(NOVERB)"
        );
    }
}
