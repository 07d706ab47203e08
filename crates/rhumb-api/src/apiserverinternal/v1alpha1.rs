//! `internal.apiserver.k8s.io/v1alpha1`.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
pub struct ServerStorageVersion {
    #[field(1, json = "apiServerID", required_omitempty)]
    pub api_server_id: String,
    #[field(2, required_omitempty)]
    pub encoding_version: String,
    #[field(3, required_omitempty, list = "set")]
    pub decodable_versions: Vec<String>,
    #[field(4, list = "set")]
    pub served_versions: Vec<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct StorageVersion {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, required_omitempty)]
    pub metadata: ObjectMeta,
    #[field(2, shown)]
    pub spec: StorageVersionSpec,
    #[field(3, shown)]
    pub status: StorageVersionStatus,
}

#[derive(Clone, Default, Schema)]
pub struct StorageVersionCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(3)]
    pub observed_generation: i64,
    #[field(4)]
    pub last_transition_time: Time,
    #[field(5, required)]
    pub reason: String,
    #[field(6, required_omitempty)]
    pub message: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct StorageVersionList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<StorageVersion>,
}

#[derive(Clone, Default, Schema)]
pub struct StorageVersionSpec {}

#[derive(Clone, Default, Schema)]
pub struct StorageVersionStatus {
    #[field(1, keys("apiServerID"))]
    pub storage_versions: Vec<ServerStorageVersion>,
    #[field(2)]
    pub common_encoding_version: Option<String>,
    #[field(3, keys("type"))]
    pub conditions: Vec<StorageVersionCondition>,
}
