//! The rules of the core group.

mod configuration;
mod namespaces;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    configuration::register(builder)?;
    namespaces::register(builder)
}
