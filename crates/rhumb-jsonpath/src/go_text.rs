//! Values formatted by the verbs of Go's `fmt`.
//!
//! What people see of a value is often made by `fmt`: columns, cells, error texts. Numbers count as the types
//! that Kubernetes gives them: `int64` where they are whole and fit, else `float64`.

use std::fmt::Write;

use rhumb_schema::text::quoted;
use serde_json::{Number, Value as Json};

/// Formats a value as `%v` shows it: `map[a:1 b:[x y]]`, and `<nil>` for null.
pub fn plain(value: &Json) -> String {
    let mut out = String::new();
    write_plain(value, &mut out);
    out
}

fn write_plain(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("<nil>"),
        Json::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Json::Number(number) => out.push_str(&self::number(number)),
        Json::String(text) => out.push_str(text),
        Json::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                write_plain(item, out);
            }
            out.push(']');
        }
        Json::Object(map) => {
            out.push_str("map[");
            for (at, (key, item)) in map.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                out.push_str(key);
                out.push(':');
                write_plain(item, out);
            }
            out.push(']');
        }
    }
}

/// Formats a value as `%#v` shows it: the Go expression that would make it.
pub fn syntax(value: &Json) -> String {
    let mut out = String::new();
    write_syntax(value, &mut out);
    out
}

fn write_syntax(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("interface {}(nil)"),
        Json::Bool(_) | Json::Number(_) => write_plain(value, out),
        Json::String(text) => out.push_str(&quoted(text)),
        Json::Array(items) => {
            out.push_str("[]interface {}{");
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_syntax(item, out);
            }
            out.push('}');
        }
        Json::Object(map) => {
            out.push_str("map[string]interface {}{");
            for (at, (key, item)) in map.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                out.push_str(&quoted(key));
                out.push(':');
                write_syntax(item, out);
            }
            out.push('}');
        }
    }
}

/// Formats a number as `%v` shows it.
pub fn number(number: &Number) -> String {
    match number.as_i64() {
        Some(whole) => whole.to_string(),
        None => float(number.as_f64().unwrap_or_default()),
    }
}

/// Formats a float as `%v` shows it: the shortest digits, with an exponent below 1e-4 and from 1e6 on.
pub fn float(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let mut out = String::from(mantissa);
    // Writing to a string doesn't fail.
    let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
    out
}

/// Returns the name of a value's type in Go.
pub fn type_name(value: &Json) -> &'static str {
    match value {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.is_i64() => "int64",
        Json::Number(_) => "float64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    }
}
