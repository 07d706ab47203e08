//! The API server as a library.

pub mod identity;
