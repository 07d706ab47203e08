//! `storagemigration.k8s.io/v1beta1`: requests to rewrite stored objects in the newest version.

use rhumb_meta::Object;
use rhumb_meta::v1::{Condition, GroupResource, ListMeta, ObjectMeta, TypeMeta};
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
    #[field(2, required, not_null)]
    pub items: Vec<StorageVersionMigration>,
}

/// What is to be rewritten.
#[derive(Clone, Default, Schema)]
pub struct StorageVersionMigrationSpec {
    /// The resource by group and name. It can't be changed.
    #[field(1, required)]
    pub resource: GroupResource,
}

/// How the rewriting goes.
#[derive(Clone, Default, Schema)]
pub struct StorageVersionMigrationStatus {
    /// `Running`, `Succeeded` or `Failed`; an end is for good.
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
    /// The version of the list as it was when the rewriting began.
    #[field(2)]
    pub resource_version: String,
}
