//! Limit_Ranges in `v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema, Object)]
pub struct LimitRange {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: LimitRangeSpec,
}

#[derive(Clone, Default, Schema)]
pub struct LimitRangeItem {
    #[field(1, required)]
    pub type_: String,
    #[field(2)]
    pub max: BTreeMap<String, Quantity>,
    #[field(3)]
    pub min: BTreeMap<String, Quantity>,
    #[field(4)]
    pub default: BTreeMap<String, Quantity>,
    #[field(5)]
    pub default_request: BTreeMap<String, Quantity>,
    #[field(6)]
    pub max_limit_request_ratio: BTreeMap<String, Quantity>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct LimitRangeList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<LimitRange>,
}

#[derive(Clone, Default, Schema)]
pub struct LimitRangeSpec {
    #[field(1, required, list = "atomic")]
    pub limits: Vec<LimitRangeItem>,
}
