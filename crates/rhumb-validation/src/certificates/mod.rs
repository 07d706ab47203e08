//! Validation of the `certificates.k8s.io` group.
//!
//! Requests and certificates are read, but their signatures are not verified: that takes cryptography.

mod pod_requests;
mod signing_requests;
mod trust_bundles;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    signing_requests::register(builder)?;
    trust_bundles::register(builder)?;
    pod_requests::register(builder)
}
