//! Validation of a kind together with those that every object gets.

use rhumb_meta::Object;
use rhumb_meta::validation::name_is_path_segment;
use rhumb_scheme::Scheme;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath};

use crate::meta::{Scope, common_object_meta, common_object_meta_update};

/// Checks an object that is to be made, in its hub form, as a server does: by the rules of its kind and, if those
/// are kept, by what holds for the metadata of all objects.
pub fn validate_create(scheme: &Scheme, object: &dyn Object, context: &Context) -> FieldErrors {
    let mut errors = scheme.validate_create(object, context);
    if errors.is_empty()
        && let Some(metadata) = object.metadata()
    {
        let scope = Scope::of(&metadata);
        common_object_meta(&metadata, scope, name_is_path_segment, &FieldPath::new("metadata"), &mut errors);
    }
    errors
}

/// Checks the new form of an object against its old one, both in their hub form, as a server does: first by what
/// holds for the metadata of all objects, then by the rules of its kind. What both find is told twice.
pub fn validate_update(
    scheme: &Scheme,
    new: &dyn Object,
    old: &dyn Object,
    subresource: Option<&str>,
    context: &Context,
) -> FieldErrors {
    let mut errors = FieldErrors::default();
    if let (Some(metadata), Some(before)) = (new.metadata(), old.metadata()) {
        let path = FieldPath::new("metadata");
        common_object_meta(&metadata, Scope::of(&metadata), name_is_path_segment, &path, &mut errors);
        common_object_meta_update(&metadata, &before, &path, &mut errors);
    }
    errors.extend(scheme.validate_update(new, old, subresource, context));
    errors
}
