//! Structural schemas: decoding, defaulting and validation of custom resources.
//!
//! A definition's `openAPIV3Schema` is compiled once into a [`Structural`]. A custom resource then takes this
//! way:
//!
//! 1. [`Structural::settle`]: metadata gets its usual form, unknown fields and nulls are dropped;
//! 2. [`Structural::default`]: what is absent is filled in;
//! 3. [`Structural::validate`]: everything that is wrong is found, in Kubernetes' words;
//! 4. [`rules`]: so are the rules in CEL that it breaks.
//!
//! Beside it stand what else a definition says of its objects: [`columns`] and [`scale`], which follow paths
//! ([`json_path`]); the documents that clients read ([`openapi`]); and which [`names`] it gets. What a schema says
//! is checked too, as far as values in it must keep to it: [`Defaults`] and [`pattern`]s.
//!
//! Objects are JSON trees. Nothing here reads bytes, clocks or other objects.

mod check;
mod choices;
pub mod columns;
mod compile;
mod declared;
mod defaults;
pub mod field_path;
mod formats;
pub mod json_path;
mod lists;
mod metadata;
pub mod names;
pub mod openapi;
pub mod pattern;
mod prune;
mod ratchet;
pub mod rules;
pub mod scale;

pub use check::MetadataRule;
pub use compile::{CompileError, Structural};
pub use declared::{Defaults, UnknownFields};
pub use defaults::DefaultsTooLarge;
pub use metadata::{Malformed, SettleError};
