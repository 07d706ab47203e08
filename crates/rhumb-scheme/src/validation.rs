//! Validation: field errors in Kubernetes' words, and the functions registered per type.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use rhumb_meta::Object;
use rhumb_schema::text::quoted;
use rhumb_schema::{Described, Struct, StructDesc, Value, View};

use crate::defaulting::address;

/// The way to a field, printed as `spec.containers[0].env[KEY]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(String);

impl FieldPath {
    /// The object itself.
    pub fn root() -> Self {
        FieldPath::default()
    }

    /// A field below this one.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        FieldPath(if self.0.is_empty() { name.to_owned() } else { format!("{}.{name}", self.0) })
    }

    /// An element of this list.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        FieldPath(format!("{}[{index}]", self.0))
    }

    /// An entry of this map.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        FieldPath(format!("{}[{key}]", self.0))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "<nil>" } else { &self.0 })
    }
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldProblem {
    /// Something else that must exist doesn't.
    NotFound,
    /// A required field is empty.
    Required,
    /// The same value stands there twice.
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
    /// The reason as it stands in a Status' causes.
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

    /// Whether the text shows the value.
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

/// An error at a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// What is wrong.
    pub problem: FieldProblem,
    /// Where.
    pub path: FieldPath,
    /// The value, as it is shown.
    pub value: String,
    /// More words on it.
    pub detail: String,
}

impl FieldError {
    /// The error without the path, as it stands in a Status' causes.
    pub fn body(&self) -> String {
        let mut out = self.problem.words().to_owned();
        if self.problem.shows_value() {
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

/// A value that an error shows.
pub trait BadValue {
    /// The value as Kubernetes prints it: texts in Go's quotes, numbers and truth values bare, all else as JSON.
    fn shown(&self) -> String;
}

macro_rules! shown_bare {
    ($($type:ty),*) => {
        $(impl BadValue for $type {
            fn shown(&self) -> String {
                self.to_string()
            }
        })*
    };
}

shown_bare!(bool, i32, i64, usize, serde_json::Value);

impl BadValue for str {
    fn shown(&self) -> String {
        quoted(self)
    }
}

impl BadValue for &str {
    fn shown(&self) -> String {
        quoted(self)
    }
}

impl BadValue for String {
    fn shown(&self) -> String {
        quoted(self)
    }
}

/// The errors found in an object, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors(pub Vec<FieldError>);

impl FieldErrors {
    fn add(&mut self, problem: FieldProblem, path: &FieldPath, value: String, detail: &str) {
        self.0.push(FieldError { problem, path: path.clone(), value, detail: detail.to_owned() });
    }

    /// A required field is empty.
    pub fn required(&mut self, path: &FieldPath, detail: &str) {
        self.add(FieldProblem::Required, path, String::new(), detail);
    }

    /// A value is not allowed.
    pub fn invalid(&mut self, path: &FieldPath, value: &dyn BadValue, detail: &str) {
        self.add(FieldProblem::Invalid, path, value.shown(), detail);
    }

    /// What a value refers to does not exist.
    pub fn not_found(&mut self, path: &FieldPath, value: &dyn BadValue) {
        self.add(FieldProblem::NotFound, path, value.shown(), "");
    }

    /// A value stands there twice.
    pub fn duplicate(&mut self, path: &FieldPath, value: &dyn BadValue) {
        self.add(FieldProblem::Duplicate, path, value.shown(), "");
    }

    /// A value is none of the supported ones, which are listed as they are given.
    pub fn not_supported(&mut self, path: &FieldPath, value: &dyn BadValue, supported: &[&str]) {
        let values: Vec<String> = supported.iter().map(quoted).collect();
        let detail = if values.is_empty() {
            String::new()
        } else {
            format!("supported values: {}", values.join(", "))
        };
        self.add(FieldProblem::NotSupported, path, value.shown(), &detail);
    }

    /// A value may not stand here.
    pub fn forbidden(&mut self, path: &FieldPath, detail: &str) {
        self.add(FieldProblem::Forbidden, path, String::new(), detail);
    }

    /// A text is longer than it may be.
    pub fn too_long(&mut self, path: &FieldPath, maximum: usize) {
        self.add(
            FieldProblem::TooLong,
            path,
            String::new(),
            &format!("may not be more than {maximum} {}", if maximum == 1 { "byte" } else { "bytes" }),
        );
    }

    /// A list is longer than it may be.
    pub fn too_many(&mut self, path: &FieldPath, actual: usize, maximum: usize) {
        let detail = format!("must have at most {maximum} {}", if maximum == 1 { "item" } else { "items" });
        self.add(FieldProblem::TooMany, path, actual.to_string(), &detail);
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A text that stands there twice is shown once.
        let mut texts: Vec<String> = Vec::new();
        for text in self.0.iter().map(ToString::to_string) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        match texts.as_slice() {
            [] => Ok(()),
            [single] => f.write_str(single),
            many => write!(f, "[{}]", many.join(", ")),
        }
    }
}

type ValidateFn = Arc<dyn Fn(&dyn Struct, &FieldPath, &mut FieldErrors) + Send + Sync>;

/// The validation functions of all types.
#[derive(Default)]
pub(crate) struct Validations {
    functions: HashMap<usize, Vec<ValidateFn>>,
}

impl Validations {
    pub(crate) fn add<T: Described>(
        &mut self,
        desc: &'static StructDesc,
        validate: fn(&T, &FieldPath, &mut FieldErrors),
    ) {
        self.functions.entry(address(desc)).or_default().push(Arc::new(move |value, path, errors| {
            if let Some(value) = (value as &dyn Any).downcast_ref::<T>() {
                validate(value, path, errors);
            }
        }));
    }

    pub(crate) fn run(&self, object: &dyn Object) -> FieldErrors {
        let mut errors = FieldErrors::default();
        if !self.functions.is_empty() {
            self.visit(object, &FieldPath::root(), &mut errors);
        }
        errors
    }

    fn visit(&self, value: &dyn Value, path: &FieldPath, errors: &mut FieldErrors) {
        match value.view() {
            View::Struct(value) => {
                for validate in self.functions.get(&address(value.desc())).into_iter().flatten() {
                    validate(value, path, errors);
                }
                for (position, field) in value.desc().fields.iter().enumerate() {
                    if field.shape.element_struct().is_some() {
                        let below = if field.inline { path.clone() } else { path.child(field.json) };
                        self.visit(value.field(position), &below, errors);
                    }
                }
            }
            View::List(list) => {
                for (index, element) in (0..list.len()).filter_map(|at| list.get(at)).enumerate() {
                    self.visit(element, &path.index(index), errors);
                }
            }
            View::Map(map) => {
                map.entries().for_each(|(key, value)| self.visit(value, &path.key(key), errors))
            }
            _ => {}
        }
    }
}
