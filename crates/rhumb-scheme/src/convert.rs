//! Conversion between a version's types and the hub's, as a trait, and the scope it happens in.

use std::fmt;

use rhumb_meta::{GroupVersion, GroupVersionKind};
use rhumb_schema::text::quoted;

/// Derives [`Convert`] in both directions between a struct and its hub, by field name.
pub use rhumb_derive::Convert;

/// Turns a value into its form in another version, moving what can be moved.
///
/// Derive it where the fields say it all; write it by hand where a version says a thing differently. Types that are
/// the same on both sides need nothing: every type converts to itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no conversion to `{T}`",
    label = "this field differs from the hub's",
    note = "derive `Convert` on `{Self}` with `#[convert(hub = …)]`, or give the field `#[convert(with = module)]`"
)]
pub trait Convert<T> {
    /// The value in its other form.
    ///
    /// # Errors
    /// If the other form can't say it.
    fn convert(self, scope: &Scope) -> Result<T, ConvertError>;
}

impl<T> Convert<T> for T {
    fn convert(self, _scope: &Scope) -> Result<T, ConvertError> {
        Ok(self)
    }
}

/// Where a conversion comes from and goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The version of what is given.
    pub source: GroupVersion,
    /// The version of what is wanted.
    pub target: GroupVersion,
}

/// Why an object could not be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConvertError {
    /// The target has no kind for the object: Go's name of its type, the target as Go quotes it, and the scheme.
    NotSuitable(String, String, String),
    /// No way leads from one type to the other.
    NoFunction(String, String),
    /// A conversion function refused the value.
    Value(String),
    /// The object's kind is not registered.
    NotRegistered(String),
    /// The selector names a field that can't be selected by.
    FieldLabel(String),
    /// An unstructured object doesn't fit the type of its kind.
    Decode(Box<GroupVersionKind>, rhumb_schema::DecodeError),
}

impl ConvertError {
    /// An error of a hand-written conversion.
    pub fn value(text: impl Into<String>) -> Self {
        ConvertError::Value(text.into())
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::NotSuitable(object, target, scheme) => {
                write!(f, "{object} is not suitable for converting to {target} in scheme {}", quoted(scheme))
            }
            ConvertError::NoFunction(from, to) => {
                write!(f, "converting ({from}) to ({to}): unknown conversion")
            }
            ConvertError::Value(text)
            | ConvertError::NotRegistered(text)
            | ConvertError::FieldLabel(text) => f.write_str(text),
            ConvertError::Decode(gvk, error) => {
                write!(f, "unable to convert unstructured object to {gvk}: {error}")
            }
        }
    }
}

// Its text is the text of what it wraps, which is why that is not its source as well.
impl std::error::Error for ConvertError {}
