//! What every layer stands on: errors, identity, time, responses, metrics, health.

pub(crate) mod compress;
pub mod data;
pub mod environment;
pub mod failure;
pub(crate) mod go_names;
pub mod health;
pub mod identity;
pub(crate) mod memory;
pub mod metrics;
pub mod pki;
pub mod response;
pub mod secret;
pub mod shutdown;
pub(crate) mod tasks;
pub(crate) mod usage;
pub mod version;
