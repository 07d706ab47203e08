//! Validation of the `policy` group. An Eviction has none: what it may do is decided when it is done.

mod disruption_budget;
mod pod_security_policy;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    disruption_budget::register(builder)?;
    pod_security_policy::register(builder)
}
