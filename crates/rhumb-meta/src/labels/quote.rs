//! How texts are written inside error messages.
//!
//! Messages quote what the user sent. A single text is written as Go's `%q` does and a list of texts as its
//! JSON encoder does, because tools compare these messages.

use std::fmt::Write;

/// Writes a text between double quotes, with everything that cannot be printed escaped.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\x0b' => out.push_str("\\v"),
            '\x0c' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\x1f' | '\x7f' => escape(&mut out, 'x', 2, c),
            c if is_printable(c) => out.push(c),
            '\0'..='\u{ffff}' => escape(&mut out, 'u', 4, c),
            _ => escape(&mut out, 'U', 8, c),
        }
    }
    out.push('"');
    out
}

/// Writes texts as a JSON array; `None` is the list that was never given and prints as `null`.
pub(super) fn json_list(texts: Option<&[String]>) -> String {
    let Some(texts) = texts else { return "null".to_owned() };
    let mut out = String::from("[");
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        push_json(&mut out, text);
    }
    out.push(']');
    out
}

/// Writes one text as a JSON string.
pub(super) fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_json(&mut out, text);
    out
}

fn push_json(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\x1f' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => escape(out, 'u', 4, c),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn escape(out: &mut String, letter: char, width: usize, c: char) {
    // Writing to a string doesn't fail.
    let _ = write!(out, "\\{letter}{:0width$x}", u32::from(c));
}

/// Whether a character is a letter, mark, number, punctuation, symbol or the plain space.
///
/// The standard library knows these only through its own escaping. A leading `a` keeps it from escaping
/// marks, which it does at the start of a text only. Characters that Unicode added lately may differ from
/// what a given Go release prints.
fn is_printable(c: char) -> bool {
    let mut buffer = [0; 5];
    buffer[0] = b'a';
    let length = 1 + c.encode_utf8(&mut buffer[1..]).len();
    let pair = buffer.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok());
    c == '\'' || pair.is_some_and(|pair| pair.escape_debug().eq(['a', c]))
}
