//! Errors of printing.

use std::fmt;
use std::io;

use rhumb_jsonpath::{EvalError, ParseError};
use rhumb_schema::text::SyntaxError;

use crate::sort_by::SortError;

/// Error of printing an object, in kubectl's words.
#[derive(Debug)]
#[non_exhaustive]
pub enum PrintError {
    /// The output can't be written to.
    Write(io::Error),
    /// The object says neither its version nor its kind.
    Untyped,
    /// The JSON text that came with an object is none.
    Json(SyntaxError),
    /// A JSONPath template can't be followed; the text has the template and the object.
    JsonPath(String),
    /// A Go template can't be executed; the text has the template.
    GoTemplate(String),
    /// The path of a column is malformed.
    ColumnPath(ParseError),
    /// The path of a column can't be followed.
    Column(EvalError),
    /// Error of sorting.
    Sort(SortError),
}

impl fmt::Display for PrintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrintError::Write(error) => error.fmt(f),
            PrintError::Untyped => f.write_str(
                "missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type",
            ),
            PrintError::Json(error) => error.fmt(f),
            PrintError::JsonPath(text) | PrintError::GoTemplate(text) => f.write_str(text),
            PrintError::ColumnPath(error) => error.fmt(f),
            PrintError::Column(error) => error.fmt(f),
            PrintError::Sort(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PrintError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PrintError::Write(error) => error.source(),
            _ => None,
        }
    }
}

impl From<io::Error> for PrintError {
    fn from(error: io::Error) -> PrintError {
        PrintError::Write(error)
    }
}
