//! Placeholders in messages.

use std::collections::BTreeMap;

/// Placeholder of a plural's number.
pub(super) const COUNT: &str = "count";

/// Returns the placeholders of a text, and how often each is there.
///
/// `{name}` and `{0}` may stand anywhere and as often as a language likes, so they count once; `{{` is a brace. Those
/// of printf (`%s`, `%[1]d`) are told apart by what they print and, where it is said, by their place.
pub(super) fn of(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '%']) {
        let from = rest.get(at..).unwrap_or_default();
        let (token, length) = if from.starts_with("{{") || from.starts_with("%%") {
            (None, 2)
        } else if from.starts_with('{') {
            brace(from)
        } else {
            percent(from)
        };
        if let Some(token) = token {
            let is_named = token.starts_with('{');
            let count = found.entry(token).or_insert(0);
            *count = if is_named { 1 } else { *count + 1 };
        }
        rest = from.get(length..).unwrap_or_default();
    }
    found
}

fn brace(from: &str) -> (Option<String>, usize) {
    let Some(end) = from.find('}') else { return (None, 1) };
    let name = from.get(1..end).unwrap_or_default();
    let is_name = name.chars().all(|character| character.is_alphanumeric() || character == '_');
    if is_name { (Some(format!("{{{name}}}")), end + 1) } else { (None, 1) }
}

/// Parses a placeholder: `%`, an index or flags and a width, and the letter. Other percent signs are text.
fn percent(from: &str) -> (Option<String>, usize) {
    let rest = from.get(1..).unwrap_or_default();
    let (index, behind) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((index, behind)) if index.bytes().all(|byte| byte.is_ascii_digit()) => {
            (Some(format!("[{index}]")), behind)
        }
        _ => (None, rest),
    };
    let letter = behind.trim_start_matches(|flag: char| flag.is_ascii_digit() || "+-#.".contains(flag));
    match letter.chars().next() {
        Some(verb @ ('s' | 'd' | 'q' | 'v' | 'f' | 'x' | 't')) => {
            let length = from.len() - letter.len() + 1;
            (Some(format!("%{}{verb}", index.unwrap_or_default())), length)
        }
        _ => (None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found() {
        for (text, expected) in [
            ("plain, 100% of it", ""),
            ("{a} and {b} and {a}", "{a}1 {b}1"),
            ("{{a}} {", ""),
            ("{not a name} {}", "{}1"),
            ("%s %s %d %%s", "%d1 %s2"),
            ("%[2]s %[1]q %-5.2f", "%[1]q1 %[2]s1 %f1"),
            ("ends with %", ""),
            ("é{ü}%é", "{ü}1"),
        ] {
            let found: Vec<String> =
                of(text).into_iter().map(|(name, count)| format!("{name}{count}")).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
