//! `Resource`: a type with its resource on a server.

use std::fmt;

use crate::names::{GroupVersion, GroupVersionKind, GroupVersionResource};
use crate::object::Object;

/// Implements [`Resource`] for a custom type, from `#[resource(…)]` on it.
pub use rhumb_derive::Resource;

/// Scope of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Each object belongs to a namespace.
    Namespaced,
    /// The objects belong to the cluster as a whole.
    Cluster,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The names the API machinery has for the two; discovery documents say `Namespaced` and `Cluster`.
        f.write_str(match self {
            Self::Namespaced => "namespace",
            Self::Cluster => "root",
        })
    }
}

/// A type whose objects a server serves as a resource.
///
/// Every built-in kind that has a resource implements it; custom types derive it. A Rust type that stands in
/// several versions of its group names the one that clients should use.
#[diagnostic::on_unimplemented(
    message = "`{Self}` doesn't say which resource its objects are",
    note = "derive `Resource` with `#[resource(group = \"…\", version = \"…\", namespaced)]`, or use the dynamic \
            client with a `GroupVersionResource`"
)]
pub trait Resource: Object {
    /// API group, such as `apps`; empty for the core group.
    const GROUP: &'static str;
    /// Version of the group, such as `v1`.
    const VERSION: &'static str;
    /// Kind, such as `Deployment`.
    const KIND: &'static str;
    /// Plural name in paths, such as `deployments`.
    const PLURAL: &'static str;
    /// Scope of the objects.
    const SCOPE: Scope;
    /// Whether servers support protobuf for it: true for built-in kinds, never for custom resources.
    const HAS_PROTOBUF: bool = false;

    /// Returns the group and version.
    fn group_version() -> GroupVersion {
        GroupVersion::new_static(Self::GROUP, Self::VERSION)
    }

    /// Returns the full name of the kind.
    fn gvk() -> GroupVersionKind {
        GroupVersionKind::new_static(Self::GROUP, Self::VERSION, Self::KIND)
    }

    /// Returns the full name of the resource.
    fn gvr() -> GroupVersionResource {
        GroupVersionResource::new_static(Self::GROUP, Self::VERSION, Self::PLURAL)
    }
}
