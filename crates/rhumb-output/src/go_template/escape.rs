//! Escaping for HTML, JavaScript and URLs.

use std::fmt::Write;

use rhumb_meta::url;
use rhumb_schema::text::is_printable;

/// Escapes for HTML.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\0' => out.push('\u{fffd}'),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            other => out.push(other),
        }
    }
    out
}

/// Escapes for JavaScript strings.
pub(super) fn js(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        // Writing to a string doesn't fail.
        let _ = match letter {
            '\\' | '\'' | '"' => write!(out, "\\{letter}"),
            '<' | '>' | '&' | '=' | '\0'..=' ' if letter != ' ' => {
                write!(out, "\\u{:04X}", u32::from(letter))
            }
            _ if letter.is_ascii() || is_printable(letter) => write!(out, "{letter}"),
            other => write!(out, "\\u{:04X}", u32::from(other)),
        };
    }
    out
}

/// Escapes for URL queries.
pub(super) fn query(text: &str) -> String {
    url::escape_query(text)
}
