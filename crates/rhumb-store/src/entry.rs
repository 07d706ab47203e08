//! A key and what it holds.

use bytes::Bytes;

use crate::revision::Revision;
use crate::transaction::LeaseId;

/// A key: bytes in byte order, laid out like a path (`/registry/pods/NAMESPACE/NAME`).
pub type Key = Bytes;

/// What a key holds at some revision. Cheap to clone: the bytes are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: Bytes,
    /// When the key was made, after having been absent.
    pub created: Revision,
    /// When it last changed.
    pub modified: Revision,
    /// How often it was written since it was made; 1 at first.
    pub version: u64,
    /// The lease it lives by, if any.
    pub lease: Option<LeaseId>,
}
