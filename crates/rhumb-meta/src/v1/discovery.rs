//! Discoverys in `meta.k8s.io/v1`.

use crate::Object;
use rhumb_schema::Schema;

use super::TypeMeta;


#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct APIGroup {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, required)]
    pub name: String,
    #[field(2, required, list = "atomic")]
    pub versions: Vec<GroupVersionForDiscovery>,
    #[field(3)]
    pub preferred_version: GroupVersionForDiscovery,
    #[field(4, json = "serverAddressByClientCIDRs", list = "atomic")]
    pub server_address_by_client_cidrs: Vec<ServerAddressByClientCIDR>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct APIGroupList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, required, list = "atomic")]
    pub groups: Vec<APIGroup>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct APIResource {
    #[field(1, required)]
    pub name: String,
    #[field(6, required)]
    pub singular_name: String,
    #[field(2, required)]
    pub namespaced: bool,
    #[field(8)]
    pub group: String,
    #[field(9)]
    pub version: String,
    #[field(3, required)]
    pub kind: String,
    #[field(4, required)]
    pub verbs: Verbs,
    #[field(5, list = "atomic")]
    pub short_names: Vec<String>,
    #[field(7, list = "atomic")]
    pub categories: Vec<String>,
    #[field(10)]
    pub storage_version_hash: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct APIResourceList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, required)]
    pub group_version: String,
    #[field(2, required, list = "atomic")]
    pub resources: Vec<APIResource>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct APIVersions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, required, list = "atomic")]
    pub versions: Vec<String>,
    #[field(2, json = "serverAddressByClientCIDRs", required, list = "atomic")]
    pub server_address_by_client_cidrs: Vec<ServerAddressByClientCIDR>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct GroupVersionForDiscovery {
    #[field(1, required)]
    pub group_version: String,
    #[field(2, required)]
    pub version: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct RootPaths {
    #[field(1, required, list = "atomic")]
    pub paths: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ServerAddressByClientCIDR {
    #[field(1, json = "clientCIDR", required)]
    pub client_cidr: String,
    #[field(2, required)]
    pub server_address: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(transparent)]
pub struct Verbs(#[field(1)] pub Vec<String>);
