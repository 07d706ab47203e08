//! The core group, whose types are declared elsewhere.

pub mod v1;
