//! What every layer stands on: errors, identity, time, responses, metrics, health.

pub(crate) mod compress;
pub(crate) mod cryptography;
pub mod data;
pub mod environment;
pub mod failure;
pub(crate) mod go_names;
pub mod health;
pub mod identity;
pub(crate) mod memory;
pub mod metrics;
pub(crate) mod offload;
pub mod pki;
pub(crate) mod plain;
pub(crate) mod request;
pub mod response;
pub mod secret;
pub mod shutdown;
pub(crate) mod tasks;
pub(crate) mod usage;
pub mod version;
