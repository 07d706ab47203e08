//! The group `apps`, whose types are declared elsewhere.

// +groupName=apps

pub mod v1;
