//! Validation of the `coordination.k8s.io` group.

mod lease;
mod lease_candidate;
mod semantic_version;

use rhumb_meta::validation::is_qualified_name;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const OLDEST_EMULATION_VERSION: &str = "OldestEmulationVersion";

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    lease::register(builder)?;
    lease_candidate::register(builder)
}

/// How a leader is picked: a known way, or one of someone's own behind a domain.
fn strategy(strategy: &str, path: &FieldPath, errors: &mut FieldErrors) {
    // Kubernetes names the field twice.
    let path = path.child("strategy");
    if strategy.contains('/') {
        errors.invalid_each(&path, &Named(strategy), is_qualified_name(strategy));
    } else if strategy != OLDEST_EMULATION_VERSION {
        errors.not_supported(&path, &Named(strategy), &[OLDEST_EMULATION_VERSION]);
    }
}
