//! YAML text of small trees, for extensions in the protobuf form.
//!
//! The style is that of Go's yaml.v3: blocks, four spaces, and quotes only where a text would be read as
//! something else.

use serde_json::Value;

/// Returns the text of a value, with a line break at its end.
pub(crate) fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

/// Writes a value whose first line begins at `column`, where the text stands already.
fn block(value: &Value, column: usize, out: &mut String) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (at, (name, value)) in members.iter().enumerate() {
                indent(at, column, out);
                scalar_text(name, out);
                out.push(':');
                member(value, column, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                indent(at, column, out);
                out.push_str("- ");
                block(item, column + 2, out);
            }
        }
        scalar => {
            match scalar {
                Value::Object(_) => out.push_str("{}"),
                Value::Array(_) => out.push_str("[]"),
                Value::String(text) => scalar_text(text, out),
                other => out.push_str(&other.to_string()),
            }
            out.push('\n');
        }
    }
}

/// A member's value stands behind its name if it is simple, and below it if not.
fn member(value: &Value, column: usize, out: &mut String) {
    let is_nested = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if !is_nested {
        out.push(' ');
        return block(value, column, out);
    }
    let column = (column / 4 + 1) * 4;
    out.push('\n');
    indent(1, column, out);
    block(value, column, out);
}

/// The first line stands where it is; others begin with their indentation.
fn indent(line: usize, column: usize, out: &mut String) {
    if line > 0 {
        out.extend(std::iter::repeat_n(' ', column));
    }
}

fn scalar_text(text: &str, out: &mut String) {
    if text.is_empty() || means_other(text) || text.chars().any(char::is_control) {
        return out.push_str(&Value::from(text).to_string());
    }
    if is_plain(text) {
        return out.push_str(text);
    }
    out.push('\'');
    out.push_str(&text.replace('\'', "''"));
    out.push('\'');
}

/// Reports whether YAML reads a bare text as something else than a text: nothing, a truth value, a number or a date.
fn means_other(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE", ".nan", ".NaN",
        ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF",
    ];
    WORDS.contains(&text) || is_number(text) || is_date(text)
}

fn is_number(text: &str) -> bool {
    let bare = text.replace('_', "");
    let digits = bare.trim_start_matches(['+', '-']);
    let of_base = |prefix, base| {
        digits.strip_prefix(prefix).is_some_and(|rest| u64::from_str_radix(rest, base).is_ok())
    };
    let is_decimal = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    (is_decimal && bare.parse::<f64>().is_ok()) || of_base("0x", 16) || of_base("0o", 8) || of_base("0b", 2)
}

/// Dates begin with four digits of a year and a dash.
fn is_date(text: &str) -> bool {
    let (year, rest) = text.split_once('-').unwrap_or_default();
    let is_rest = |letter: char| letter.is_ascii_digit() || "-:.TtZz+ ".contains(letter);
    year.len() == 4 && year.bytes().all(|digit| digit.is_ascii_digit()) && rest.chars().all(is_rest)
}

fn is_plain(text: &str) -> bool {
    !text.starts_with(|first: char| "-?:,[]{}#&*!|>'\"%@` =<".contains(first))
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::to_yaml;

    #[test]
    fn small_trees_look_as_go_writes_them() {
        for (value, text) in [
            (json!("merge,retainKeys"), "merge,retainKeys\n"),
            (json!(""), "\"\"\n"),
            (json!("1"), "\"1\"\n"),
            (json!("true"), "\"true\"\n"),
            (json!("y"), "y\n"),
            (json!("1a"), "1a\n"),
            (json!("-1_000.5e3"), "\"-1_000.5e3\"\n"),
            (json!("0x1F"), "\"0x1F\"\n"),
            (json!("2026-01-02"), "\"2026-01-02\"\n"),
            (json!(true), "true\n"),
            (json!("a: b"), "'a: b'\n"),
            (json!(["name", "port"]), "- name\n- port\n"),
            (json!({"group": "", "kind": "Pod"}), "group: \"\"\nkind: Pod\n"),
            (json!([{"group": "a", "kind": "B"}, {}]), "- group: a\n  kind: B\n- {}\n"),
            (json!([{"by": {"user": "User"}}]), "- by:\n    user: User\n"),
            (
                json!({"list": ["a"], "map": {"deep": {"b": 1}}}),
                "list:\n    - a\nmap:\n    deep:\n        b: 1\n",
            ),
        ] {
            assert_eq!(to_yaml(&value), text, "{value}");
        }
    }
}
