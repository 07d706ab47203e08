//! Names of fields in expressions: what is no name in CEL is escaped.

pub use rhumb_cel::parser::is_reserved;

/// What stands for what.
const ESCAPES: &[(&str, &str)] = &[("__", "underscores"), (".", "dot"), ("-", "dash"), ("/", "slash")];

/// Returns the name of a property in expressions; nothing if it has none, because it begins with a digit, is empty or
/// has characters for which there is no escape.
pub fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if is_reserved(name) {
        return Some(format!("__{name}__"));
    }
    let mut escaped = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(next) = rest.chars().next() {
        if let Some((written, word)) = ESCAPES.iter().find(|(written, _)| rest.starts_with(written)) {
            escaped.push_str("__");
            escaped.push_str(word);
            escaped.push_str("__");
            rest = rest.get(written.len()..)?;
        } else if next == '_' || next.is_ascii_alphanumeric() {
            escaped.push(next);
            rest = rest.get(1..)?;
        } else {
            return None;
        }
    }
    Some(escaped)
}

/// Returns the property that a name in an expression stands for; nothing if it has an escape that there is not.
pub fn unescape(name: &str) -> Option<String> {
    let mut unescaped = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(start) = rest.find("__") {
        let (before, at) = rest.split_at(start);
        unescaped.push_str(before);
        // An escape has a word without underscores in the middle.
        let word = at.trim_start_matches('_').split('_').next().unwrap_or_default();
        let underscores = at.len() - at.trim_start_matches('_').len();
        let after = at.get(underscores + word.len()..).unwrap_or_default();
        if word.is_empty() || !after.starts_with("__") {
            // No escape begins here.
            let (plain, next) = at.split_at(underscores + word.len());
            unescaped.push_str(plain);
            rest = next;
            continue;
        }
        unescaped.push_str(at.get(..underscores - 2).unwrap_or_default());
        if let Some((written, _)) = ESCAPES.iter().find(|(_, known)| *known == word) {
            unescaped.push_str(written);
        } else if is_reserved(word) && name.len() == word.len() + 4 {
            unescaped.push_str(word);
        } else {
            return None;
        }
        rest = after.get(2..).unwrap_or_default();
    }
    unescaped.push_str(rest);
    Some(unescaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_found_again() {
        let check = |name: &str, expected: &str| {
            assert_eq!(escape(name).as_deref(), Some(expected), "{name}");
            assert_eq!(unescape(expected).as_deref(), Some(name), "{expected}");
        };
        check("a", "a");
        check("true", "__true__");
        check("namespace", "__namespace__");
        check("a.a", "a__dot__a");
        check("a-a", "a__dash__a");
        check("a__a", "a__underscores__a");
        check("a.-/__a", "a__dot____dash____slash____underscores__a");
        check("a._a", "a__dot___a");
        check("a__", "a__underscores__");
        check("_a", "_a");
        check("a_a_", "a_a_");
        check("int", "int");
    }

    #[test]
    fn what_has_no_escape_has_no_name() {
        for name in ["", "1a", "a b", "a@b", "a日"] {
            assert_eq!(escape(name), None, "{name}");
        }
        for name in ["a__nope__b", "a__true__"] {
            assert_eq!(unescape(name), None, "{name}");
        }
    }
}
