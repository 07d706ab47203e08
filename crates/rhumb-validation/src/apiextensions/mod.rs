//! The rules of the `apiextensions.k8s.io` group.
//!
//! Kubernetes checks definitions in its internal form, in which what all versions share stands at the top; paths in
//! errors are those of that form, `spec.validation` rather than `spec.versions[0].schema`. The version of a request
//! makes no difference. [`structural`] is what custom objects will be checked with too.
//!
//! Rules in CEL are checked in their form only: whether an expression compiles, what it costs, and whether a default
//! keeps it, is not known here.

mod conversion;
mod definition;
mod go_form;
mod openapi;
mod rules;
mod serving;
pub mod structural;
mod tightened;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    definition::register(builder)
}
