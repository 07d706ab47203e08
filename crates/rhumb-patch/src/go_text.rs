//! Formatting of trees as Go prints them, for Kubernetes' errors.

use std::fmt::Write;

use rhumb_schema::BadValue;
use serde_json::{Map, Number, Value};

/// Verb of Go's `fmt`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// `%v`: whatever it is.
    Value,
    /// `%s`: as a text, with a complaint about what is none.
    Text,
}

/// Formats a value as `%v` prints it.
pub(crate) fn shown(value: &Value) -> String {
    let mut out = String::new();
    print(value, Verb::Value, &mut out);
    out
}

/// Formats a value as `%s` prints it.
pub(crate) fn as_text(value: &Value) -> String {
    let mut out = String::new();
    print(value, Verb::Text, &mut out);
    out
}

/// Formats a map as `%v` prints it: its keys in order.
pub(crate) fn shown_map(map: &Map<String, Value>) -> String {
    let mut out = String::new();
    print_map(map, Verb::Value, &mut out);
    out
}

/// Formats a list as `%v` prints it.
pub(crate) fn shown_list(list: &[Value]) -> String {
    let mut out = String::new();
    print_list(list, Verb::Value, &mut out);
    out
}

/// Returns Go's name of a value's type in a tree.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "%!s(<nil>)",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Reports whether two values are of one type in Go, where integers and floats are two.
pub(crate) fn same_type(one: &Value, other: &Value) -> bool {
    type_name(one) == type_name(other)
}

fn print(value: &Value, verb: Verb, out: &mut String) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Array(list) => print_list(list, verb, out),
        Value::Object(map) => print_map(map, verb, out),
        Value::Null if verb == Verb::Text => out.push_str("%!s(<nil>)"),
        Value::Null => out.push_str("<nil>"),
        scalar => {
            let text = match scalar {
                Value::Number(number) => shown_number(number),
                other => other.to_string(),
            };
            // Writing to a String never fails.
            let _ = match verb {
                Verb::Text => write!(out, "%!s({}={text})", type_name(scalar)),
                Verb::Value => out.write_str(&text),
            };
        }
    }
}

fn shown_number(number: &Number) -> String {
    match (number.as_i64(), number.as_f64()) {
        (Some(integer), _) => integer.to_string(),
        (None, Some(float)) => float.shown(),
        (None, None) => number.to_string(),
    }
}

fn print_map(map: &Map<String, Value>, verb: Verb, out: &mut String) {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    out.push_str("map[");
    for (position, (key, value)) in entries.into_iter().enumerate() {
        if position > 0 {
            out.push(' ');
        }
        out.push_str(key);
        out.push(':');
        print(value, verb, out);
    }
    out.push(']');
}

fn print_list(list: &[Value], verb: Verb, out: &mut String) {
    out.push('[');
    for (position, value) in list.iter().enumerate() {
        if position > 0 {
            out.push(' ');
        }
        print(value, verb, out);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn trees_print_as_in_go() {
        let tree = json!({ "b": [1, 2.5, null], "a": { "x": true, "y": "z" }, "c": 1e21 });
        assert_eq!(shown(&tree), "map[a:map[x:true y:z] b:[1 2.5 <nil>] c:1e+21]");
        assert_eq!(as_text(&json!([1, "a", null])), "[%!s(int64=1) a %!s(<nil>)]");
    }
}
