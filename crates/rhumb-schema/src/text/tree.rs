//! JSON trees of raw JSON fields.

use serde_json::{Map, Number, Value as Json};

use super::scan::{Scanner, SyntaxError};
use crate::MAX_DEPTH;

/// Returns the tree of one JSON value. Nothing is lost: a number that no 64 bits hold becomes its text.
///
/// # Errors
/// If the text is no JSON, or nested too deeply.
pub fn parse_tree(json: &[u8]) -> Result<Json, SyntaxError> {
    let mut scanner = Scanner::whole(json);
    let tree = value(&mut scanner, 0)?;
    scanner.end()?;
    Ok(tree)
}

fn value(scanner: &mut Scanner<'_>, depth: usize) -> Result<Json, SyntaxError> {
    if depth > MAX_DEPTH {
        return Err(scanner.depth_error());
    }
    Ok(match scanner.peek() {
        Some(b'"') => Json::String(scanner.string()?.into_owned()),
        Some(b'{') => {
            scanner.bump();
            let mut object = Map::new();
            let mut first = true;
            while scanner.next_entry(first)? {
                first = false;
                let key = scanner.key()?.into_owned();
                object.insert(key, value(scanner, depth + 1)?);
            }
            Json::Object(object)
        }
        Some(b'[') => {
            scanner.bump();
            let mut items = Vec::new();
            while scanner.next_element(items.is_empty())? {
                items.push(value(scanner, depth + 1)?);
            }
            Json::Array(items)
        }
        Some(b'-' | b'0'..=b'9') => {
            let text = scanner.number()?;
            tree_number(text).map_or_else(|| Json::from(text), Json::Number)
        }
        _ => match scanner.literal()? {
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            _ => Json::Null,
        },
    })
}

/// Integers stay integers as long as 64 bits hold them; everything else is a float, as in Kubernetes. `None` if it is
/// too large for one.
pub fn tree_number(text: &str) -> Option<Number> {
    if let Ok(value) = text.parse::<i64>() {
        return Some(value.into());
    }
    if let Ok(value) = text.parse::<u64>() {
        return Some(value.into());
    }
    Number::from_f64(text.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RawJson, to_tree};

    #[test]
    fn raw_json_that_other_readers_refuse_is_not_lost() {
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        assert!(to_tree(&RawJson(deep.into_bytes())).is_array());
        assert_eq!(to_tree(&RawJson(b"{\"a\":1e400}".to_vec())), serde_json::json!({ "a": "1e400" }));
    }

    #[test]
    fn integers_stay_integers() {
        let tree = parse_tree(b"[9007199254740993,18446744073709551615,1.5,-0]").expect("JSON");
        assert_eq!(tree.to_string(), "[9007199254740993,18446744073709551615,1.5,0]");
    }
}
