//! Validation of the `storage.k8s.io` group.

mod attachments;
mod attributes_classes;
mod capacities;
mod classes;
mod drivers;
mod inline_volume;
mod nodes;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    attachments::register(builder)?;
    attributes_classes::register(builder)?;
    capacities::register(builder)?;
    classes::register(builder)?;
    drivers::register(builder)?;
    nodes::register(builder)
}
