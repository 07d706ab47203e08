//! The rules of the core group.

pub mod affinity;
pub mod claim_template;
mod configuration;
mod container;
pub(crate) mod endpoints;
mod env;
mod file_path;
pub(crate) mod internal_form;
mod limit_ranges;
mod line_diff;
mod namespaces;
mod nodes;
mod persistent_volume_claims;
pub(crate) mod persistent_volume_sources;
pub(crate) mod persistent_volumes;
pub mod pod;
mod pod_annotations;
mod pod_logs;
mod pod_options;
mod pod_resize;
mod pod_spec;
mod pod_status;
mod pod_update;
mod probe;
mod quota_resources;
mod replication_controllers;
mod resource_quotas;
pub mod resources;
mod secrets;
mod security;
mod service_accounts;
mod service_addresses;
mod services;
pub mod signer_name;
mod spread;
mod taints;
pub(crate) mod toleration;
pub(crate) mod topology;
mod volume;
pub mod volume_backend;
mod volume_mount;
mod volume_projected;
mod windows;

use rhumb_scheme::{RegisterError, SchemeBuilder};

pub use endpoints::{endpoint_ip, port_protocol};
pub use services::load_balancer_status;
pub use taints::{taint_effect, taints};
pub use topology::topology_selector_term;

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    configuration::register(builder)?;
    endpoints::register(builder)?;
    limit_ranges::register(builder)?;
    namespaces::register(builder)?;
    nodes::register(builder)?;
    persistent_volume_claims::register(builder)?;
    persistent_volumes::register(builder)?;
    pod::register(builder)?;
    replication_controllers::register(builder)?;
    resource_quotas::register(builder)?;
    secrets::register(builder)?;
    service_accounts::register(builder)?;
    services::register(builder)
}
