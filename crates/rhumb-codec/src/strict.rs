//! Strictness: handling of unknown and duplicate fields.

use std::collections::HashSet;
use std::fmt;

use rhumb_schema::text::quoted;

/// Handling of unknown and duplicate fields (`fieldValidation` in requests).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// They are passed over.
    #[default]
    Ignore,
    /// They are gathered; the object is still good.
    Warn,
    /// They are gathered, and make an error of the whole.
    Strict,
}

/// Maximum number of fields reported per object.
const MAX_NOTES: usize = 100;

/// Unknown and duplicate fields found, with their full paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    on: bool,
    path: String,
    lengths: Vec<usize>,
    known: HashSet<String>,
    found: Vec<String>,
    kind_in_other_case: bool,
}

impl Notes {
    pub(crate) fn new(strictness: Strictness) -> Self {
        Notes { on: strictness != Strictness::Ignore, ..Notes::default() }
    }

    /// Returns the messages in Kubernetes' words: `unknown field "spec.foo"`.
    pub fn found(&self) -> &[String] {
        &self.found
    }

    /// Returns the messages by value.
    pub fn into_found(self) -> Vec<String> {
        self.found
    }

    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    #[inline]
    pub(crate) fn enter_field(&mut self, name: &str) {
        if self.on {
            self.lengths.push(self.path.len());
            if !self.path.is_empty() {
                self.path.push('.');
            }
            self.path.push_str(name);
        }
    }

    #[inline]
    pub(crate) fn enter_index(&mut self, index: usize) {
        if self.on {
            self.lengths.push(self.path.len());
            self.path.push_str(&format!("[{index}]"));
        }
    }

    #[inline]
    pub(crate) fn leave(&mut self) {
        if self.on {
            self.shorten();
        }
    }

    #[inline(never)]
    fn shorten(&mut self) {
        if let Some(length) = self.lengths.pop() {
            self.path.truncate(length);
        }
    }

    /// Notes a field that was entered before in the same object.
    pub(crate) fn seen(&mut self, seen: &mut Vec<(usize, usize)>, place: (usize, usize)) {
        if seen.contains(&place) {
            self.duplicate();
        } else {
            seen.push(place);
        }
    }

    /// Notes the entered field as a duplicate.
    pub(crate) fn duplicate(&mut self) {
        if self.takes_notes() {
            self.note(format!("duplicate field {}", quoted(&self.path)));
        }
    }

    /// Notes a field that is not known.
    pub(crate) fn unknown(&mut self, name: &str) {
        if self.takes_notes() {
            self.enter_field(name);
            self.note(format!("unknown field {}", quoted(&self.path)));
            self.leave();
        }
    }

    /// Looks at a key of the outermost object that no field has. Kubernetes looks for the kind without regard to
    /// case, though for nothing else.
    pub(crate) fn outermost_unknown(&mut self, key: &str) {
        self.kind_in_other_case |= crate::json::type_meta_name(key).is_some();
    }

    /// Reports whether the outermost object has a key that differs from `kind` or `apiVersion` by case alone.
    pub(crate) fn has_kind_in_other_case(&self) -> bool {
        self.kind_in_other_case
    }

    /// Puts a complaint that was found elsewhere before all others.
    pub(crate) fn note_first(&mut self, text: String) {
        self.found.insert(0, text);
    }

    /// Reports whether another complaint would be kept.
    fn takes_notes(&self) -> bool {
        self.on && self.found.len() < MAX_NOTES
    }

    /// Adds a complaint, once.
    fn note(&mut self, text: String) {
        if self.known.insert(text.clone()) {
            self.found.push(text);
        }
    }
}

/// Error: unknown or duplicate fields in strict decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictError(pub Vec<String>);

impl fmt::Display for StrictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "strict decoding error: {}", self.0.join(", "))
    }
}

impl std::error::Error for StrictError {}
