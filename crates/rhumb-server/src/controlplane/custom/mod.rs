//! Custom resource definitions: follows them, keeps their status, and removes their objects when they go.

pub(crate) mod definitions;
mod finalize;
mod status;

pub(crate) use definitions::start;
