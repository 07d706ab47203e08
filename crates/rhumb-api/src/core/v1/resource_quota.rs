//! ResourceQuotas: bounds on what a namespace uses in all.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity};
use rhumb_schema::Schema;

use super::*;

/// Bounds on what the objects of its namespace use together.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceQuota {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The bounds.
    #[field(2)]
    pub spec: ResourceQuotaSpec,
    /// What is used of them.
    #[field(3)]
    pub status: ResourceQuotaStatus,
}

/// A list of ResourceQuota objects.
#[derive(Clone, Default, Schema, Object)]
pub struct ResourceQuotaList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<ResourceQuota>,
}

/// The bounds that a quota sets.
#[derive(Clone, Default, Schema)]
pub struct ResourceQuotaSpec {
    /// The most that may be used, by resource, such as requests.cpu, pods or count/jobs.batch.
    #[field(1)]
    pub hard: BTreeMap<String, Quantity>,
    /// Which objects count: those that are of every one of these scopes.
    #[field(2, list = "atomic", values = RESOURCE_QUOTA_SCOPES)]
    pub scopes: Vec<String>,
    /// Which objects count, by scopes and their values.
    #[field(3)]
    pub scope_selector: Option<Box<ScopeSelector>>,
}

/// What is used of a quota.
#[derive(Clone, Default, Schema)]
pub struct ResourceQuotaStatus {
    /// The bounds in force.
    #[field(1)]
    pub hard: BTreeMap<String, Quantity>,
    /// What is used in the namespace.
    #[field(2)]
    pub used: BTreeMap<String, Quantity>,
}

/// Which objects count for a quota. All of the requirements hold.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct ScopeSelector {
    /// The requirements.
    #[field(1, list = "atomic")]
    pub match_expressions: Vec<ScopedResourceSelectorRequirement>,
}

/// A requirement on the scope of objects.
#[derive(Clone, Default, Schema)]
pub struct ScopedResourceSelectorRequirement {
    /// The scope, such as PriorityClass or BestEffort.
    #[field(1, required, values = RESOURCE_QUOTA_SCOPES)]
    pub scope_name: String,
    /// In, NotIn, Exists or DoesNotExist. Scopes without values only know Exists.
    #[field(2, required, values = SCOPE_SELECTOR_OPERATORS)]
    pub operator: String,
    /// The values, for In and NotIn.
    #[field(3, list = "atomic")]
    pub values: Vec<String>,
}
