//! Validation of the `apiextensions.k8s.io` group.
//!
//! Kubernetes checks definitions in its internal form, in which what all versions share stands at the top; paths in
//! errors are those of that form, `spec.validation` rather than `spec.versions[0].schema`. The version of a request
//! makes no difference. What a schema says of values is checked by [`rhumb_structural`], for defaults in it as for
//! custom objects.
//!
//! Rules in CEL are compiled ([`rhumb_cel_kubernetes`]), and what they can cost is bounded for each and for all.

mod conformance;
mod conversion;
mod definition;
mod expressions;
mod go_form;
mod openapi;
mod props;
mod rules;
mod serving;
mod structural;
mod tightened;

use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::validation::name_is_path_segment;
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, common_object_meta};
pub use conformance::{NotStructural, has_known_types, is_structural, not_structural};

/// The rules that the metadata of objects within custom objects must keep.
pub fn embedded_metadata(metadata: &ObjectMeta, path: &FieldPath, errors: &mut FieldErrors) {
    common_object_meta(metadata, Scope::of(metadata), name_is_path_segment, path, errors);
}

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    definition::register(builder)
}
