//! The group `apps`, whose types are declared elsewhere.

pub mod v1;
