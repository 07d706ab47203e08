//! Discovery documents: groups, versions, resources and server addresses.

use rhumb_schema::Schema;

use super::TypeMeta;
use crate::Object;

/// An API group and the versions a server has of it.
#[derive(Clone, Default, Schema, Object)]
pub struct APIGroup {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The group's name, such as apps; empty for the core group.
    #[field(1, required)]
    pub name: String,
    /// All versions served.
    #[field(2, required, list = "atomic")]
    pub versions: Vec<GroupVersionForDiscovery>,
    /// The version that clients without a preference should use.
    #[field(3)]
    pub preferred_version: GroupVersionForDiscovery,
    /// Which address to use, by the network the client is in; the longest match wins.
    #[field(4, json = "serverAddressByClientCIDRs", list = "atomic")]
    pub server_address_by_client_cidrs: Vec<ServerAddressByClientCIDR>,
}

/// All API groups of a server, as `/apis` answers.
#[derive(Clone, Default, Schema, Object)]
pub struct APIGroupList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The groups, without the core group.
    #[field(1, required, list = "atomic")]
    pub groups: Vec<APIGroup>,
}

/// A resource or subresource of one group version, and what can be done with it.
#[derive(Clone, Default, Schema)]
pub struct APIResource {
    /// The name used in URLs: plural, and with a slash for subresources, as in pods/log.
    #[field(1, required)]
    pub name: String,
    /// The name for one object, which command lines accept as well. Empty for subresources.
    #[field(6, required)]
    pub singular_name: String,
    /// Whether its objects live in namespaces.
    #[field(2, required)]
    pub namespaced: bool,
    /// The group of the kind, where it differs from that of the list.
    #[field(8)]
    pub group: String,
    /// The version of the kind, where it differs from that of the list.
    #[field(9)]
    pub version: String,
    /// The kind that it takes and gives.
    #[field(3, required)]
    pub kind: String,
    /// What can be done, such as get, list, watch or create.
    #[field(4, required)]
    pub verbs: Verbs,
    /// Abbreviations for command lines, such as po for pods.
    #[field(5, list = "atomic")]
    pub short_names: Vec<String>,
    /// Collective names it can be asked for by, such as all.
    #[field(7, list = "atomic")]
    pub categories: Vec<String>,
    /// Changes when objects are stored in another version. Only compare it; it has no other meaning.
    #[field(10)]
    pub storage_version_hash: String,
}

/// The resources of one group version.
#[derive(Clone, Default, Schema, Object)]
pub struct APIResourceList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The group and version, as in apps/v1.
    #[field(1, required)]
    pub group_version: String,
    /// Its resources and subresources.
    #[field(2, required, list = "atomic")]
    pub resources: Vec<APIResource>,
}

/// The versions of the core group, as `/api` answers.
#[derive(Clone, Default, Schema, Object)]
pub struct APIVersions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// All versions served, such as v1.
    #[field(1, required, list = "atomic")]
    pub versions: Vec<String>,
    /// Which address to use, by the network the client is in; the longest match wins.
    #[field(2, json = "serverAddressByClientCIDRs", required, list = "atomic")]
    pub server_address_by_client_cidrs: Vec<ServerAddressByClientCIDR>,
}

/// A version of a group, in both its notations.
#[derive(Clone, Default, Schema)]
pub struct GroupVersionForDiscovery {
    /// With the group, as in apps/v1.
    #[field(1, required)]
    pub group_version: String,
    /// Without the group, as in v1.
    #[field(2, required)]
    pub version: String,
}

/// The paths a server has below its root.
#[derive(Clone, Default, Schema)]
pub struct RootPaths {
    /// The paths, each beginning with a slash.
    #[field(1, required, list = "atomic")]
    pub paths: Vec<String>,
}

/// The address that clients of one network should reach the server by.
#[derive(Clone, Default, Schema)]
pub struct ServerAddressByClientCIDR {
    /// The network, as in 10.0.0.0/8.
    #[field(1, json = "clientCIDR", required)]
    pub client_cidr: String,
    /// A host name or IP address, with a port unless it's the usual one.
    #[field(2, required)]
    pub server_address: String,
}

/// The verbs of a resource.
#[derive(Clone, Default, Schema)]
#[schema(transparent)]
pub struct Verbs(#[field(1)] pub Vec<String>);
