//! Regular expressions in Go's syntax.
//!
//! Go and the engine here share their roots (RE2), but not every escape, and not their words for what is wrong.
//! A pattern is read by Go's grammar, which finds its errors, and written anew in the engine's (`reader`). Texts are
//! matched in time linear in their length, and the work ends when nobody wants its outcome any more (`matcher`).

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rhumb_schema::budget;

pub(crate) use matcher::Matcher;

mod matcher;
mod reader;

/// Maximum repetition count in Go, also of nested repetitions.
const MAX_REPEAT: u64 = 1000;
/// Maximum nesting depth of groups in Go.
const MAX_DEPTH: usize = 1000;
/// Maximum length of a compiled expression.
const MAX_TEXT: usize = 256 << 10;
/// Maximum compilation work of an expression's character classes, in thousands of characters.
const MAX_WORK: u64 = 50_000;
/// Maximum memory of all cached expressions; beyond it expressions are compiled on each use.
const MAX_KEPT: usize = 64 << 20;

/// Memory of the cached expressions.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// Checks that Go would take a pattern.
///
/// # Errors
/// If it would not.
pub fn check(pattern: &str) -> Result<(), PatternError> {
    reader::read(pattern).map(|_| ())
}

/// Error of a pattern, in Go's words.
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

/// A cached expression with its memory.
struct Kept {
    matcher: Box<Matcher>,
    memory: usize,
}

impl Kept {
    /// Counts the memory of an expression, if there is so much left; else gives it back.
    fn new(matcher: Box<Matcher>) -> Result<Self, Box<Matcher>> {
        let memory = matcher.memory();
        let relaxed = Ordering::Relaxed;
        let counted = KEPT
            .fetch_update(relaxed, relaxed, |kept| kept.checked_add(memory).filter(|kept| *kept <= MAX_KEPT));
        if counted.is_ok() { Ok(Kept { matcher, memory }) } else { Err(matcher) }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        KEPT.fetch_sub(self.memory, Ordering::Relaxed);
    }
}

/// Regular expression, compiled on first use.
pub(crate) struct Pattern {
    text: Box<str>,
    id: OnceLock<u64>,
    compiled: OnceLock<Result<Option<Kept>, PatternError>>,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        Pattern { text: text.into(), id: OnceLock::new(), compiled: OnceLock::new() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns a number of the text, which is made of it once.
    pub(crate) fn id(&self, make: impl FnOnce(&str) -> u64) -> u64 {
        *self.id.get_or_init(|| make(&self.text))
    }

    /// Reports whether the pattern matches anywhere in a text. One that can't be compiled although Go takes it would
    /// become too large; it restricts nothing.
    ///
    /// # Errors
    /// If Go would not take the pattern.
    pub(crate) fn matches(&self, text: &str) -> Result<bool, &PatternError> {
        if self.compiled.get().is_none() && !budget::is_stopped() {
            let made = match reader::read(&self.text) {
                Err(error) => Err(error),
                Ok(engine) => {
                    match engine.as_deref().and_then(Matcher::new).map(|matcher| Kept::new(Box::new(matcher)))
                    {
                        None => Ok(None),
                        Some(Ok(kept)) => Ok(Some(kept)),
                        Some(Err(matcher)) => return Ok(matcher.is_match(text)),
                    }
                }
            };
            // Somebody else may have been faster, with the same.
            drop(self.compiled.set(made));
        }
        match self.compiled.get() {
            Some(Ok(Some(kept))) => Ok(kept.matcher.is_match(text)),
            Some(Err(error)) => Err(error),
            Some(Ok(None)) | None => Ok(true),
        }
    }
}

#[cfg(test)]
mod tests;
