//! Strategies of `internal.apiserver.k8s.io`.

use rhumb_api::apiserverinternal::v1alpha1::{StorageVersion, StorageVersionSpec, StorageVersionStatus};

use crate::error::RegisterError;
use crate::parts::{fresh, has_status, keep_spec_and_metadata, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC_AND_METADATA, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(StorageVersion: StorageVersionSpec, StorageVersionStatus);

const VERSIONS: &[&str] = &["internal.apiserver.k8s.io/v1alpha1"];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::<StorageVersion>::new("internal.apiserver.k8s.io", "StorageVersion")
            .conditional_update()
            .create(fresh)
            .update(keep_status)
            .resets(VERSIONS, STATUS)
            .on("status", Part::new(keep_spec_and_metadata).resets(VERSIONS, SPEC_AND_METADATA)),
    )?;
    Ok(())
}
