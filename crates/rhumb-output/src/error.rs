//! Why an object can't be printed.

use std::fmt;
use std::io;

/// Why an object can't be printed. Its text is what kubectl says.
#[derive(Debug)]
#[non_exhaustive]
pub enum PrintError {
    /// The output can't be written to.
    Write(io::Error),
    /// The object says neither its version nor its kind.
    Untyped,
}

impl fmt::Display for PrintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrintError::Write(error) => error.fmt(f),
            PrintError::Untyped => f.write_str(
                "missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type",
            ),
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
