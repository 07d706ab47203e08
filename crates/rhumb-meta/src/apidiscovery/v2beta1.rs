//! `apidiscovery.k8s.io/v2beta1`.

use crate::Object;
use crate::v1::GroupVersionKind;
use crate::v1::ListMeta;
use crate::v1::ObjectMeta;
use crate::v1::TypeMeta;
use rhumb_schema::Schema;

/// The values that a `DiscoveryFreshness` has.
pub const DISCOVERY_FRESHNESS: &[&str] = &["Current", "Stale"];
/// The values that a `ResourceScope` has.
pub const RESOURCE_SCOPES: &[&str] = &["Cluster", "Namespaced"];

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct APIGroupDiscovery {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, keys("version"))]
    pub versions: Vec<APIVersionDiscovery>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct APIGroupDiscoveryList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<APIGroupDiscovery>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct APIResourceDiscovery {
    #[field(1, required)]
    pub resource: String,
    #[field(2)]
    pub response_kind: Option<Box<GroupVersionKind>>,
    #[field(3, required, values = RESOURCE_SCOPES)]
    pub scope: String,
    #[field(4, required)]
    pub singular_resource: String,
    #[field(5, required, list = "set")]
    pub verbs: Vec<String>,
    #[field(6, list = "set")]
    pub short_names: Vec<String>,
    #[field(7, list = "set")]
    pub categories: Vec<String>,
    #[field(8, keys("subresource"))]
    pub subresources: Vec<APISubresourceDiscovery>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct APISubresourceDiscovery {
    #[field(1, required)]
    pub subresource: String,
    #[field(2)]
    pub response_kind: Option<Box<GroupVersionKind>>,
    #[field(3, keys("group", "version", "kind"))]
    pub accepted_types: Vec<GroupVersionKind>,
    #[field(4, required, list = "set")]
    pub verbs: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct APIVersionDiscovery {
    #[field(1, required)]
    pub version: String,
    #[field(2, keys("resource"))]
    pub resources: Vec<APIResourceDiscovery>,
    #[field(3, values = DISCOVERY_FRESHNESS)]
    pub freshness: String,
}
