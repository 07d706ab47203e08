//! The rules that objects of the built-in API groups must keep, on create and on update.
//!
//! - [`meta`]: what many kinds share: metadata, selectors, conditions, request options, plain values.
//! - A module per group, which registers a [`Rules`](rhumb_scheme::validation::Rules) per kind.
//! - [`validate_create`] and [`validate_update`]: the checks of a kind with those that every object gets.
//!
//! Rules see hub types. They change nothing: what a server fills in or drops before it checks is not done here.

pub mod admissionregistration;
pub mod apiextensions;
pub mod apiregistration;
pub mod apiserverinternal;
pub mod apps;
pub mod auditregistration;
pub mod authentication;
pub mod authorization;
pub mod autoscaling;
pub mod batch;
pub mod certificates;
pub mod coordination;
pub mod core;
pub mod discovery;
pub mod events;
pub mod extensions;
pub mod flowcontrol;
pub mod meta;
pub mod networking;
pub mod node;
pub mod policy;
pub mod rbac;
pub mod resource;
pub mod scheduling;
pub mod settings;
pub mod storage;
pub mod storagemigration;
mod whole;

use rhumb_scheme::{RegisterError, Scheme, SchemeBuilder};

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

/// The scheme with every built-in group and its rules.
///
/// # Errors
/// If two groups register different things for one kind, which a test rules out.
pub fn scheme() -> Result<Scheme, RegisterError> {
    rhumb_api::builder()?.install(install)?.freeze()
}
