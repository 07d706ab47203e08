//! Alternative representations of objects: tables and metadata only.

use rhumb_schema::{RawJson, Schema};

use super::{CONDITION_STATUS, ListMeta, ObjectMeta, TypeMeta};
use crate::Object;

/// Values of `RowConditionType`.
pub const ROW_CONDITION_TYPES: &[&str] = &["Completed"];

/// An object of any kind, reduced to its metadata.
#[derive(Clone, Default, Schema, Object)]
pub struct PartialObjectMetadata {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
}

/// A list of objects reduced to their metadata.
#[derive(Clone, Default, Schema, Object)]
pub struct PartialObjectMetadataList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<PartialObjectMetadata>,
}

/// Objects as rows and columns, ready to print.
#[derive(Clone, Default, Schema, Object)]
pub struct Table {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(0)]
    pub metadata: ListMeta,
    /// The columns, in order.
    #[field(0, required, list = "atomic")]
    pub column_definitions: Vec<TableColumnDefinition>,
    /// A row per object. An empty table says `[]`, as Kubernetes does for all kinds with columns of their own; for the
    /// few others it says `null`.
    #[field(0, required, not_null, list = "atomic")]
    pub rows: Vec<TableRow>,
}

/// A column of a table.
#[derive(Clone, Default, Schema)]
pub struct TableColumnDefinition {
    /// The heading.
    #[field(0, required)]
    pub name: String,
    /// The type of the cells, as in OpenAPI: string, integer, number, boolean or date.
    #[field(0, required)]
    pub type_: String,
    /// How to take the type, as in OpenAPI. The format name marks the column that identifies the object.
    #[field(0, required)]
    pub format: String,
    /// What the column shows.
    #[field(0, required)]
    pub description: String,
    /// 0 for columns that are always shown; higher ones only if there is room or they're asked for.
    #[field(0, required)]
    pub priority: i32,
}

/// An object's row.
#[derive(Clone, Default, Schema)]
pub struct TableRow {
    /// A value per column, in the same order.
    #[field(0, required, list = "atomic")]
    pub cells: Vec<serde_json::Value>,
    /// Marks on the row; a row without marks is an ordinary one.
    #[field(0, list = "atomic")]
    pub conditions: Vec<TableRowCondition>,
    /// The object, whole or reduced to its metadata, as asked for with includeObject.
    #[field(0)]
    pub object: RawJson,
}

/// A mark on a row.
#[derive(Clone, Default, Schema)]
pub struct TableRowCondition {
    /// Completed is the only one: the object has run to its end and may be shown less prominently.
    #[field(0, required, values = ROW_CONDITION_TYPES)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(0, required, values = CONDITION_STATUS)]
    pub status: String,
    /// One word for why, for programs.
    #[field(0)]
    pub reason: String,
    /// What happened, for people.
    #[field(0)]
    pub message: String,
}
