//! Collected problems, deduplicated and limited to what a response can hold.
//!
//! Alternatives are tried and thrown away, and every level of a value hands on what is wrong below. So a problem keeps
//! references to values, patterns and choices, and they are put into words only when it is told.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::LazyLock;

use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{BadValue, FieldErrors, FieldPath};
use serde_json::Value as Json;

use super::place::Place;
use super::shown;
use crate::choices::Choices;
use crate::pattern::{Pattern, PatternError};

/// Maximum number of problems per value; a response ends after a mebibyte of them.
const MAX_PROBLEMS: usize = 20_000;
/// Maximum size of their own texts.
const MAX_WORDS: usize = 4 << 20;
/// Number of problems up to which they are compared one by one.
const FEW: usize = 8;

/// Hash keys for comparing problems.
static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// A problem with its message.
pub(super) struct Problem<'a> {
    kind: Kind<'a>,
    /// Path from the value.
    place: String,
    value: Value<'a>,
    told: Told<'a>,
    /// Identity: problems of the same words are equal.
    id: u64,
}

pub(super) enum Kind<'a> {
    Required,
    Choice(&'a Choices),
    TooLong(i64),
    TooMany(usize, i64),
    Type,
    Other,
    /// Told without its place.
    Plain,
}

/// The displayed value.
pub(super) enum Value<'a> {
    /// None.
    None,
    Json(&'a Json),
    String(&'a str),
    /// Formatted text.
    Text(String),
}

impl BadValue for Value<'_> {
    fn shown(&self) -> String {
        match self {
            Value::None => String::new(),
            Value::Json(value) => shown(value),
            Value::String(text) => text.shown(),
            Value::Text(text) => text.clone(),
        }
    }
}

/// The message after the path.
pub(super) enum Told<'a> {
    /// Complete text.
    Text(String),
    Choices(&'a Choices),
    Format(&'a str, &'a str),
    Forbidden(&'a str),
    Pattern(&'a Pattern),
    BadPattern(&'a str, &'a PatternError),
}

impl Told<'_> {
    fn text(&self, place: &str) -> String {
        match self {
            Told::Text(text) => text.clone(),
            Told::Choices(all) => format!("{place} in body should be one of [{}]", all.joined()),
            Told::Format(name, text) => {
                format!("{place} in body must be of type {name}: {}", quoted(text))
            }
            Told::Forbidden(name) => format!("{place}.{name} in body is a forbidden property"),
            Told::Pattern(pattern) => format!("{place} in body should match '{}'", pattern.text()),
            Told::BadPattern(pattern, error) => {
                format!("{place} in body should match '{pattern}, but pattern is invalid: {error}'")
            }
        }
    }

    /// Hashes the words. Parts from the schema are hashed once.
    fn hash(&self, hasher: &mut impl Hasher) {
        match self {
            Told::Text(text) => (0, text).hash(hasher),
            Told::Choices(all) => (1, all.id(|text| KEYS.hash_one(text))).hash(hasher),
            Told::Format(name, text) => (2, name, text).hash(hasher),
            Told::Forbidden(name) => (3, name).hash(hasher),
            Told::Pattern(pattern) => (4, pattern.id(|text| KEYS.hash_one(text))).hash(hasher),
            Told::BadPattern(pattern, _) => (5, pattern).hash(hasher),
        }
    }

    /// Returns the size of its own texts.
    fn size(&self) -> usize {
        if let Told::Text(text) = self { text.len() } else { 0 }
    }
}

impl<'a> Problem<'a> {
    pub(super) fn new(kind: Kind<'a>, place: &Place<'_>, value: Value<'a>, text: String) -> Self {
        Problem::with(kind, place, value, Told::Text(text))
    }

    pub(super) fn with(kind: Kind<'a>, place: &Place<'_>, value: Value<'a>, told: Told<'a>) -> Self {
        Problem::at(kind, place.text(), value, told)
    }

    fn at(kind: Kind<'a>, place: String, value: Value<'a>, told: Told<'a>) -> Self {
        let mut hasher = KEYS.build_hasher();
        // Words in full have the place in them, if they have one.
        if !matches!(told, Told::Text(_)) {
            place.hash(&mut hasher);
        }
        told.hash(&mut hasher);
        Problem { kind, place, value, told, id: hasher.finish() }
    }

    pub(super) fn tell(self, path: &FieldPath, errors: &mut FieldErrors) {
        if errors.is_full() {
            // One more is counted, and nobody reads it.
            return errors.forbidden(path, "");
        }
        let place = self.place.strip_prefix('.').unwrap_or(&self.place);
        let at = if place.is_empty() { path.clone() } else { path.child(place) };
        let size = |number: i64| usize::try_from(number).unwrap_or_default();
        let text = || self.told.text(&self.place);
        match &self.kind {
            Kind::Required => errors.required(&at, ""),
            Kind::Choice(choices) => errors.not_supported(&at, &self.value, &choices.names()),
            Kind::TooLong(maximum) => errors.too_long(&at, size(*maximum)),
            Kind::TooMany(actual, maximum) => errors.too_many(&at, *actual, size(*maximum)),
            Kind::Type => errors.type_invalid(&at, &self.value, &text()),
            Kind::Other => errors.invalid(&at, &self.value, &text()),
            Kind::Plain => errors.invalid(path, "", &text()),
        }
    }
}

/// Problems found, and how much of the schema matched: among alternatives, the best match is reported.
#[derive(Default)]
pub(super) struct Outcome<'a> {
    problems: Vec<Problem<'a>>,
    /// Which they are, once there are more than a few.
    known: HashSet<u64>,
    words: usize,
    pub(super) matches: usize,
}

impl<'a> Outcome<'a> {
    pub(super) fn add(&mut self, problem: Problem<'a>) {
        if self.problems.len() >= MAX_PROBLEMS || self.words >= MAX_WORDS {
            return;
        }
        if self.problems.len() < FEW {
            if self.problems.iter().any(|known| known.id == problem.id) {
                return;
            }
        } else {
            if self.known.is_empty() {
                self.known.extend(self.problems.iter().map(|problem| problem.id));
            }
            if !self.known.insert(problem.id) {
                return;
            }
        }
        self.words += problem.place.len() + problem.told.size();
        self.problems.push(problem);
    }

    pub(super) fn other(&mut self, place: &Place<'_>, value: Value<'a>, text: String) {
        self.add(Problem::new(Kind::Other, place, value, text));
    }

    pub(super) fn told(&mut self, place: &Place<'_>, value: Value<'a>, told: Told<'a>) {
        self.add(Problem::with(Kind::Other, place, value, told));
    }

    pub(super) fn plain(&mut self, text: String) {
        self.add(Problem::at(Kind::Plain, String::new(), Value::None, Told::Text(text)));
    }

    pub(super) fn merge(&mut self, mut other: Outcome<'a>) {
        self.matches += other.matches;
        if self.problems.is_empty() {
            other.matches = self.matches;
            *self = other;
            return;
        }
        other.problems.into_iter().for_each(|problem| self.add(problem));
    }

    pub(super) fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn clear(&mut self) {
        *self = Outcome { matches: self.matches, ..Outcome::default() };
    }

    pub(super) fn into_problems(self) -> impl Iterator<Item = Problem<'a>> {
        self.problems.into_iter()
    }
}
