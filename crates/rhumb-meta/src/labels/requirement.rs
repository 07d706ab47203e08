//! A requirement of a label selector: key, operator and values.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::quote::{json_list, json_string, quoted};
use crate::validation::{is_qualified_name, is_valid_label_value};

/// Operator of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// The label has one of the values.
    In,
    /// The label is absent or has none of the values.
    NotIn,
    /// The label has the value.
    Equals,
    /// Same as [`Operator::Equals`], but printed as written.
    DoubleEquals,
    /// The label is absent or has another value.
    NotEquals,
    /// The label is an integer above the value.
    GreaterThan,
    /// The label is an integer below the value.
    LessThan,
    /// The label is present.
    Exists,
    /// The label is absent.
    DoesNotExist,
}

impl Operator {
    /// All operators, in the order of messages.
    pub const ALL: [Self; 9] = [
        Self::In,
        Self::NotIn,
        Self::Equals,
        Self::DoubleEquals,
        Self::NotEquals,
        Self::GreaterThan,
        Self::LessThan,
        Self::Exists,
        Self::DoesNotExist,
    ];

    /// Returns the operator's name, which for some differs from the sign it prints as in a selector.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::NotIn => "notin",
            Self::Equals => "=",
            Self::DoubleEquals => "==",
            Self::NotEquals => "!=",
            Self::GreaterThan => "gt",
            Self::LessThan => "lt",
            Self::Exists => "exists",
            Self::DoesNotExist => "!",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Operator {
    type Err = UnknownOperator;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|operator| operator.as_str() == text);
        known.ok_or_else(|| UnknownOperator { text: text.to_owned() })
    }
}

/// Error: unknown operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownOperator {
    text: String,
}

impl UnknownOperator {
    /// Returns the text that was refused.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for UnknownOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let supported: Vec<String> = Operator::ALL.iter().map(|operator| format!("\"{operator}\"")).collect();
        let text = json_string(&self.text);
        write!(f, "operator: Unsupported value: {text}: supported values: {}", supported.join(", "))
    }
}

impl Error for UnknownOperator {}

/// A condition on one label.
///
/// Two requirements are equal when they were given the same values in the same order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

impl Requirement {
    /// Creates a requirement after checking that key and values are legal and that the operator takes so many values.
    pub fn new(
        key: impl Into<String>,
        operator: Operator,
        values: Vec<String>,
    ) -> Result<Self, RequirementError> {
        Self::checked(None, key.into(), operator, Some(values))
    }

    /// Creates a requirement as [`Requirement::new`] does; messages name the fields below `path`.
    pub fn new_at(
        path: &str,
        key: impl Into<String>,
        operator: Operator,
        values: Vec<String>,
    ) -> Result<Self, RequirementError> {
        Self::checked(Some(path), key.into(), operator, Some(values))
    }

    /// Absent values differ from an empty list in the message only.
    pub(super) fn checked(
        path: Option<&str>,
        key: String,
        operator: Operator,
        values: Option<Vec<String>>,
    ) -> Result<Self, RequirementError> {
        let child = |name: &str| path.map_or_else(|| name.to_owned(), |path| format!("{path}.{name}"));
        let mut violations = Vec::new();
        violations.extend(key_violation(child("key"), &key));

        let values_path = child("values");
        let given = values.as_deref().unwrap_or_default();
        if let Some(rule) = broken_count_rule(operator, given.len()) {
            violations.push(Violation {
                field: values_path.clone(),
                value: json_list(values.as_deref()),
                detail: rule.to_owned(),
            });
        }
        if matches!(operator, Operator::GreaterThan | Operator::LessThan) {
            for (index, value) in given.iter().enumerate().filter(|(_, value)| value.parse::<i64>().is_err())
            {
                violations.push(Violation {
                    field: format!("{values_path}[{index}]"),
                    value: quoted(value),
                    detail: "for 'Gt', 'Lt' operators, the value must be an integer".to_owned(),
                });
            }
        }
        for (index, value) in given.iter().enumerate() {
            violations.extend(value_violation(format!("{values_path}[{index}][{key}]"), value));
        }
        match RequirementError::from_violations(violations) {
            Some(error) => Err(error),
            None => Ok(Self { key, operator, values: values.unwrap_or_default() }),
        }
    }

    /// Creates the requirement that a label equals a value, without checking either.
    pub(super) fn equals_unchecked(key: String, value: String) -> Self {
        Self { key, operator: Operator::Equals, values: vec![value] }
    }

    /// Returns the key of the label.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the operator.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// Returns the values in the given order; sorted and unique if they were parsed.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Returns the only value that the label may have, if there is exactly one.
    pub fn exact_value(&self) -> Option<&str> {
        match (self.operator, self.values.as_slice()) {
            (Operator::Equals | Operator::DoubleEquals | Operator::In, [value]) => Some(value),
            _ => None,
        }
    }

    /// Reports whether a label with that value, or its absence, meets the requirement.
    pub fn matches(&self, label: Option<&str>) -> bool {
        let listed = |label: &str| self.values.iter().any(|value| value == label);
        match self.operator {
            Operator::In | Operator::Equals | Operator::DoubleEquals => label.is_some_and(listed),
            Operator::NotIn | Operator::NotEquals => !label.is_some_and(listed),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
            Operator::GreaterThan => self.compare_with(label, |label, bound| label > bound),
            Operator::LessThan => self.compare_with(label, |label, bound| label < bound),
        }
    }

    fn compare_with(&self, label: Option<&str>, holds: fn(i64, i64) -> bool) -> bool {
        let integer = |text: &str| text.parse::<i64>().ok();
        let bound = self.values.first().and_then(|value| integer(value));
        label.and_then(integer).zip(bound).is_some_and(|(label, bound)| holds(label, bound))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.operator {
            Operator::Exists => return f.write_str(&self.key),
            Operator::DoesNotExist => return write!(f, "!{}", self.key),
            Operator::In => " in ",
            Operator::NotIn => " notin ",
            Operator::Equals => "=",
            Operator::DoubleEquals => "==",
            Operator::NotEquals => "!=",
            Operator::GreaterThan => ">",
            Operator::LessThan => "<",
        };
        write!(f, "{}{sign}", self.key)?;
        match (self.operator, self.values.as_slice()) {
            (Operator::In | Operator::NotIn, values) => {
                let mut sorted: Vec<&str> = values.iter().map(String::as_str).collect();
                sorted.sort_unstable();
                write!(f, "({})", sorted.join(","))
            }
            (_, values) => values.first().map_or(Ok(()), |value| f.write_str(value)),
        }
    }
}

/// One problem of a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    field: String,
    /// Already in the form in which messages show it.
    value: String,
    detail: String,
}

impl Violation {
    /// Returns the part of the requirement that is wrong: `key`, `values` or one of the values.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns the rule that is broken.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: Invalid value: {}: {}", self.field, self.value, self.detail)
    }
}

impl Error for Violation {}

/// All problems of a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequirementError {
    violations: Vec<Violation>,
}

impl RequirementError {
    fn from_violations(violations: Vec<Violation>) -> Option<Self> {
        (!violations.is_empty()).then_some(Self { violations })
    }

    /// Returns the problems in order; never empty.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }
}

impl fmt::Display for RequirementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = self.violations.as_slice() {
            return only.fmt(f);
        }
        let messages: Vec<String> = self.violations.iter().map(Violation::to_string).collect();
        write!(f, "[{}]", messages.join(", "))
    }
}

impl Error for RequirementError {}

/// Validates a label key.
pub(super) fn key_violation(field: String, key: &str) -> Option<Violation> {
    violation(field, key, &is_qualified_name(key))
}

/// Validates a label value.
pub(super) fn value_violation(field: String, value: &str) -> Option<Violation> {
    violation(field, value, &is_valid_label_value(value))
}

fn violation(field: String, text: &str, messages: &[String]) -> Option<Violation> {
    (!messages.is_empty()).then(|| Violation { field, value: quoted(text), detail: messages.join("; ") })
}

fn broken_count_rule(operator: Operator, count: usize) -> Option<&'static str> {
    match operator {
        Operator::In | Operator::NotIn => {
            (count == 0).then_some("for 'in', 'notin' operators, values set can't be empty")
        }
        Operator::Equals | Operator::DoubleEquals | Operator::NotEquals => {
            (count != 1).then_some("exact-match compatibility requires one single value")
        }
        Operator::Exists | Operator::DoesNotExist => {
            (count != 0).then_some("values set must be empty for exists and does not exist")
        }
        Operator::GreaterThan | Operator::LessThan => {
            (count != 1).then_some("for 'Gt', 'Lt' operators, exactly one value is required")
        }
    }
}
