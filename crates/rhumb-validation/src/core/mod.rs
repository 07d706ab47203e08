//! Validation of the core group.

pub(crate) mod affinity;
pub(crate) mod claim_template;
mod configuration;
mod container;
pub(crate) mod endpoints;
mod env;
pub(crate) mod file_path;
mod limit_ranges;
mod line_diff;
mod namespaces;
mod nodes;
mod persistent_volume_claims;
pub(crate) mod persistent_volume_sources;
pub(crate) mod persistent_volumes;
pub(crate) mod pod;
pub(crate) mod pod_annotations;
mod pod_logs;
mod pod_options;
mod pod_resize;
mod pod_spec;
mod pod_status;
mod pod_update;
pub(crate) mod presets;
mod probe;
mod quota_resources;
pub(crate) mod replica_counts;
mod replication_controllers;
mod resource_quotas;
pub(crate) mod resources;
mod secrets;
mod security;
mod service_accounts;
mod service_addresses;
mod services;
pub(crate) mod signer_name;
mod spread;
mod taints;
pub(crate) mod toleration;
pub(crate) mod topology;
mod volume;
pub(crate) mod volume_backend;
mod volume_mount;
mod volume_projected;
mod windows;

use rhumb_api::core::v1::{PodLogOptions, Service};
use rhumb_meta::GroupVersion;
use rhumb_scheme::validation::{Context, FieldErrors};
use rhumb_scheme::{RegisterError, SchemeBuilder};

/// What is wrong with what is asked of a pod's log.
pub fn pod_log_options(options: &PodLogOptions, errors: &mut FieldErrors) {
    pod_logs::log_options(options, &Context::new(&GroupVersion::new_static("", "v1")), errors);
}

/// Returns what is wrong with the addresses of a Service. A server asks before it gives addresses out, and validates
/// the rest afterwards.
pub fn service_addresses(service: &Service, old: Option<&Service>) -> FieldErrors {
    let mut errors = FieldErrors::default();
    service_addresses::cluster_ips(&service.spec, old.map(|old| &old.spec), &mut errors);
    errors
}

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
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
