//! Label selectors.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::parse::{ParseError, parse};
use super::quote::quoted;
use super::requirement::{Operator, Requirement, RequirementError};

/// Label selector.
///
/// The requirements are sorted by key; those with the same key keep the order in which they were given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selector {
    terms: Terms,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Terms {
    /// All requirements must match; an empty list selects everything.
    All(Vec<Requirement>),
    /// Selects no object whatever its labels, which no requirement can express.
    Nothing,
}

/// An expression of a structured selector, with the operator as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expression<'a> {
    /// The key of the label.
    pub key: &'a str,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: &'a str,
    /// The values; only `In` and `NotIn` take some.
    pub values: &'a [String],
}

impl Selector {
    /// Returns a selector of all objects.
    pub const fn everything() -> Self {
        Self { terms: Terms::All(Vec::new()) }
    }

    /// Returns a selector of no objects, the meaning of an absent structured selector.
    pub const fn nothing() -> Self {
        Self { terms: Terms::Nothing }
    }

    /// Selects the objects that meet all requirements.
    pub fn new(mut requirements: Vec<Requirement>) -> Self {
        requirements.sort_by(|a, b| a.key().cmp(b.key()));
        Self { terms: Terms::All(requirements) }
    }

    /// Reads a selector such as `app=web,tier in (front,back),!legacy,generation>3`.
    ///
    /// The empty text selects everything.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        parse(text, None).map(Self::new)
    }

    /// Reads a selector as [`Selector::parse`] does; messages name `path` as the field that holds it.
    pub fn parse_at(text: &str, path: &str) -> Result<Self, ParseError> {
        parse(text, Some(path)).map(Self::new)
    }

    /// Selects the objects that have all these labels, without checking that the labels are legal.
    pub fn from_set(labels: &BTreeMap<String, String>) -> Self {
        let equals =
            |(key, value): (&String, &String)| Requirement::equals_unchecked(key.clone(), value.clone());
        Self::new(labels.iter().map(equals).collect())
    }

    /// Selects the objects that have all these labels, if the labels are legal.
    pub fn from_validated_set(labels: &BTreeMap<String, String>) -> Result<Self, RequirementError> {
        let equals = |(key, value): (&String, &String)| {
            Requirement::new(key.clone(), Operator::Equals, vec![value.clone()])
        };
        labels.iter().map(equals).collect::<Result<_, _>>().map(Self::new)
    }

    /// Builds a selector from its structured form: labels to equal and expressions to meet.
    ///
    /// Without any of them it selects everything. An absent structured selector is [`Selector::nothing`],
    /// which is for the caller to tell.
    pub fn from_label_selector<'a, L, E>(
        match_labels: L,
        match_expressions: E,
    ) -> Result<Self, LabelSelectorError>
    where
        L: IntoIterator<Item = (&'a String, &'a String)>,
        E: IntoIterator<Item = Expression<'a>>,
    {
        let mut requirements = Vec::new();
        for (key, value) in match_labels {
            requirements.push(Requirement::new(key.clone(), Operator::Equals, vec![value.clone()])?);
        }
        for expression in match_expressions {
            let operator = match expression.operator {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => return Err(LabelSelectorError::UnknownOperator(other.to_owned())),
            };
            // The structured form doesn't distinguish an empty list of values from an absent one.
            let values = (!expression.values.is_empty()).then(|| expression.values.to_vec());
            requirements.push(Requirement::checked(None, expression.key.to_owned(), operator, values)?);
        }
        Ok(Self::new(requirements))
    }

    /// Adds requirements. A selector of no objects stays as it is.
    #[must_use]
    pub fn with_requirements(self, more: impl IntoIterator<Item = Requirement>) -> Self {
        match self.terms {
            Terms::Nothing => self,
            Terms::All(mut requirements) => {
                requirements.extend(more);
                Self::new(requirements)
            }
        }
    }

    /// Reports whether an object with these labels is selected.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.matches_with(|key| labels.get(key).map(String::as_str))
    }

    /// Reports whether an object is selected whose labels are found by `lookup`.
    pub fn matches_with<'a>(&self, lookup: impl Fn(&str) -> Option<&'a str>) -> bool {
        match &self.terms {
            Terms::Nothing => false,
            Terms::All(requirements) => {
                requirements.iter().all(|requirement| requirement.matches(lookup(requirement.key())))
            }
        }
    }

    /// Reports whether every object is selected because there are no requirements.
    pub fn is_empty(&self) -> bool {
        matches!(&self.terms, Terms::All(requirements) if requirements.is_empty())
    }

    /// Reports whether this is [`Selector::nothing`]. Requirements that contradict each other are not detected.
    pub fn matches_nothing(&self) -> bool {
        self.terms == Terms::Nothing
    }

    /// Returns the requirements, sorted by key; `None` for [`Selector::nothing`].
    pub fn requirements(&self) -> Option<&[Requirement]> {
        match &self.terms {
            Terms::All(requirements) => Some(requirements),
            Terms::Nothing => None,
        }
    }

    /// Returns the value that the label must have, if the first requirement on it allows only one.
    pub fn requires_exact_match(&self, key: &str) -> Option<&str> {
        self.requirements()?.iter().find(|requirement| requirement.key() == key)?.exact_value()
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
        for (index, requirement) in self.requirements().unwrap_or_default().iter().enumerate() {
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

/// Error: a structured selector is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabelSelectorError {
    /// The operator of an expression is not one of the four.
    UnknownOperator(String),
    /// A label or an expression breaks a rule.
    Requirement(RequirementError),
}

impl fmt::Display for LabelSelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOperator(text) => {
                write!(f, "{} is not a valid label selector operator", quoted(text))
            }
            Self::Requirement(error) => error.fmt(f),
        }
    }
}

impl Error for LabelSelectorError {}

impl From<RequirementError> for LabelSelectorError {
    fn from(error: RequirementError) -> Self {
        Self::Requirement(error)
    }
}
