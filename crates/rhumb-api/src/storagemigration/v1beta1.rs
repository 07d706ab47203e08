//! `storagemigration.k8s.io/v1beta1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{Condition, GroupResource, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema, Object)]
pub struct StorageVersionMigration {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: StorageVersionMigrationSpec,
    #[field(3)]
    pub status: StorageVersionMigrationStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct StorageVersionMigrationList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<StorageVersionMigration>,
}

#[derive(Clone, Default, Schema)]
pub struct StorageVersionMigrationSpec {
    #[field(1, required)]
    pub resource: GroupResource,
}

#[derive(Clone, Default, Schema)]
pub struct StorageVersionMigrationStatus {
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
    #[field(2)]
    pub resource_version: String,
}
