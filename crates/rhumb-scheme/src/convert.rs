//! The `Convert` trait between a version's types and the hub's, and the `Scope` of a conversion.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::sync::Arc;

use rhumb_meta::{GroupVersion, GroupVersionKind};
use rhumb_schema::text::quoted;

use crate::conversions::{Conversions, ValueFn, short};

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
    /// Returns the value in its other form.
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

/// Source and target version of a conversion, the scheme's other conversions, and a context value of the caller.
#[derive(Clone)]
pub struct Scope {
    /// The version of what is given.
    pub source: GroupVersion,
    /// The version of what is wanted.
    pub target: GroupVersion,
    conversions: Option<Arc<Conversions>>,
    context: Option<Arc<dyn Any + Send + Sync>>,
}

impl Scope {
    /// Creates a scope that knows no scheme: types that say by themselves how they convert need no other. What
    /// [`Scheme::scope`](crate::Scheme::scope) gives knows the scheme's conversions too.
    pub fn new(source: GroupVersion, target: GroupVersion) -> Self {
        Scope { source, target, conversions: None, context: None }
    }

    /// Sets the context value for conversion functions.
    #[must_use]
    pub fn with_context(mut self, context: Arc<dyn Any + Send + Sync>) -> Self {
        self.context = Some(context);
        self
    }

    /// Returns the context value of the conversion, if it is of this type.
    pub fn context<T: Any>(&self) -> Option<&T> {
        self.context.as_deref()?.downcast_ref()
    }

    /// Puts the other form of a value into its place, by the conversion that is registered for these two types: for
    /// parts that are elsewhere in the other version. The types needn't be objects.
    ///
    /// # Errors
    /// If no conversion is registered for the pair, or it fails. `to` is as it was then.
    pub fn convert<A: Clone + 'static, B: 'static>(&self, from: &A, to: &mut B) -> Result<(), ConvertError> {
        *to = self.convert_value(from.clone())?;
        Ok(())
    }

    /// Like [`Scope::convert`], by value, so that fields can be moved.
    ///
    /// # Errors
    /// If no conversion is registered for the pair, or it fails.
    pub fn convert_value<A: 'static, B: 'static>(&self, from: A) -> Result<B, ConvertError> {
        if let Some(convert) = self.registered::<A, B>() {
            return convert(from, self);
        }
        if TypeId::of::<A>() == TypeId::of::<B>() {
            let same: Box<dyn Any> = Box::new(from);
            return same.downcast::<B>().map(|same| *same).map_err(|_| unknown::<A, B>());
        }
        match &self.conversions {
            Some(conversions) => conversions.apply(from, self),
            None => Err(unknown::<A, B>()),
        }
    }

    /// Returns the handwritten conversion of two types, which takes precedence over derived ones.
    #[inline]
    pub(crate) fn registered<A: 'static, B: 'static>(&self) -> Option<&ValueFn<A, B>> {
        self.conversions.as_deref()?.written()
    }

    /// Sets the conversions of a scheme.
    pub(crate) fn knowing(mut self, conversions: &Arc<Conversions>) -> Self {
        self.conversions = Some(Arc::clone(conversions));
        self
    }

    /// Sets the versions.
    pub(crate) fn between(&self, source: GroupVersion, target: GroupVersion) -> Self {
        Scope { source, target, conversions: self.conversions.clone(), context: self.context.clone() }
    }
}

fn unknown<A, B>() -> ConvertError {
    ConvertError::NoFunction(short(type_name::<A>()), short(type_name::<B>()))
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scope({} to {})", self.source, self.target)
    }
}

/// Error of a conversion.
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
    /// Creates the error of a handwritten conversion.
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
