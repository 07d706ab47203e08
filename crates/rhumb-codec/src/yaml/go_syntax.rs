//! Values in Go's syntax, which some of go-yaml's errors quote.
//!
//! The text is made from the JSON already written, where the keys of mappings are strings; an integer key inside
//! a quoted mapping therefore shows quotes that Go would not print.

use serde_json::Value;

use super::number::write_general_float;

/// Formats JSON text as Go's `%#v` prints its generic value.
pub(super) fn render(json: &[u8]) -> String {
    let mut out = String::new();
    match serde_json::from_slice::<Value>(json) {
        Ok(value) => write_value(&value, false, &mut out),
        // Too deep to be worth quoting in its own syntax.
        Err(_) => out.push_str(&String::from_utf8_lossy(json)),
    }
    out
}

fn write_value(value: &Value, nested: bool, out: &mut String) {
    match value {
        Value::Null if nested => out.push_str("interface {}(nil)"),
        Value::Null => out.push_str("<nil>"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => {
                let mut text = Vec::new();
                write_general_float(float, &mut text);
                out.push_str(&String::from_utf8_lossy(&text));
            }
            _ if number.is_i64() => out.push_str(&number.to_string()),
            _ => out.push_str(&format!("{:#x}", number.as_u64().unwrap_or_default())),
        },
        Value::String(text) => quote(text, out),
        Value::Array(items) => {
            out.push_str("[]interface {}{");
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_value(item, true, out);
            }
            out.push('}');
        }
        Value::Object(entries) => {
            out.push_str("map[interface {}]interface {}{");
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.sort_by_key(|(key, _)| key.as_str());
            for (i, (key, item)) in sorted.into_iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                quote(key, out);
                out.push(':');
                write_value(item, true, out);
            }
            out.push('}');
        }
    }
}

/// Writes a string as Go's `strconv.Quote` does.
pub(super) fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{C}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{B}' => out.push_str("\\v"),
            ' '..='~' => out.push(character),
            '\0'..='\u{7F}' => out.push_str(&format!("\\x{:02x}", u32::from(character))),
            _ if character.is_control() || character.is_whitespace() || character == '\u{FEFF}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}
