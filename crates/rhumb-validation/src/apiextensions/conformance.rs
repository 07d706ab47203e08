//! Conformance of stored definitions with today's rules: old servers accepted non-structural schemas.

use std::fmt;

use rhumb_api::apiextensions::v1beta1::{CustomResourceDefinitionSpec, JSONSchemaProps};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};
use rhumb_structural::CompileError;

use super::openapi::TYPES;
use super::structural;
use super::tightened::has;

/// What keeps the schemas of a definition from being structural.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NotStructural {
    /// The schema of a version has no structural form.
    Formless {
        /// The version.
        version: String,
        /// Why it has none.
        error: CompileError,
    },
    /// The schemas, or what is said beside them, break rules.
    Violations(FieldErrors),
}

impl fmt::Display for NotStructural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotStructural::Formless { version, error } => {
                write!(f, "failed to check validation schema for version {version}: {error}")
            }
            NotStructural::Violations(errors) => errors.fmt(f),
        }
    }
}

/// Returns what keeps the schemas of a definition from being structural; none if nothing does.
pub fn not_structural(spec: &CustomResourceDefinitionSpec) -> Option<NotStructural> {
    let path = FieldPath::new("spec");
    let mut errors = FieldErrors::default();
    if spec.preserve_unknown_fields == Some(true) {
        errors.invalid(&path.child("preserveUnknownFields"), &true, "must be false");
    }
    for (index, version) in spec.versions.iter().enumerate().wanted() {
        let validation = version.schema.as_deref().or(spec.validation.as_deref());
        let Some(schema) = validation.and_then(|it| it.open_api_v3_schema.as_deref()) else { continue };
        if let Err(error) = structural::form(schema) {
            return Some(NotStructural::Formless { version: version.name.clone(), error });
        }
        let path = path.child("versions").index(index).child("schema").child("openAPIV3Schema");
        structural::check(schema, &path, &mut errors);
    }
    (!errors.is_empty()).then_some(NotStructural::Violations(errors))
}

/// Reports whether a schema is structural.
pub fn is_structural(schema: &JSONSchemaProps) -> bool {
    structural::structural(schema).is_some()
}

/// Reports whether all types in a schema are known.
pub fn has_known_types(schema: &JSONSchemaProps) -> bool {
    !has(schema, &|schema| !schema.type_.is_empty() && !TYPES.contains(&schema.type_.as_str()))
}
