//! Validation: field errors in Kubernetes' words, and validation functions.
//!
//! - [`FieldErrors`], [`FieldPath`], [`BadValue`]: what is wrong, where, and how the value is shown.
//! - [`Rules`]: what is checked of a kind on create, on update and on the update of a subresource.
//! - Functions registered for a type, wherever in an object it stands, run after the rules of the kind.

mod errors;
mod nested;
mod path;
mod rules;
mod wanted;

pub use errors::{FieldError, FieldErrors, FieldProblem};
pub(crate) use nested::Validations;
pub use path::FieldPath;
/// Display of values in errors.
pub use rhumb_schema::{BadValue, Named, Shown};
pub(crate) use rules::AllRules;
pub use rules::{Context, CreateRule, Rules, UpdateRule};
pub use wanted::Wanted;
