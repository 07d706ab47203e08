//! Label sets as text, for tables and command lines.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use super::requirement::{Violation, key_violation, value_violation};

/// Error of parsing a label set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseSetError {
    /// An entry is not a key, an equals sign and a value; it is given cut at its equals signs.
    NotAnEqualPair(Vec<String>),
    /// A key or a value is not legal.
    Violation(Violation),
}

impl fmt::Display for ParseSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnEqualPair(pieces) => write!(f, "invalid selector: [{}]", pieces.join(" ")),
            Self::Violation(violation) => violation.fmt(f),
        }
    }
}

impl Error for ParseSetError {}

/// Writes labels as `key=value` separated by commas, or `<none>` when there are none.
pub fn format_labels(labels: &BTreeMap<String, String>) -> String {
    if labels.is_empty() {
        return "<none>".to_owned();
    }
    let mut pairs: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    // Not the order of the keys: `a.b=…` comes before `a=…`, since the sign is part of what is compared.
    pairs.sort_unstable();
    pairs.join(",")
}

/// Reads labels written as `key=value` separated by commas; of a repeated key the last value counts.
pub fn parse_set(text: &str) -> Result<BTreeMap<String, String>, ParseSetError> {
    let mut labels = BTreeMap::new();
    if text.is_empty() {
        return Ok(labels);
    }
    for entry in text.split(',') {
        let pieces: Vec<&str> = entry.split('=').collect();
        let [key, value] = pieces.as_slice() else {
            return Err(ParseSetError::NotAnEqualPair(pieces.into_iter().map(str::to_owned).collect()));
        };
        let (key, value) = (key.trim(), value.trim());
        let wrong =
            key_violation("<nil>".to_owned(), key).or_else(|| value_violation(format!("[{key}]"), value));
        if let Some(violation) = wrong {
            return Err(ParseSetError::Violation(violation));
        }
        labels.insert(key.to_owned(), value.to_owned());
    }
    Ok(labels)
}
