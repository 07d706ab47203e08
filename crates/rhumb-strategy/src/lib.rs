//! Strategies: what a server does to an object before it is validated and stored.
//!
//! The way of an object through here, in the order in which a server goes it:
//! 1. [`Strategies::begin_create`] or [`Strategies::begin_update`], then the server gives out addresses and
//!    ports.
//! 2. [`Strategies::prepare_create`] or [`Strategies::prepare_update`]: what is not the client's to say is
//!    reset, what the kind fills in by itself is filled in, fields behind features that are off are dropped,
//!    the generation counts.
//! 3. The rules of `rhumb-validation`.
//! 4. [`Strategies::warnings_create`] or [`Strategies::warnings_update`], [`Strategies::canonicalize`], and
//!    storing.
//!
//! Beside that a kind has [`Facts`] that decide how requests are served, fields that server-side apply
//! leaves to the server ([`Strategies::reset_fields`]), a rule for graceful deletion, and for some kinds a
//! way to [scale](Scaling) it.
//!
//! Functions see hub types. There is a module per group; `parts` has what most kinds do alike, `pod` what
//! all do that have pods in them. Features are as a server has them that was told nothing. Nothing here
//! reads a clock, makes up names, or knows of other objects.

mod addresses;
mod admissionregistration;
mod apiextensions;
mod apiregistration;
mod apiserverinternal;
mod apps;
mod autoscaling;
mod batch;
mod certificates;
mod context;
mod coordination;
mod core;
mod customary;
mod discovery;
mod error;
mod facts;
mod flowcontrol;
mod metadata;
mod networking;
mod node;
mod node_labels;
mod parts;
mod pod;
mod policy;
mod rbac;
mod registry;
mod reset;
mod resource;
mod scale;
mod scheduling;
mod storage;
mod storagemigration;
mod strategy;

pub use context::{Context, User};
pub use core::binding::{BindError, bind};
pub use customary::StatusWritten;
pub use error::RegisterError;
pub use facts::{Facts, GarbageCollection, Generation};
pub use metadata::{keep_system_metadata, reset_metadata_for_status, wipe_system_metadata};
pub use registry::{Strategies, StrategiesBuilder};
pub use reset::ResetPath;
pub use scale::{Scaling, ScalingError};
pub use strategy::{Part, PrepareCreate, PrepareUpdate, Strategy, WarnCreate, WarnUpdate};

/// Registers the strategies of all groups.
///
/// # Errors
/// If a kind has one already.
pub fn install(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    admissionregistration::register(builder)?;
    apiextensions::register(builder)?;
    apiregistration::register(builder)?;
    apiserverinternal::register(builder)?;
    apps::register(builder)?;
    autoscaling::register(builder)?;
    batch::register(builder)?;
    certificates::register(builder)?;
    coordination::register(builder)?;
    core::register(builder)?;
    discovery::register(builder)?;
    flowcontrol::register(builder)?;
    networking::register(builder)?;
    node::register(builder)?;
    policy::register(builder)?;
    rbac::register(builder)?;
    resource::register(builder)?;
    scheduling::register(builder)?;
    storage::register(builder)?;
    storagemigration::register(builder)
}
