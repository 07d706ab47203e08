//! The kinds of `meta.k8s.io/v1`: those without a version, and those that every version has.

use rhumb_meta::{GroupVersion, v1};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const V1: GroupVersion = GroupVersion::new_static("meta.k8s.io", "v1");
/// The unversioned kinds are registered here, as in Kubernetes.
const UNVERSIONED: GroupVersion = GroupVersion::new_static("", "v1");

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .register_unversioned::<v1::Status>(&UNVERSIONED)?
        .register_unversioned::<v1::APIVersions>(&UNVERSIONED)?
        .register_unversioned::<v1::APIGroupList>(&UNVERSIONED)?
        .register_unversioned::<v1::APIGroup>(&UNVERSIONED)?
        .register_unversioned::<v1::APIResourceList>(&UNVERSIONED)?;
    builder
        .register::<v1::Table>(&V1)?
        .register::<v1::TableOptions>(&V1)?
        .register::<v1::PartialObjectMetadata>(&V1)?
        .register::<v1::PartialObjectMetadataList>(&V1)?;
    add_to_group_version(builder, &V1)
}

/// Registers the options that every version has for its requests.
///
/// # Errors
/// If a kind has another type already.
pub fn add_to_group_version(builder: &mut SchemeBuilder, gv: &GroupVersion) -> Result<(), RegisterError> {
    builder
        .register::<v1::ListOptions>(gv)?
        .register::<v1::GetOptions>(gv)?
        .register::<v1::DeleteOptions>(gv)?
        .register::<v1::CreateOptions>(gv)?
        .register::<v1::UpdateOptions>(gv)?
        .register::<v1::PatchOptions>(gv)?;
    Ok(())
}
