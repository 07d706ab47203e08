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
//! 3. Register it in the group's `install` function: kinds, conversions, defaults, the place in the version priority.
//!
//! The freeze of the scheme fails if a kind was registered that can't reach its hub.

#![allow(
    missing_docs,
    reason = "fields that say what they are by their name and kind need no line of their own"
)]

pub mod apps;
pub mod autoscaling;
pub mod core;
pub mod flowcontrol;
pub mod meta;

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
        .install(apps::install)?
        .install(autoscaling::install)?
        .install(flowcontrol::install)
}
