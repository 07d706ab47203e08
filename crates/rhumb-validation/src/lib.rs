//! Validation of built-in kinds on create and update.
//!
//! - [`meta`]: what many kinds share: metadata, selectors, conditions, request options, plain values.
//! - `url`, `webhook`, `internal_form`: what rules of several groups read or print as Go does.
//! - A module per group, which registers a [`Rules`](rhumb_scheme::validation::Rules) per kind.
//! - [`validate_create`] and [`validate_update`]: the checks of a kind with those that every object gets.
//!
//! Rules see hub types. They change nothing: what a server fills in or drops before it checks is not done here.

mod admissionregistration;
pub mod apiextensions;
mod apiregistration;
mod apiserverinternal;
mod apps;
mod auditregistration;
mod authentication;
mod authorization;
mod autoscaling;
mod batch;
mod certificates;
mod coordination;
mod core;
mod discovery;
mod events;
mod extensions;
mod flowcontrol;
mod internal_form;
pub mod meta;
mod networking;
mod node;
mod policy;
mod rbac;
mod resource;
mod scheduling;
mod settings;
mod storage;
mod storagemigration;
mod webhook;
mod whole;

use rhumb_scheme::{RegisterError, Scheme, SchemeBuilder};

pub use core::{pod_log_options, service_addresses};
pub use whole::{validate_create, validate_update};

/// Registers the rules of all groups.
///
/// # Errors
/// If a kind has rules already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    admissionregistration::register(builder)?;
    apiextensions::register(builder)?;
    apiregistration::register(builder)?;
    apps::register(builder)?;
    auditregistration::register(builder)?;
    authentication::register(builder)?;
    authorization::register(builder)?;
    autoscaling::register(builder)?;
    batch::register(builder)?;
    certificates::register(builder)?;
    coordination::register(builder)?;
    core::register(builder)?;
    discovery::register(builder)?;
    events::register(builder)?;
    extensions::register(builder)?;
    flowcontrol::register(builder)?;
    apiserverinternal::register(builder)?;
    networking::register(builder)?;
    node::register(builder)?;
    policy::register(builder)?;
    rbac::register(builder)?;
    resource::register(builder)?;
    scheduling::register(builder)?;
    settings::register(builder)?;
    storage::register(builder)?;
    storagemigration::register(builder)
}

/// Returns the scheme with every built-in group and its rules.
///
/// # Errors
/// If two groups register different things for one kind, which a test rules out.
pub fn scheme() -> Result<Scheme, RegisterError> {
    rhumb_api::builder()?.install(install)?.freeze()
}
