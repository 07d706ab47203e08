//! Field selectors: select objects of lists and watches by a few of their fields.
//!
//! A selector is a list of terms `field=value` or `field!=value`, all of which must hold. Which fields a kind
//! offers is not known here; [`Selector::transform`] lets the kind rename or refuse them. A backslash in a
//! value makes a comma, an equals sign or another backslash part of it. Field names have no such escape.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::str::FromStr;

#[cfg(test)]
mod tests;

/// Maximum length of a parsed selector; request lines are shorter in practice.
pub const MAX_SELECTOR_BYTES: usize = 1024 * 1024;

/// Maximum number of terms of a parsed selector.
pub const MAX_TERMS: usize = 16 * 1024;

/// Operator of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// The field has the value; written `=` or `==`.
    Equals,
    /// The field has another value.
    NotEquals,
}

impl Operator {
    /// Returns the sign the operator prints as.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equals => "=",
            Self::NotEquals => "!=",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A term of a selector.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Requirement {
    /// The field, for example `metadata.name`.
    pub field: String,
    /// The operator.
    pub operator: Operator,
    /// The value, without escapes.
    pub value: String,
}

impl Requirement {
    /// Reports whether a field with that value meets the requirement; an absent field has the empty value.
    pub fn matches(&self, value: Option<&str>) -> bool {
        let equal = value.unwrap_or_default() == self.value;
        equal == (self.operator == Operator::Equals)
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.field, self.operator, escape_value(&self.value))
    }
}

/// Field selector.
///
/// The terms of a selector read from text are sorted by the text they were written as.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selector {
    terms: Terms,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Terms {
    /// All terms must match; an empty list selects everything.
    All(Vec<Requirement>),
    /// Selects no object whatever its fields.
    Nothing,
}

impl Selector {
    /// Returns a selector of all objects.
    pub const fn everything() -> Self {
        Self { terms: Terms::All(Vec::new()) }
    }

    /// Returns a selector of no objects.
    pub const fn nothing() -> Self {
        Self { terms: Terms::Nothing }
    }

    /// Selects the objects that meet all requirements.
    pub fn new(requirements: Vec<Requirement>) -> Self {
        Self { terms: Terms::All(requirements) }
    }

    /// Selects the objects with that value in that field.
    pub fn equal(field: impl Into<String>, value: impl Into<String>) -> Self {
        Self::term(field.into(), Operator::Equals, value.into())
    }

    /// Selects the objects with another value in that field.
    pub fn not_equal(field: impl Into<String>, value: impl Into<String>) -> Self {
        Self::term(field.into(), Operator::NotEquals, value.into())
    }

    fn term(field: String, operator: Operator, value: String) -> Self {
        Self::new(vec![Requirement { field, operator, value }])
    }

    /// Selects the objects that have all these values in these fields.
    pub fn from_set(fields: &BTreeMap<String, String>) -> Self {
        let equals = |(field, value): (&String, &String)| Requirement {
            field: field.clone(),
            operator: Operator::Equals,
            value: value.clone(),
        };
        Self::new(fields.iter().map(equals).collect())
    }

    /// Reads a selector such as `metadata.name=web,status.phase!=Running`.
    ///
    /// The empty text selects everything, and empty terms are skipped.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if text.len() > MAX_SELECTOR_BYTES {
            return Err(ParseError::TooLong { bytes: text.len() });
        }
        let mut terms = split_terms(text);
        if terms.len() > MAX_TERMS {
            return Err(ParseError::TooManyTerms);
        }
        terms.sort_unstable();
        let mut requirements = Vec::with_capacity(terms.len());
        for term in terms {
            let Some((field, operator, value)) = split_term(term) else {
                return Err(ParseError::NotUnderstood { selector: text.to_owned(), term: term.to_owned() });
            };
            let value = unescape_value(value)?;
            // A sign alone says nothing about any field.
            if !(field.is_empty() && value.is_empty()) {
                requirements.push(Requirement { field: field.to_owned(), operator, value });
            }
        }
        Ok(Self::new(requirements))
    }

    /// Selects the objects that both selectors select.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self.terms, other.terms) {
            (Terms::All(mut requirements), Terms::All(more)) => {
                requirements.extend(more);
                Self::new(requirements)
            }
            _ => Self::nothing(),
        }
    }

    /// Reports whether an object with these fields is selected.
    pub fn matches(&self, fields: &BTreeMap<String, String>) -> bool {
        self.matches_with(|field| fields.get(field).map(String::as_str))
    }

    /// Reports whether an object is selected whose fields are found by `lookup`; an absent field has the empty value.
    pub fn matches_with<'a>(&self, lookup: impl Fn(&str) -> Option<&'a str>) -> bool {
        match &self.terms {
            Terms::Nothing => false,
            Terms::All(requirements) => {
                requirements.iter().all(|requirement| requirement.matches(lookup(&requirement.field)))
            }
        }
    }

    /// Reports whether every object is selected because there are no terms.
    pub fn is_empty(&self) -> bool {
        matches!(&self.terms, Terms::All(requirements) if requirements.is_empty())
    }

    /// Reports whether this is [`Selector::nothing`].
    pub fn matches_nothing(&self) -> bool {
        self.terms == Terms::Nothing
    }

    /// Returns the terms; none for [`Selector::nothing`] too.
    pub fn requirements(&self) -> &[Requirement] {
        match &self.terms {
            Terms::All(requirements) => requirements,
            Terms::Nothing => &[],
        }
    }

    /// Returns the value that a term requires the field to have.
    pub fn requires_exact_match(&self, field: &str) -> Option<&str> {
        let exact = |term: &&Requirement| term.operator == Operator::Equals && term.field == field;
        self.requirements().iter().find(exact).map(|term| term.value.as_str())
    }

    /// Replaces the field and value of every term by what the function makes of them.
    ///
    /// A kind uses this to rename fields, to bring values into a normal form and to refuse unknown fields. A
    /// term whose field and value both become empty is dropped.
    pub fn transform<E>(
        &self,
        mut change: impl FnMut(&str, &str) -> Result<(String, String), E>,
    ) -> Result<Self, E> {
        let Terms::All(requirements) = &self.terms else { return Ok(Self::nothing()) };
        let mut changed = Vec::with_capacity(requirements.len());
        for requirement in requirements {
            let (field, value) = change(&requirement.field, &requirement.value)?;
            if !(field.is_empty() && value.is_empty()) {
                changed.push(Requirement { field, operator: requirement.operator, value });
            }
        }
        Ok(Self::new(changed))
    }
}

impl Default for Selector {
    fn default() -> Self {
        Self::everything()
    }
}

/// Prints the form that [`Selector::parse`] reads; [`Selector::nothing`], which has none, prints as empty.
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, requirement) in self.requirements().iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            requirement.fmt(f)?;
        }
        Ok(())
    }
}

impl FromStr for Selector {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

/// Error of parsing a field selector.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseError {
    /// A term has no operator.
    NotUnderstood {
        /// The whole text.
        selector: String,
        /// The term in question.
        term: String,
    },
    /// A value has a backslash that escapes nothing that needs it.
    InvalidEscape {
        /// The backslash with what follows it.
        sequence: String,
    },
    /// A value has a comma or an equals sign without a backslash.
    Unescaped(char),
    /// The text is longer than [`MAX_SELECTOR_BYTES`].
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// More than [`MAX_TERMS`] terms.
    TooManyTerms,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUnderstood { selector, term } => {
                write!(f, "invalid selector: '{selector}'; can't understand '{term}'")
            }
            Self::InvalidEscape { sequence } => {
                write!(f, "invalid field selector: invalid escape sequence: {sequence}")
            }
            // The character appears as its number, which is what clients have always been told.
            Self::Unescaped(character) => {
                write!(f, "invalid field selector: unescaped character in value: {}", u32::from(*character))
            }
            Self::TooLong { bytes } => {
                write!(f, "the field selector has {bytes} bytes, more than the limit of {MAX_SELECTOR_BYTES}")
            }
            Self::TooManyTerms => write!(f, "the field selector has more than {MAX_TERMS} terms"),
        }
    }
}

impl Error for ParseError {}

/// Puts a backslash before every character that has a meaning in a selector.
pub fn escape_value(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        if is_special(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Removes the backslashes that [`escape_value`] puts.
pub fn unescape_value(text: &str) -> Result<String, ParseError> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some(escaped) if is_special(escaped) => out.push(escaped),
                other => {
                    return Err(ParseError::InvalidEscape {
                        sequence: [c].into_iter().chain(other).collect(),
                    });
                }
            },
            ',' | '=' => return Err(ParseError::Unescaped(c)),
            c => out.push(c),
        }
    }
    Ok(out)
}

fn is_special(c: char) -> bool {
    matches!(c, '\\' | ',' | '=')
}

/// Cuts a selector at the commas that no backslash precedes, leaving out what is empty.
fn split_terms(text: &str) -> Vec<&str> {
    let mut escaped = false;
    let terms = text.split(|c| {
        let is_separator = c == ',' && !escaped;
        escaped = c == '\\' && !escaped;
        is_separator
    });
    terms.filter(|term| !term.is_empty()).collect()
}

/// Cuts a term at its first operator.
fn split_term(term: &str) -> Option<(&str, Operator, &str)> {
    let (before, after) = term.split_once('=')?;
    Some(match before.strip_suffix('!') {
        Some(field) => (field, Operator::NotEquals, after),
        None => (before, Operator::Equals, after.strip_prefix('=').unwrap_or(after)),
    })
}
