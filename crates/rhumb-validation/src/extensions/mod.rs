//! Validation of the `extensions` group.

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(_builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    Ok(())
}
