//! The documents that clients read of custom resources.
