//! The configuration file: YAML with the names of the flags.

use std::fmt;

use rhumb_codec::yaml;
use serde_json::Value;

use super::{SETTINGS, Takes};

/// Why a configuration file can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileError {
    /// It is no YAML.
    Malformed(String),
    /// It is something other than names with values.
    NoMapping,
    /// It has a name that means nothing.
    Unknown(String),
    /// A value is of a kind that the setting doesn't take.
    Value(String),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(why) => write!(f, "it is malformed: {why}"),
            Self::NoMapping => f.write_str("it has to consist of settings and their values"),
            Self::Unknown(name) => write!(f, "there is no setting {name:?}"),
            Self::Value(name) => write!(f, "the setting {name:?} can't have a value of this kind"),
        }
    }
}

impl std::error::Error for FileError {}

/// The settings of a file and their values, in the words of the command line: lists become values with commas between
/// them, and a mapping becomes `key=value` pairs.
///
/// # Errors
/// If it is malformed or has settings that there are not.
pub fn read_file(content: &[u8]) -> Result<Vec<(&'static str, String)>, FileError> {
    let mut json = Vec::new();
    // A setting that stands twice is a mistake, and nobody knows which one was meant.
    let options = yaml::ReadOptions { duplicate_keys: yaml::DuplicateKeys::Reject, ..Default::default() };
    yaml::to_json(content, &options, &mut json).map_err(|error| FileError::Malformed(error.to_string()))?;
    let tree: Value =
        serde_json::from_slice(&json).map_err(|error| FileError::Malformed(error.to_string()))?;
    let settings = match tree {
        Value::Null => return Ok(Vec::new()),
        Value::Object(settings) => settings,
        _ => return Err(FileError::NoMapping),
    };
    let mut found = Vec::new();
    for (name, value) in settings {
        let setting = SETTINGS.iter().find(|setting| setting.name == name);
        let setting = setting.ok_or_else(|| FileError::Unknown(name.clone()))?;
        let text = match (setting.takes, &value) {
            (Takes::Nothing, Value::Bool(on)) => on.to_string(),
            (Takes::Nothing, _) => return Err(FileError::Value(name)),
            _ => text(&value).ok_or(FileError::Value(name))?,
        };
        found.push((setting.name, text));
    }
    Ok(found)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(_) | Value::Number(_) | Value::Bool(_) => scalar(value),
        Value::Array(items) => Some(items.iter().map(scalar).collect::<Option<Vec<_>>>()?.join(",")),
        Value::Object(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| Some(format!("{key}={}", scalar(value)?)));
            Some(pairs.collect::<Option<Vec<_>>>()?.join(","))
        }
        Value::Null => None,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(on) => Some(on.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_say_what_flags_say() {
        let content = b"listen: 127.0.0.1:0\nin-memory: true\ncontrollers: ['*', -namespace]\n\
                        runtime-config:\n  api/beta: true\n  apps/v1: false\n";
        let mut found = read_file(content).unwrap();
        found.sort();
        assert_eq!(
            found,
            [
                ("controllers", "*,-namespace".to_owned()),
                ("in-memory", "true".to_owned()),
                ("listen", "127.0.0.1:0".to_owned()),
                ("runtime-config", "api/beta=true,apps/v1=false".to_owned()),
            ]
        );
        assert_eq!(read_file(b"# nothing\n"), Ok(Vec::new()));
        assert_eq!(read_file(b"lisen: x"), Err(FileError::Unknown("lisen".to_owned())));
        assert_eq!(read_file(b"in-memory: yes please"), Err(FileError::Value("in-memory".to_owned())));
        assert_eq!(read_file(b"- a"), Err(FileError::NoMapping));
        assert!(matches!(read_file(b"listen: a\nlisten: b"), Err(FileError::Malformed(_))));
        assert!(matches!(read_file(b"a: ["), Err(FileError::Malformed(_))));
    }
}
