//! The kinds of `meta.k8s.io/v1`: those without a version, and those that every version has.

use rhumb_meta::{GroupVersion, v1};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const V1: GroupVersion = GroupVersion::new_static("meta.k8s.io", "v1");

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    add_to_group_version(builder, &V1)?;
    builder
        .register::<v1::Table>(&V1)?
        .register::<v1::TableOptions>(&V1)?
        .register::<v1::PartialObjectMetadata>(&V1)?
        .register::<v1::PartialObjectMetadataList>(&V1)?;
    Ok(())
}

/// Registers what every version has: see [`SchemeBuilder::add_to_group_version`].
///
/// # Errors
/// If a kind has another type already.
pub fn add_to_group_version(builder: &mut SchemeBuilder, gv: &GroupVersion) -> Result<(), RegisterError> {
    builder.add_to_group_version(gv).map(|_| ())
}
