//! The rules of the core group.

pub mod affinity;
pub mod claim_template;
mod configuration;
mod container;
mod env;
mod file_path;
pub(crate) mod internal_form;
mod line_diff;
mod namespaces;
pub mod pod;
mod pod_annotations;
mod pod_logs;
mod pod_options;
mod pod_resize;
mod pod_spec;
mod pod_status;
mod pod_update;
mod probe;
pub mod resources;
mod security;
pub mod signer_name;
mod spread;
mod toleration;
mod volume;
pub mod volume_backend;
mod volume_mount;
mod volume_projected;
mod windows;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    configuration::register(builder)?;
    namespaces::register(builder)?;
    pod::register(builder)
}
