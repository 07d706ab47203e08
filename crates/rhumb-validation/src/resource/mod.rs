//! Validation of the `resource.k8s.io` group.
//!
//! What a condition in CEL means is not looked at: that it is there, and not too long, is all that is checked.
//! Whether someone may ask for administrative access depends on a namespace, and is not for rules that see one
//! object.

mod capacity;
mod claim_status;
mod claims;
mod classes;
mod configuration;
mod device_attributes;
mod devices;
mod lists;
mod names;
mod pool_status_requests;
mod requests;
mod slices;
mod taints;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    claims::register(builder)?;
    classes::register(builder)?;
    pool_status_requests::register(builder)?;
    slices::register(builder)?;
    taints::register(builder)
}
