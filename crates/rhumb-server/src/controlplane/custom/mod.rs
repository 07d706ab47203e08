//! Custom resource definitions: follows them, keeps their status, and removes their objects when they go.

pub(crate) mod definitions;
pub(crate) mod finalize;
pub(crate) mod status;
