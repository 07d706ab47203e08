//! Field errors in Kubernetes' words, and the Status that reports them.

use std::collections::HashSet;
use std::fmt;

use rhumb_meta::GroupKind;
use rhumb_meta::v1::{Status, StatusCause, StatusDetails, StatusReason};
use rhumb_schema::text::quoted;
use rhumb_schema::{BadValue, budget};

use super::FieldPath;

/// Type of a field error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldProblem {
    /// Something else that must exist doesn't.
    NotFound,
    /// A required field is empty.
    Required,
    /// The value is a duplicate.
    Duplicate,
    /// The value is not allowed.
    Invalid,
    /// The value is none of a few.
    NotSupported,
    /// The value is valid but not permitted here.
    Forbidden,
    /// The value is too long.
    TooLong,
    /// The list is too long.
    TooMany,
    /// The value is too short.
    TooShort,
    /// The list is too short.
    TooFew,
    /// The value has the wrong type.
    TypeInvalid,
    /// Validation itself failed.
    Internal,
}

impl FieldProblem {
    /// Returns the reason as it stands in a Status' causes.
    pub fn reason(self) -> &'static str {
        match self {
            FieldProblem::NotFound => "FieldValueNotFound",
            FieldProblem::Required => "FieldValueRequired",
            FieldProblem::Duplicate => "FieldValueDuplicate",
            FieldProblem::Invalid => "FieldValueInvalid",
            FieldProblem::NotSupported => "FieldValueNotSupported",
            FieldProblem::Forbidden => "FieldValueForbidden",
            FieldProblem::TooLong => "FieldValueTooLong",
            FieldProblem::TooMany => "FieldValueTooMany",
            FieldProblem::TooShort => "FieldValueTooShort",
            FieldProblem::TooFew => "FieldValueTooFew",
            FieldProblem::TypeInvalid => "FieldValueTypeInvalid",
            FieldProblem::Internal => "InternalError",
        }
    }

    fn words(self) -> &'static str {
        match self {
            FieldProblem::NotFound => "Not found",
            FieldProblem::Required => "Required value",
            FieldProblem::Duplicate => "Duplicate value",
            FieldProblem::Invalid | FieldProblem::TypeInvalid => "Invalid value",
            FieldProblem::NotSupported => "Unsupported value",
            FieldProblem::Forbidden => "Forbidden",
            FieldProblem::TooLong => "Too long",
            FieldProblem::TooMany => "Too many",
            FieldProblem::TooShort => "Too short",
            FieldProblem::TooFew => "Too few",
            FieldProblem::Internal => "Internal error",
        }
    }

    /// Reports whether the text shows the value.
    fn shows_value(self) -> bool {
        matches!(
            self,
            FieldProblem::NotFound
                | FieldProblem::Duplicate
                | FieldProblem::Invalid
                | FieldProblem::NotSupported
                | FieldProblem::TypeInvalid
                | FieldProblem::TooMany
                | FieldProblem::TooFew
        )
    }
}

/// A field error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The problem.
    pub problem: FieldProblem,
    /// The field.
    pub path: FieldPath,
    /// The value, as it is shown; empty if it is left out.
    pub value: String,
    /// More words on it.
    pub detail: String,
}

impl FieldError {
    /// Returns the error without the path, as it stands in a Status' causes.
    pub fn body(&self) -> String {
        let mut out = self.problem.words().to_owned();
        if self.problem.shows_value() && !self.value.is_empty() {
            out.push_str(": ");
            out.push_str(&self.value);
        }
        if !self.detail.is_empty() {
            out.push_str(": ");
            out.push_str(&self.detail);
        }
        out
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.body())
    }
}

/// Maximum size in bytes of the errors kept. A request that causes more doesn't cost the server many times its own
/// size in errors that each show a large value.
const MAX_SIZE: usize = 1 << 20;
/// Number of warnings that are kept.
const MAX_WARNINGS: usize = 100;
/// Size of an error besides its texts.
const OWN_SIZE: usize = 64;

/// Field errors of an object in the order in which they were found. Beyond a mebibyte they are only counted.
#[derive(Clone, Debug, Default)]
pub struct FieldErrors(pub Vec<FieldError>, Beyond);

/// Counts about field errors.
#[derive(Clone, Debug, Default)]
struct Beyond {
    /// The size of those that are kept.
    size: usize,
    /// Number of errors that were only counted.
    left_out: usize,
    /// Problems that are not held against the object.
    warnings: Vec<String>,
}

impl PartialEq for FieldErrors {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 && self.1.left_out == other.1.left_out
    }
}

impl Eq for FieldErrors {}

impl FieldErrors {
    /// Adds an error. The value is formatted only if the error is kept.
    pub fn add(
        &mut self,
        problem: FieldProblem,
        path: &FieldPath,
        value: &(impl BadValue + ?Sized),
        detail: &str,
    ) {
        self.add_with(problem, path, || value.shown(), detail);
    }

    fn add_with(
        &mut self,
        problem: FieldProblem,
        path: &FieldPath,
        value: impl FnOnce() -> String,
        detail: &str,
    ) {
        if self.is_full() {
            self.1.left_out += 1;
        } else {
            self.push(FieldError { problem, path: path.clone(), value: value(), detail: detail.to_owned() });
        }
    }

    /// Adds an error.
    pub fn push(&mut self, error: FieldError) {
        if self.is_full() {
            self.1.left_out += 1;
            return;
        }
        self.1.size += OWN_SIZE + error.path.len() + error.value.len() + error.detail.len();
        self.0.push(error);
    }

    /// Reports whether further errors are only counted, so that nobody will read what is said of them: there are
    /// enough, or the work at hand is not wanted any more.
    pub fn is_full(&self) -> bool {
        self.1.size >= MAX_SIZE || budget::is_stopped()
    }

    /// Adds an error: a required field is empty.
    pub fn required(&mut self, path: &FieldPath, detail: &str) {
        self.add_with(FieldProblem::Required, path, String::new, detail);
    }

    /// Adds an error: a value is invalid.
    pub fn invalid(&mut self, path: &FieldPath, value: &(impl BadValue + ?Sized), detail: &str) {
        self.add(FieldProblem::Invalid, path, value, detail);
    }

    /// Adds an error for each of several reasons, as the functions of `rhumb_meta::validation` return them.
    pub fn invalid_each(
        &mut self,
        path: &FieldPath,
        value: &(impl BadValue + ?Sized),
        details: impl IntoIterator<Item = String>,
    ) {
        for detail in details {
            self.add(FieldProblem::Invalid, path, value, &detail);
        }
    }

    /// Adds an error: a value has the wrong type.
    pub fn type_invalid(&mut self, path: &FieldPath, value: &(impl BadValue + ?Sized), detail: &str) {
        self.add(FieldProblem::TypeInvalid, path, value, detail);
    }

    /// Adds an error: the referenced value doesn't exist.
    pub fn not_found(&mut self, path: &FieldPath, value: &(impl BadValue + ?Sized)) {
        self.add(FieldProblem::NotFound, path, value, "");
    }

    /// Adds an error: a value is a duplicate.
    pub fn duplicate(&mut self, path: &FieldPath, value: &(impl BadValue + ?Sized)) {
        self.add(FieldProblem::Duplicate, path, value, "");
    }

    /// Adds an error: a value is not one of the supported ones, which are listed in the given order.
    pub fn not_supported<S: AsRef<str>>(
        &mut self,
        path: &FieldPath,
        value: &(impl BadValue + ?Sized),
        supported: &[S],
    ) {
        let supported: &[S] = if self.is_full() { &[] } else { supported };
        let values: Vec<String> = supported.iter().map(|value| quoted(value.as_ref())).collect();
        let detail = match values.as_slice() {
            [] => String::new(),
            some => format!("supported values: {}", some.join(", ")),
        };
        self.add(FieldProblem::NotSupported, path, value, &detail);
    }

    /// Adds an error: a value is not allowed here.
    pub fn forbidden(&mut self, path: &FieldPath, detail: &str) {
        self.add_with(FieldProblem::Forbidden, path, String::new, detail);
    }

    /// Adds an error: a text has too many bytes.
    pub fn too_long(&mut self, path: &FieldPath, maximum: usize) {
        let detail = format!("may not be more than {}", counted(maximum, "byte"));
        self.add_with(FieldProblem::TooLong, path, String::new, &detail);
    }

    /// Adds an error: a text has too many characters.
    pub fn too_long_characters(&mut self, path: &FieldPath, maximum: usize) {
        let detail = format!("may not be more than {}", counted(maximum, "character"));
        self.add_with(FieldProblem::TooLong, path, String::new, &detail);
    }

    /// Adds an error: a text has too few characters.
    pub fn too_short(&mut self, path: &FieldPath, minimum: usize) {
        let detail = format!("must be at least {}", counted(minimum, "character"));
        self.add_with(FieldProblem::TooShort, path, String::new, &detail);
    }

    /// Adds an error: a list has too many items.
    pub fn too_many(&mut self, path: &FieldPath, actual: usize, maximum: usize) {
        let detail = format!("must have at most {}", counted(maximum, "item"));
        self.add(FieldProblem::TooMany, path, &actual, &detail);
    }

    /// Adds an error: a list has too few items.
    pub fn too_few(&mut self, path: &FieldPath, actual: usize, minimum: usize) {
        let detail = format!("must have at least {}", counted(minimum, "item"));
        self.add(FieldProblem::TooFew, path, &actual, &detail);
    }

    /// Adds an error: validation itself failed.
    pub fn internal(&mut self, path: &FieldPath, error: &str) {
        self.add_with(FieldProblem::Internal, path, String::new, error);
    }

    /// Adds a problem that is not held against the object, because an update left it as it was. A response has room
    /// for few of them; others are not kept.
    pub fn warn(&mut self, problem: &FieldError) {
        if self.1.warnings.len() < MAX_WARNINGS {
            self.1.warnings.push(problem.to_string());
        }
    }

    /// Takes the problems that are not held against the object.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.1.warnings)
    }

    /// Adds the errors of another validation.
    pub fn extend(&mut self, mut others: FieldErrors) {
        if self.is_empty() {
            let mut warnings = self.take_warnings();
            warnings.append(&mut others.1.warnings);
            others.1.warnings = warnings;
            *self = others;
            return;
        }
        others.0.into_iter().for_each(|error| self.push(error));
        self.1.left_out += others.1.left_out;
        self.1.warnings.append(&mut others.1.warnings);
    }

    /// Returns the number of errors found, so that callers can tell whether a check added any.
    pub fn len(&self) -> usize {
        self.0.len() + self.1.left_out
    }

    /// Reports whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the Status of a request whose object has these errors.
    pub fn status(&self, kind: &GroupKind, name: &str) -> Status {
        let mut message = format!("{kind} {} is invalid", quoted(name));
        if !self.is_empty() {
            message.push_str(": ");
            message.push_str(&self.to_string());
        }
        let causes = self.0.iter().map(|error| StatusCause {
            reason: error.problem.reason().into(),
            message: error.body(),
            field: error.path.to_string(),
        });
        let details = StatusDetails {
            name: name.to_owned(),
            group: kind.group.to_string(),
            kind: kind.kind.to_string(),
            causes: causes.collect(),
            ..StatusDetails::default()
        };
        Status { details: Some(Box::new(details)), ..Status::failure(StatusReason::Invalid, message) }
    }
}

fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A text that stands there twice is shown once.
        let texts: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        let more = format!("and {} more", self.1.left_out);
        let mut seen = HashSet::new();
        let mut told: Vec<&str> =
            texts.iter().map(String::as_str).filter(|text| seen.insert(*text)).collect();
        if self.1.left_out > 0 {
            told.push(&more);
        }
        match told.as_slice() {
            [] => Ok(()),
            [single] => f.write_str(single),
            many => write!(f, "[{}]", many.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_beyond_a_mebibyte_are_counted() {
        let mut errors = FieldErrors::default();
        let large = "x".repeat(100_000);
        for _ in 0..1000 {
            errors.invalid(&FieldPath::new("spec"), large.as_str(), "is wrong");
        }
        assert_eq!(errors.len(), 1000);
        assert_eq!(errors.0.len(), 11);
        errors.forbidden(&FieldPath::new("metadata"), "no");
        assert_eq!((errors.len(), errors.0.len()), (1001, 11));
        let mut all = FieldErrors::default();
        all.required(&FieldPath::new("a"), "");
        all.extend(errors);
        assert_eq!((all.len(), all.0.len()), (1002, 12));
        let text = all.to_string();
        assert!(text.starts_with("[a: Required value, spec: Invalid value: \"xxx"), "{}", &text[..60]);
        assert!(text.ends_with(", and 990 more]"), "{}", &text[text.len() - 60..]);
    }

    #[test]
    fn errors_that_nobody_waits_for_are_not_put_into_words() {
        struct Unshown;
        impl BadValue for Unshown {
            fn shown(&self) -> String {
                panic!("put into words")
            }
        }
        let budget = budget::Budget::new(0);
        budget.stop();
        let mut errors = FieldErrors::default();
        budget.scope(|| errors.duplicate(&FieldPath::new("a"), &Unshown));
        assert_eq!((errors.len(), errors.0.len()), (1, 0));
    }
}
