//! Problems and their positions in source files.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A position in a source file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as it was found from the paths that were given.
    pub file: Arc<Path>,
    /// The line, counted from 1.
    pub line: usize,
    /// Text of the line.
    pub text: Arc<str>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Position, if known.
    pub place: Option<Place>,
    /// Message with advice.
    pub message: String,
}

impl Problem {
    /// Creates a problem at a position.
    pub fn at(place: &Place, message: impl Into<String>) -> Self {
        Problem { place: Some(place.clone()), message: message.into() }
    }

    /// Creates a problem without a position.
    pub fn new(message: impl Into<String>) -> Self {
        Problem { place: None, message: message.into() }
    }

    /// Creates a problem of a file.
    pub fn file(file: &Path, what: impl fmt::Display) -> Self {
        Problem::new(format!("{}: {what}", file.display()))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(place) = &self.place else { return f.write_str(&self.message) };
        write!(f, "{place}: {}", self.message)?;
        let text = place.text.trim();
        if !text.is_empty() {
            write!(f, "\n  {:>5} | {text}", place.line)?;
        }
        Ok(())
    }
}

/// One or more problems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

/// Result that fails with all problems at once.
pub type Outcome<T> = Result<T, Problems>;

impl Problems {
    /// Adds one.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Takes what an outcome holds, and its problems if it holds nothing.
    pub fn take<T>(&mut self, outcome: Outcome<T>) -> Option<T> {
        outcome.map_err(|problems| self.0.extend(problems.0)).ok()
    }

    /// Returns the value, if nothing is wrong.
    ///
    /// # Errors
    /// What is wrong, in the order of files and lines.
    pub fn or<T>(mut self, value: T) -> Outcome<T> {
        if self.0.is_empty() {
            return Ok(value);
        }
        self.0.sort_by(|one, other| one.place.cmp(&other.place));
        self.0.dedup();
        Err(self)
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Problems(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            write!(f, "{end}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Returns a file's path as people write it: seen from the directory they work in.
pub fn shown(path: &Path) -> PathBuf {
    let shown =
        std::env::current_dir().ok().and_then(|here| Some(path.strip_prefix(here).ok()?.to_path_buf()));
    shown.filter(|path| !path.as_os_str().is_empty()).unwrap_or_else(|| path.to_path_buf())
}
