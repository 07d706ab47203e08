//! Errors of YAML documents in go-yaml's words.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// Error of converting a YAML document to JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum YamlError {
    /// The text is not YAML.
    Syntax {
        /// The line as go-yaml counts it, which is absent for the first line and for unreadable bytes.
        line: Option<usize>,
        /// The problem.
        problem: Cow<'static, str>,
    },
    /// The text is YAML, but what it says makes no sense: an unknown anchor, a tag that does not fit, too many
    /// aliases, a mapping used as a key.
    Content(String),
    /// Keys occur more than once in a mapping, and the caller asked for that to be refused.
    DuplicateKeys(Vec<DuplicateKey>),
    /// A key, such as null, that JSON has no text for.
    UnsupportedKey(String),
    /// A number, such as infinity, that JSON has no text for.
    UnsupportedValue(&'static str),
}

/// A duplicate key of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The line of the later value, counted from one.
    pub line: usize,
    /// The key as Go prints it: strings in quotes, numbers and booleans bare.
    pub key: String,
}

impl fmt::Display for DuplicateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: key {} already set in map", self.line, self.key)
    }
}

/// A boxed error, since most calls of the parser can fail and few do.
#[derive(Debug)]
pub(super) struct Fault(Box<YamlError>);

impl From<Fault> for YamlError {
    fn from(fault: Fault) -> YamlError {
        *fault.0
    }
}

impl Fault {
    fn new(line: Option<usize>, problem: Cow<'static, str>) -> Fault {
        Fault(Box::new(YamlError::Syntax { line, problem }))
    }

    /// Returns an error found while cutting tokens; `line` counts from zero.
    pub(super) fn at_scanner_line(line: usize, problem: &'static str) -> Fault {
        Fault::new((line > 0).then_some(line + 1), Cow::Borrowed(problem))
    }

    /// Returns an error found while putting tokens together, for which go-yaml names the line before.
    pub(super) fn at_parser_line(line: usize, problem: &'static str) -> Fault {
        Fault::new((line > 0).then_some(line), Cow::Borrowed(problem))
    }

    pub(super) fn too_deep(line: usize, limit: usize) -> Fault {
        let problem = Cow::Owned(format!("exceeded max depth of {limit}"));
        Fault::new((line > 0).then_some(line + 1), problem)
    }
}

impl YamlError {
    pub(super) fn unreadable(problem: &'static str) -> YamlError {
        YamlError::Syntax { line: None, problem: Cow::Borrowed(problem) }
    }
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            YamlError::Syntax { line: Some(line), problem } => write!(f, "yaml: line {line}: {problem}"),
            YamlError::Syntax { line: None, problem } => write!(f, "yaml: {problem}"),
            YamlError::Content(problem) => write!(f, "yaml: {problem}"),
            YamlError::DuplicateKeys(keys) => write_duplicates(keys, f),
            YamlError::UnsupportedKey(problem) => f.write_str(problem),
            YamlError::UnsupportedValue(value) => write!(f, "json: unsupported value: {value}"),
        }
    }
}

fn write_duplicates(keys: &[DuplicateKey], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("yaml: unmarshal errors:")?;
    keys.iter().try_for_each(|key| write!(f, "\n  {key}"))
}

impl Error for YamlError {}
