//! Validation of the `discovery.k8s.io` group.

mod endpoint_slice;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    endpoint_slice::register(builder)
}
