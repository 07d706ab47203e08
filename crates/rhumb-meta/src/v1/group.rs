//! Names of kinds and resources as fields of objects. Parsing and printing is in types of the same names at the
//! crate's root.

use rhumb_schema::Schema;

/// A kind, named exactly.
#[derive(Clone, Default, Schema)]
pub struct GroupVersionKind {
    /// The API group; empty for the core group.
    #[field(1, required)]
    pub group: String,
    /// The version within the group.
    #[field(2, required)]
    pub version: String,
    /// The kind.
    #[field(3, required)]
    pub kind: String,
}

/// A resource, named exactly.
#[derive(Clone, Default, Schema)]
pub struct GroupVersionResource {
    /// The API group; empty for the core group.
    #[field(1, required)]
    pub group: String,
    /// The version within the group.
    #[field(2, required)]
    pub version: String,
    /// The resource: plural, in lower case.
    #[field(3, required)]
    pub resource: String,
}

/// A resource in whichever version.
#[derive(Clone, Default, Schema)]
pub struct GroupResource {
    /// The API group; empty for the core group.
    #[field(1, required)]
    pub group: String,
    /// The resource: plural, in lower case.
    #[field(2, required)]
    pub resource: String,
}
