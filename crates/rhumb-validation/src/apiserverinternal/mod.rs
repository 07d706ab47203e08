//! The rules of the `internal.apiserver.k8s.io` group.

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub fn register(_builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    Ok(())
}
