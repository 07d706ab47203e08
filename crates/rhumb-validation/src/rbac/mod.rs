//! Validation of the `rbac.authorization.k8s.io` group.

mod bindings;
mod roles;

use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    roles::register(builder)?;
    bindings::register(builder)
}
