//! Validation of the `batch` group.

mod cron_job;
mod indexes;
mod job;
mod job_policies;
mod job_status;
mod schedule;
mod time_zones;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    job::register(builder)?;
    cron_job::register(builder)
}
