//! `storagemigration.k8s.io/v1alpha1`: requests that name a version and keep their place in the list themselves. No
//! release of Kubernetes converts them to v1beta1.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

/// Asks that all objects of a resource be rewritten in the version they are stored in now.
#[derive(Clone, Default, Schema, Object)]
pub struct StorageVersionMigration {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: StorageVersionMigrationSpec,
    #[field(3)]
    pub status: StorageVersionMigrationStatus,
}

/// A list of StorageVersionMigrations.
#[derive(Clone, Default, Schema, Object)]
pub struct StorageVersionMigrationList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null, keys("type"), merge = "merge", merge_key = "type")]
    pub items: Vec<StorageVersionMigration>,
}

/// What is to be rewritten.
#[derive(Clone, Default, Schema)]
pub struct StorageVersionMigrationSpec {
    /// The resource, in the version that it is read and written in. It can't be changed.
    #[field(1, required)]
    pub resource: GroupVersionResource,
    /// Where in the list to go on, if the rewriting was interrupted.
    #[field(2)]
    pub continue_token: String,
}

/// A resource in a version, each part of which may be left out.
#[derive(Clone, Default, Schema)]
pub struct GroupVersionResource {
    /// The group.
    #[field(1)]
    pub group: String,
    /// The version.
    #[field(2)]
    pub version: String,
    /// The name of the resource, in the plural.
    #[field(3)]
    pub resource: String,
}

/// How the rewriting goes.
#[derive(Clone, Default, Schema)]
pub struct StorageVersionMigrationStatus {
    /// `Running`, `Succeeded` or `Failed`; an end is for good.
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<MigrationCondition>,
    /// The version of the list as it was when the rewriting began.
    #[field(2)]
    pub resource_version: String,
}

/// One aspect of how the rewriting goes.
#[derive(Clone, Default, Schema)]
pub struct MigrationCondition {
    /// `Running`, `Succeeded` or `Failed`.
    #[field(1, required)]
    pub type_: String,
    /// `True`, `False` or `Unknown`.
    #[field(2, required)]
    pub status: String,
    /// When the condition was last updated.
    #[field(3)]
    pub last_update_time: Time,
    /// Why the condition last changed, as one word.
    #[field(4)]
    pub reason: String,
    /// The same for people.
    #[field(5)]
    pub message: String,
}
