//! `meta.k8s.io/v1`.

use crate::Object;
use crate::{FieldsV1, Time};
use rhumb_schema::RawJson;
use rhumb_schema::Schema;
use std::collections::BTreeMap;

/// The values that a `ConditionStatus` has.
pub const CONDITION_STATUS: &[&str] = &["True", "False", "Unknown"];
/// The values that a `ManagedFieldsOperationType` has.
pub const MANAGED_FIELDS_OPERATION_TYPES: &[&str] = &["Apply", "Update"];

mod discovery;
mod options;
mod selector;
mod status;
mod table;

pub use discovery::*;
pub use options::*;
pub use selector::*;
pub use status::*;
pub use table::*;

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct Condition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required, values = CONDITION_STATUS)]
    pub status: String,
    #[field(3)]
    pub observed_generation: i64,
    #[field(4, required)]
    pub last_transition_time: Time,
    #[field(5, required)]
    pub reason: String,
    #[field(6, required)]
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct List {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<RawJson>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ListMeta {
    #[field(1)]
    pub self_link: String,
    #[field(2)]
    pub resource_version: String,
    #[field(3)]
    pub continue_: String,
    #[field(4)]
    pub remaining_item_count: Option<i64>,
    #[field(5)]
    pub shard_info: Option<Box<ShardInfo>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ManagedFieldsEntry {
    #[field(1)]
    pub manager: String,
    #[field(2, values = MANAGED_FIELDS_OPERATION_TYPES)]
    pub operation: String,
    #[field(3)]
    pub api_version: String,
    #[field(4)]
    pub time: Option<Time>,
    #[field(6)]
    pub fields_type: String,
    #[field(7)]
    pub fields_v1: Option<FieldsV1>,
    #[field(8)]
    pub subresource: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ObjectMeta {
    #[field(1)]
    pub name: String,
    #[field(2)]
    pub generate_name: String,
    #[field(3)]
    pub namespace: String,
    #[field(4)]
    pub self_link: String,
    #[field(5)]
    pub uid: String,
    #[field(6)]
    pub resource_version: String,
    #[field(7)]
    pub generation: i64,
    #[field(8, omitzero)]
    pub creation_timestamp: Time,
    #[field(9)]
    pub deletion_timestamp: Option<Time>,
    #[field(10)]
    pub deletion_grace_period_seconds: Option<i64>,
    #[field(11)]
    pub labels: BTreeMap<String, String>,
    #[field(12)]
    pub annotations: BTreeMap<String, String>,
    #[field(13, keys("uid"), merge = "merge", merge_key = "uid")]
    pub owner_references: Vec<OwnerReference>,
    #[field(14, list = "set", merge = "merge")]
    pub finalizers: Vec<String>,
    #[field(17, list = "atomic")]
    pub managed_fields: Vec<ManagedFieldsEntry>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
#[schema(atomic)]
pub struct OwnerReference {
    #[field(5, required)]
    pub api_version: String,
    #[field(1, required)]
    pub kind: String,
    #[field(3, required)]
    pub name: String,
    #[field(4, required)]
    pub uid: String,
    #[field(6)]
    pub controller: Option<bool>,
    #[field(7)]
    pub block_owner_deletion: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ShardInfo {
    #[field(1, required)]
    pub selector: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct TypeMeta {
    #[field(1)]
    pub kind: String,
    #[field(2)]
    pub api_version: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct WatchEvent {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub object: RawJson,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct GroupVersionKind {
    #[field(1, required)]
    pub group: String,
    #[field(2, required)]
    pub version: String,
    #[field(3, required)]
    pub kind: String,
}
