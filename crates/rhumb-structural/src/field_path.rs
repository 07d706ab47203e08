//! Paths to fields of a schema: `.spec.replicas`, `.labels['a.b']`.

use std::fmt;

use rhumb_scheme::validation::FieldPath;
use serde_json::Value as Json;

/// A schema, as far as paths lead through it.
pub trait Fields: Copy {
    /// Returns where a name leads.
    fn step(self, name: &str) -> Step<Self>;
}

/// Where a name leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<S> {
    /// To a property.
    Property(S),
    /// To a value of a map, whose schema may not be known.
    Value(Option<S>),
    /// Nowhere.
    Unknown,
}

impl Fields for &Json {
    fn step(self, name: &str) -> Step<Self> {
        let properties = self.get("properties").and_then(Json::as_object).filter(|known| !known.is_empty());
        if let Some(properties) = properties {
            return properties.get(name).map_or(Step::Unknown, Step::Property);
        }
        match self.get("additionalProperties") {
            None | Some(Json::Null) => Step::Unknown,
            Some(additional) => Step::Value(Some(additional).filter(|schema| schema.is_object())),
        }
    }
}

/// Whether fields may stand in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Dots only.
    Dots,
    /// Dots, and names in quotes and brackets.
    Brackets,
}

/// Why a path leads nowhere, in the words of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPathError(String);

impl fmt::Display for FieldPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FieldPathError {}

/// Where a path leads: the path as errors print it, its first step, and what is known of the field. Of what stands in
/// a map without a schema nothing is known.
#[derive(Debug)]
pub struct Found<S> {
    /// The path as errors print it.
    pub path: FieldPath,
    /// The first step.
    pub first: String,
    /// What is known of the field.
    pub schema: Option<S>,
}

/// Follows a path from the schema of an object.
///
/// # Errors
/// If it is malformed, or leads to a field that the schema doesn't know.
pub fn find<S: Fields>(schema: S, path: &str, notation: Notation) -> Result<Found<S>, FieldPathError> {
    let fail = |text: &str| FieldPathError(text.to_owned());
    let end = || fail("unexpected end of JSON path");
    let mut found = Found { path: FieldPath::root(), first: String::new(), schema: Some(schema) };
    let mut rest = path;
    while let Some(token) = next_token(&mut rest) {
        let name = match token {
            "[" if notation == Notation::Dots => return Err(fail("array notation is not allowed")),
            "[" => {
                let token = next_token(&mut rest).ok_or_else(end)?;
                let inner = token.strip_prefix('\'').and_then(|token| token.strip_suffix('\''));
                let Some(inner) = inner else {
                    return Err(FieldPathError(format!("expected single quoted string but got {token}")));
                };
                unescape(inner)?
            }
            "." => next_token(&mut rest).ok_or_else(end)?.to_owned(),
            other => return Err(FieldPathError(format!("expected [ or . but got: {other}"))),
        };
        let schema = found.schema.ok_or_else(|| fail("does not refer to a valid field"))?;
        step(&mut found, schema, &name)?;
        if token == "[" {
            match next_token(&mut rest).ok_or_else(end)? {
                "]" => {}
                other => return Err(FieldPathError(format!("expected ] but got {other}"))),
            }
        }
    }
    Ok(found)
}

fn step<S: Fields>(found: &mut Found<S>, schema: S, name: &str) -> Result<(), FieldPathError> {
    if found.first.is_empty() {
        name.clone_into(&mut found.first);
    }
    (found.path, found.schema) = match schema.step(name) {
        Step::Property(schema) => (found.path.child(name), Some(schema)),
        Step::Value(schema) => (found.path.key(name), schema),
        Step::Unknown => return Err(FieldPathError("does not refer to a valid field".to_owned())),
    };
    Ok(())
}

/// Returns a delimiter, a text in single quotes, or what stands up to the next delimiter.
fn next_token<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let bytes = rest.as_bytes();
    let end = match bytes.first()? {
        b'.' | b'[' | b']' => 1,
        b'\'' => {
            let closing = (1..bytes.len()).find(|at| bytes[*at] == b'\'' && bytes[at - 1] != b'\\');
            closing.map_or(bytes.len(), |at| at + 1)
        }
        _ => bytes.iter().position(|byte| b".[]".contains(byte)).unwrap_or(bytes.len()),
    };
    let (token, after) = rest.split_at_checked(end)?;
    *rest = after;
    Some(token)
}

fn unescape(text: &str) -> Result<String, FieldPathError> {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => out.push(match letters.next() {
                Some(escaped @ ('\'' | '\\')) => escaped,
                Some('a') => '\u{7}',
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('v') => '\u{b}',
                other => {
                    let escape: String = Some('\\').into_iter().chain(other).collect();
                    return Err(FieldPathError(format!(
                        "invalid string literal: invalid escape char {escape}"
                    )));
                }
            }),
            other => out.push(other),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Json, Notation, find};

    fn widget() -> Json {
        json!({"properties": {"spec": {"properties": {
            "size": {"type": "integer"},
            "labels": {"additionalProperties": {"type": "string"}},
        }}}})
    }

    #[test]
    fn paths_lead_to_fields() {
        let widget = widget();
        let lead = |path: &str, notation: Notation| match find(&widget, path, notation) {
            Ok(found) => format!(
                "{} {}",
                found.path,
                found.schema.map_or("", |it| it["type"].as_str().unwrap_or_default())
            ),
            Err(error) => error.to_string(),
        };
        assert_eq!(lead(".spec.size", Notation::Dots), "spec.size integer");
        assert_eq!(lead(".spec.labels['a.b']", Notation::Brackets), "spec.labels[a.b] string");
        assert_eq!(lead(".spec['size']", Notation::Brackets), "spec.size integer");
        assert_eq!(lead(".spec['size'", Notation::Brackets), "unexpected end of JSON path");
        assert_eq!(lead(".spec[size]", Notation::Brackets), "expected single quoted string but got size");
        assert_eq!(lead(".spec['size']", Notation::Dots), "array notation is not allowed");
        assert_eq!(lead(".spec.'", Notation::Dots), "does not refer to a valid field");
    }

    #[test]
    fn hostile_paths_are_no_trouble() {
        for path in ["", ".", "..", "[", "['", "[']", ".ä['ö", "]", ".spec.", ".spec[", "'"] {
            drop(find(&widget(), path, Notation::Brackets));
        }
    }
}
