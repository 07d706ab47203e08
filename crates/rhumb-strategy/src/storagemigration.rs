//! Strategies of `storagemigration.k8s.io`.

use rhumb_api::storagemigration::v1beta1::{
    StorageVersionMigration, StorageVersionMigrationSpec, StorageVersionMigrationStatus,
};

use crate::error::RegisterError;
use crate::parts::{fresh, has_status, keep_spec_and_metadata, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC_AND_METADATA, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(StorageVersionMigration: StorageVersionMigrationSpec, StorageVersionMigrationStatus);

const VERSIONS: &[&str] = &["storagemigration.k8s.io/v1beta1"];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::<StorageVersionMigration>::new("storagemigration.k8s.io", "StorageVersionMigration")
            .conditional_update()
            .create(fresh)
            .update(keep_status)
            .resets(VERSIONS, STATUS)
            .on("status", Part::new(keep_spec_and_metadata).resets(VERSIONS, SPEC_AND_METADATA)),
    )?;
    Ok(())
}
