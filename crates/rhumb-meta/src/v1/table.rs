//! Tables in `meta.k8s.io/v1`.

use crate::Object;
use rhumb_schema::RawJson;
use rhumb_schema::Schema;

use super::{CONDITION_STATUS, ListMeta, ObjectMeta, TypeMeta};

/// The values that a `RowConditionType` has.
pub const ROW_CONDITION_TYPES: &[&str] = &["Completed"];

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct PartialObjectMetadata {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct PartialObjectMetadataList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PartialObjectMetadata>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct Table {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(0)]
    pub metadata: ListMeta,
    #[field(0, required, list = "atomic")]
    pub column_definitions: Vec<TableColumnDefinition>,
    #[field(0, required, list = "atomic")]
    pub rows: Vec<TableRow>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct TableColumnDefinition {
    #[field(0, required)]
    pub name: String,
    #[field(0, required)]
    pub type_: String,
    #[field(0, required)]
    pub format: String,
    #[field(0, required)]
    pub description: String,
    #[field(0, required)]
    pub priority: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct TableRow {
    #[field(0, required, list = "atomic")]
    pub cells: Vec<serde_json::Value>,
    #[field(0, list = "atomic")]
    pub conditions: Vec<TableRowCondition>,
    #[field(0)]
    pub object: RawJson,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct TableRowCondition {
    #[field(0, required, values = ROW_CONDITION_TYPES)]
    pub type_: String,
    #[field(0, required, values = CONDITION_STATUS)]
    pub status: String,
    #[field(0)]
    pub reason: String,
    #[field(0)]
    pub message: String,
}
