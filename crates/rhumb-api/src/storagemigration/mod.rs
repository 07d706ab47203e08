//! The group `storagemigration.k8s.io`: rewriting stored objects in a newer version.

pub mod v1alpha1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::unconverted::unconverted;

const GROUP: &str = "storagemigration.k8s.io";
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1BETA1, &HUB] {
        builder
            .register::<v1beta1::StorageVersionMigration>(gv)?
            .register::<v1beta1::StorageVersionMigrationList>(gv)?;
    }
    builder
        .register::<v1alpha1::StorageVersionMigration>(&V1ALPHA1)?
        .register::<v1alpha1::StorageVersionMigrationList>(&V1ALPHA1)?;
    unconverted::<v1alpha1::StorageVersionMigration, v1beta1::StorageVersionMigration>(builder);
    unconverted::<v1alpha1::StorageVersionMigrationList, v1beta1::StorageVersionMigrationList>(builder);
    for gv in [&V1BETA1, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
