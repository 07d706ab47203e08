//! Validation of the `scheduling.k8s.io` group.

mod pod_group;
mod pod_group_parts;
mod priority_class;
mod workload;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    priority_class::register(builder)?;
    pod_group::register(builder)?;
    workload::register(builder)
}
