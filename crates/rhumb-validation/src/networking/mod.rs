//! Validation of the `networking.k8s.io` group. They are those of `extensions` too, whose kinds have the same hubs.

mod addresses;
mod ingress;
mod ingress_class;
mod network_policy;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    addresses::register(builder)?;
    ingress::register(builder)?;
    ingress_class::register(builder)?;
    network_policy::register(builder)
}
