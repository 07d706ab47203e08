//! Regular expressions as Go reads them.
//!
//! Go and the engine here share their roots (RE2), but not every escape, and not their words for what is wrong.
//! A pattern is read by Go's grammar, which finds its errors, and written anew in the engine's (`reader`). Texts are
//! matched in time linear in their length, and the work ends when nobody wants its outcome any more (`matcher`).

use std::fmt;

pub use find::Finder;
use matcher::Matcher;

mod find;
mod matcher;
mod reader;

/// The most repetitions that Go allows, also of a repetition within others.
const MAX_REPEAT: u64 = 1000;
/// How deep groups may nest in Go.
const MAX_DEPTH: usize = 1000;
/// How long an expression may be that is compiled.
const MAX_TEXT: usize = 256 << 10;
/// How much work the classes of an expression may be that is compiled, in some thousand letters.
const MAX_WORK: u64 = 50_000;

/// What is wrong with a pattern, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PatternError {
    problem: &'static str,
    place: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error parsing regexp: {}: `{}`", self.problem, self.place)
    }
}

impl std::error::Error for PatternError {}

/// A compiled regular expression.
pub struct Pattern(Matcher);

impl Pattern {
    /// Compiles an expression.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        reader::read(text)?.and_then(|engine| Matcher::new(&engine)).map(Self).ok_or_else(|| PatternError {
            problem: "expression too large",
            place: text.chars().take(128).collect(),
        })
    }

    /// Returns whether the expression matches anywhere in a text, or nothing if `stop` said so.
    pub fn is_match(&self, text: &str, stop: &mut dyn FnMut() -> bool) -> Option<bool> {
        self.0.is_match(text, stop)
    }

    /// Returns how many bytes the compiled expression takes, at most.
    pub fn memory(&self) -> usize {
        self.0.memory()
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pattern")
    }
}

#[cfg(test)]
mod tests;
