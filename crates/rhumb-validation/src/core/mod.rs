//! The rules of the core group.

mod configuration;
mod endpoints;
mod limit_ranges;
mod namespaces;
mod node_selectors;
mod nodes;
mod replication_controllers;
mod resource_names;
mod resource_quotas;
mod secrets;
mod service_accounts;
mod service_addresses;
mod services;
mod taints;

use rhumb_scheme::{RegisterError, SchemeBuilder};

pub use endpoints::{endpoint_ip, port_protocol};
pub use node_selectors::{BadLabelValues, node_selector, node_selector_term, topology_selector_term};
pub use resource_names::{
    container_resource_name, is_extended, is_huge_pages, is_native, is_overcommit_allowed,
    quota_resource_name, resource_amount, resource_name,
};
pub use services::load_balancer_status;
pub use taints::{taint_effect, taints};

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
    replication_controllers::register(builder)?;
    resource_quotas::register(builder)?;
    secrets::register(builder)?;
    service_accounts::register(builder)?;
    services::register(builder)
}
