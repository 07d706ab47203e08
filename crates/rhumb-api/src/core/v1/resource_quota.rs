//! Resource_Quotas in `v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity};
use rhumb_schema::Schema;

use super::*;

#[derive(Clone, Default, Schema, Object)]
pub struct ResourceQuota {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ResourceQuotaSpec,
    #[field(3)]
    pub status: ResourceQuotaStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ResourceQuotaList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ResourceQuota>,
}

#[derive(Clone, Default, Schema)]
pub struct ResourceQuotaSpec {
    #[field(1)]
    pub hard: BTreeMap<String, Quantity>,
    #[field(2, list = "atomic", values = RESOURCE_QUOTA_SCOPES)]
    pub scopes: Vec<String>,
    #[field(3)]
    pub scope_selector: Option<Box<ScopeSelector>>,
}

#[derive(Clone, Default, Schema)]
pub struct ResourceQuotaStatus {
    #[field(1)]
    pub hard: BTreeMap<String, Quantity>,
    #[field(2)]
    pub used: BTreeMap<String, Quantity>,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ScopeSelector {
    #[field(1, list = "atomic")]
    pub match_expressions: Vec<ScopedResourceSelectorRequirement>,
}

#[derive(Clone, Default, Schema)]
pub struct ScopedResourceSelectorRequirement {
    #[field(1, required, values = RESOURCE_QUOTA_SCOPES)]
    pub scope_name: String,
    #[field(2, required, values = SCOPE_SELECTOR_OPERATORS)]
    pub operator: String,
    #[field(3, list = "atomic")]
    pub values: Vec<String>,
}
