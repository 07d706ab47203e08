//! CEL as Kubernetes has it: its function library, environments by version, types from schemas, and costs.
//!
//! Nothing here does I/O: checks of the authorizer are asked through a trait, and time zones are the caller's.

pub mod costs;
pub mod environment;
pub mod json;
pub mod library;
pub mod limits;
pub mod names;
pub mod policy;
pub mod rules;
pub mod schema;
