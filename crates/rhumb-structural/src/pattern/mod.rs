//! Regular expressions as Go reads them.
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

/// The most repetitions that Go allows, also of a repetition within others.
const MAX_REPEAT: u64 = 1000;
/// How deep groups may nest in Go.
const MAX_DEPTH: usize = 1000;
/// How long an expression may be that is compiled.
const MAX_TEXT: usize = 256 << 10;
/// How much work the classes of an expression may be that is compiled, in some thousand letters.
const MAX_WORK: u64 = 50_000;
/// How much memory all compiled expressions may hold together. Beyond it one is compiled whenever it is asked.
const MAX_KEPT: usize = 64 << 20;

/// What the compiled expressions hold.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// Checks that Go would take a pattern.
///
/// # Errors
/// If it would not.
pub fn check(pattern: &str) -> Result<(), PatternError> {
    reader::read(pattern).map(|_| ())
}

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

/// A compiled expression whose memory is counted.
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

/// A regular expression, which is compiled when it is first asked: most of them never are.
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

    /// A number of the text, which is made of it once.
    pub(crate) fn id(&self, make: impl FnOnce(&str) -> u64) -> u64 {
        *self.id.get_or_init(|| make(&self.text))
    }

    /// Whether the pattern matches anywhere in a text. One that can't be compiled although Go takes it would
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
