//! The core group, whose types are declared elsewhere.

// +groupName=

pub mod v1;
