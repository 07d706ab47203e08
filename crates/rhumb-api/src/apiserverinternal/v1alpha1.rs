//! `internal.apiserver.k8s.io/v1alpha1`: which API servers write and read which version of a resource.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

/// What one API server reads and writes of a resource.
#[derive(Clone, Default, Schema)]
pub struct ServerStorageVersion {
    /// The server's name.
    #[field(1, json = "apiServerID", required_omitempty)]
    pub api_server_id: String,
    /// The version it stores objects in.
    #[field(2, required_omitempty)]
    pub encoding_version: String,
    /// The versions it can read.
    #[field(3, required_omitempty, list = "set")]
    pub decodable_versions: Vec<String>,
    /// The versions it serves, all of which it can read.
    #[field(4, list = "set")]
    pub served_versions: Vec<String>,
}

/// Which versions of a resource the API servers store, named `GROUP.RESOURCE`.
#[derive(Clone, Default, Schema, Object)]
pub struct StorageVersion {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1, required_omitempty)]
    pub metadata: ObjectMeta,
    #[field(2, shown)]
    pub spec: StorageVersionSpec,
    #[field(3, shown)]
    pub status: StorageVersionStatus,
}

/// A fact about the storage version at some time.
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

/// A list of StorageVersions.
#[derive(Clone, Default, Schema, Object)]
pub struct StorageVersionList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<StorageVersion>,
}

/// Nothing: only the state is of use.
#[derive(Clone, Default, Schema)]
pub struct StorageVersionSpec {}

/// What the API servers report.
#[derive(Clone, Default, Schema)]
pub struct StorageVersionStatus {
    /// What each server reports.
    #[field(1, keys("apiServerID"))]
    pub storage_versions: Vec<ServerStorageVersion>,
    /// The version that all servers store in, if they agree.
    #[field(2)]
    pub common_encoding_version: Option<String>,
    /// `AllEncodingVersionsEqual` says whether the servers agree.
    #[field(3, keys("type"))]
    pub conditions: Vec<StorageVersionCondition>,
}
