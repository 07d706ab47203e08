//! Objects in `v1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::{ByteString, Schema};

use super::*;

#[derive(Clone, Default, Schema, Object)]
pub struct Binding {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub target: ObjectReference,
}

#[derive(Clone, Default, Schema)]
pub struct ComponentCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(3)]
    pub message: String,
    #[field(4)]
    pub error: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ComponentStatus {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<ComponentCondition>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ComponentStatusList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ComponentStatus>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodStatusResult {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub status: PodStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct RangeAllocation {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub range: String,
    #[field(3, required)]
    pub data: ByteString,
}

#[derive(Clone, Default, Schema, Object)]
pub struct SerializedReference {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub reference: ObjectReference,
}
