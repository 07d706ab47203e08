//! The built-in API groups of Kubernetes, one module per group and version.
//!
//! [`scheme`] gives the Scheme with all of them.
//!
//! # Adding a version to a group
//!
//! 1. Write its types into a file named after it, beside the others (`apps/v1beta3.rs`). What is equal to another
//!    version's type is re-exported from there, and then costs nothing.
//! 2. Where a type differs from the hub's, derive `Convert` on it with `#[convert(hub = …)]`; what can't be said by
//!    field names is written by hand below the types, as `impl Convert<…>`.
//! 3. Register it in the group's `install` function: kinds, conversions, defaults.
//! 4. Give it its place among the versions of the group in [`resources`], by which the Scheme ranks it too, its
//!    resources their lines there, and each of its types a line in `resources/typed/mod.rs`, from which clients know
//!    it.
//!
//! The freeze of the scheme fails if a kind was registered that can't reach its hub.

#![allow(
    missing_docs,
    reason = "fields that say what they are by their name and kind need no line of their own"
)]

pub mod admission;
pub mod admissionregistration;
pub mod apidiscovery;
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
pub mod imagepolicy;
pub mod meta;
pub mod networking;
pub mod node;
pub mod policy;
pub mod rbac;
pub mod resource;
pub mod resources;
pub mod scheduling;
pub mod settings;
pub mod storage;
pub mod storagemigration;
mod unconverted;

use rhumb_scheme::{RegisterError, Scheme, SchemeBuilder};

/// The scheme with every built-in group.
///
/// # Errors
/// If two groups register different types for one kind, which a test rules out.
pub fn scheme() -> Result<Scheme, RegisterError> {
    builder()?.freeze()
}

/// The builder with every built-in group, for those who add groups of their own.
///
/// # Errors
/// If two groups register different types for one kind, which a test rules out.
pub fn builder() -> Result<SchemeBuilder, RegisterError> {
    Scheme::builder()
        .install(meta::install)?
        .install(core::install)?
        .install(admission::install)?
        .install(admissionregistration::install)?
        .install(apidiscovery::install)?
        .install(apiextensions::install)?
        .install(apiregistration::install)?
        .install(apiserverinternal::install)?
        .install(apps::install)?
        .install(auditregistration::install)?
        .install(authentication::install)?
        .install(authorization::install)?
        .install(autoscaling::install)?
        .install(batch::install)?
        .install(certificates::install)?
        .install(coordination::install)?
        .install(discovery::install)?
        .install(events::install)?
        .install(flowcontrol::install)?
        .install(imagepolicy::install)?
        .install(networking::install)?
        .install(node::install)?
        .install(policy::install)?
        .install(rbac::install)?
        .install(resource::install)?
        .install(scheduling::install)?
        .install(settings::install)?
        .install(storage::install)?
        .install(storagemigration::install)?
        // Last, because its kinds are known by the groups where they live now.
        .install(extensions::install)
}
