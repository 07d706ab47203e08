//! Quoting in error messages.
//!
//! Messages quote what the user sent. A single text is written as Go's `%q` does and a list of texts as its
//! JSON encoder does, because tools compare these messages.

pub(super) use rhumb_schema::text::quoted;
use rhumb_schema::text::write_str;

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
    let mut json = Vec::with_capacity(text.len() + 2);
    write_str(text, &mut json);
    out.push_str(&String::from_utf8_lossy(&json));
}
