//! Decoding errors with their paths.

use std::fmt;

/// Step of a path to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A field, by its JSON name, of a struct of this name: the one whose JSON object it stands in.
    Field(&'static str, &'static str),
    /// An element of a list.
    Index(usize),
    /// An entry of a map.
    Key(String),
    /// A struct of this name whose fields stand in its parent's JSON object.
    Inlined(&'static str),
}

/// The problem.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A JSON value of another type stands there: what it is, and Go's name of what was wanted.
    Type(String, String),
    /// A leaf could not be read.
    Leaf(String),
    /// Another JSON type stands there than a leaf reads: what it is, and Go's name of what was wanted.
    LeafType(String, &'static str),
    /// A text is not base64 from this byte on.
    Base64(usize),
    /// Values are nested too deeply.
    Depth,
    /// The object takes too much memory for its size on the wire.
    Budget,
    /// The text is malformed.
    Syntax(String),
    /// The protobuf is malformed.
    Wire(crate::wire::WireError),
}

/// Decoding error with its path, innermost step first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The problem.
    pub problem: Problem,
    /// The steps from the place up to the root.
    pub path: Vec<Segment>,
}

impl DecodeError {
    /// Adds the step that leads to where the error was found.
    #[must_use]
    pub fn at(mut self, segment: Segment) -> Self {
        self.path.push(segment);
        self
    }

    /// Returns the dotted path from the root without list positions, as Go prints it.
    fn go_path(&self) -> String {
        let steps: Vec<&str> = self
            .path
            .iter()
            .rev()
            .filter_map(|segment| match segment {
                Segment::Field(_, name) | Segment::Inlined(name) if !name.is_empty() => Some(*name),
                _ => None,
            })
            .collect();
        steps.join(".")
    }

    fn write_unfit(&self, f: &mut fmt::Formatter<'_>, got: &str, want: &str) -> fmt::Result {
        let owner = self.path.iter().find_map(|segment| match segment {
            Segment::Field(owner, _) => Some(*owner),
            _ => None,
        });
        match owner {
            Some(owner) => write!(
                f,
                "json: cannot unmarshal {got} into Go struct field {owner}.{} of type {want}",
                self.go_path()
            ),
            None => write!(f, "json: cannot unmarshal {got} into Go value of type {want}"),
        }
    }
}

impl From<Problem> for DecodeError {
    fn from(problem: Problem) -> Self {
        DecodeError { problem, path: Vec::new() }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Type(got, want) => self.write_unfit(f, got, want),
            Problem::LeafType(got, want) => self.write_unfit(f, got, want),
            Problem::Leaf(text) | Problem::Syntax(text) => f.write_str(text),
            Problem::Base64(at) => write!(f, "illegal base64 data at input byte {at}"),
            Problem::Wire(error) => write!(f, "{error}"),
            Problem::Depth => f.write_str("exceeded max depth"),
            Problem::Budget => f.write_str("the object would take too much memory for its size; split it up"),
        }
    }
}

impl std::error::Error for DecodeError {}
