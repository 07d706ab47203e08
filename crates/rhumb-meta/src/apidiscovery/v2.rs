//! `apidiscovery.k8s.io/v2`: aggregated discovery.

use rhumb_schema::Schema;

use crate::Object;
use crate::v1::{GroupVersionKind, ListMeta, ObjectMeta, TypeMeta};

/// Values of `DiscoveryFreshness`.
pub const DISCOVERY_FRESHNESS: &[&str] = &["Current", "Stale"];
/// Values of `ResourceScope`.
pub const RESOURCE_SCOPES: &[&str] = &["Cluster", "Namespaced"];

/// An API group, named by its metadata, with everything it offers.
#[derive(Clone, Default, Schema, Object)]
pub struct APIGroupDiscovery {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// Its versions, the preferred one first.
    #[field(2, keys("version"))]
    pub versions: Vec<APIVersionDiscovery>,
}

/// The groups of a server.
#[derive(Clone, Default, Schema, Object)]
pub struct APIGroupDiscoveryList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The groups, in the order clients should prefer them.
    #[field(2, required, not_null)]
    pub items: Vec<APIGroupDiscovery>,
}

/// A resource of one group version, and what can be done with it.
#[derive(Clone, Default, Schema)]
pub struct APIResourceDiscovery {
    /// The plural name used in URLs, such as pods.
    #[field(1, required)]
    pub resource: String,
    /// The kind that it gives. Its group and version can differ from the resource's.
    #[field(2)]
    pub response_kind: Option<Box<GroupVersionKind>>,
    /// Cluster or Namespaced.
    #[field(3, required, values = RESOURCE_SCOPES)]
    pub scope: String,
    /// The name for one object, which command lines accept as well.
    #[field(4, required)]
    pub singular_resource: String,
    /// What can be done, such as get, list, watch or create.
    #[field(5, required, list = "set")]
    pub verbs: Vec<String>,
    /// Abbreviations for command lines, such as po for pods.
    #[field(6, list = "set")]
    pub short_names: Vec<String>,
    /// Collective names it can be asked for by, such as all.
    #[field(7, list = "set")]
    pub categories: Vec<String>,
    /// Its subresources, such as status or scale.
    #[field(8, keys("subresource"))]
    pub subresources: Vec<APISubresourceDiscovery>,
}

/// A subresource, and what can be done with it.
#[derive(Clone, Default, Schema)]
pub struct APISubresourceDiscovery {
    /// Its name, without that of the resource, such as scale.
    #[field(1, required)]
    pub subresource: String,
    /// The kind that it gives, if it gives objects.
    #[field(2)]
    pub response_kind: Option<Box<GroupVersionKind>>,
    /// The kinds that it takes, where they differ from what it gives.
    #[field(3, keys("group", "version", "kind"))]
    pub accepted_types: Vec<GroupVersionKind>,
    /// What can be done, such as get, update or patch.
    #[field(4, required, list = "set")]
    pub verbs: Vec<String>,
}

/// A version of a group.
#[derive(Clone, Default, Schema)]
pub struct APIVersionDiscovery {
    /// The version, such as v1.
    #[field(1, required)]
    pub version: String,
    /// The resources that it has.
    #[field(2, keys("resource"))]
    pub resources: Vec<APIResourceDiscovery>,
    /// Current, or Stale if the server behind it couldn't be reached and this is what it said before.
    #[field(3, values = DISCOVERY_FRESHNESS)]
    pub freshness: String,
}
