//! LimitRanges: bounds on what single pods, containers and claims of a namespace may ask for.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity};
use rhumb_schema::Schema;

/// Bounds on the resources of each pod, container or claim in its namespace, and defaults for containers.
#[derive(Clone, Default, Schema, Object)]
pub struct LimitRange {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The bounds.
    #[field(2)]
    pub spec: LimitRangeSpec,
}

/// Bounds for one sort of object.
#[derive(Clone, Default, Schema)]
pub struct LimitRangeItem {
    /// Pod, Container, PersistentVolumeClaim, or a sort with a domain in front.
    #[field(1, required)]
    pub type_: String,
    /// The most it may ask for, by resource.
    #[field(2)]
    pub max: BTreeMap<String, Quantity>,
    /// The least it must ask for, by resource.
    #[field(3)]
    pub min: BTreeMap<String, Quantity>,
    /// Limits for containers that set none, by resource. Defaults to max.
    #[field(4)]
    pub default: BTreeMap<String, Quantity>,
    /// Requests for containers that make none, by resource. Defaults to default, then to min.
    #[field(5)]
    pub default_request: BTreeMap<String, Quantity>,
    /// How many times the request a limit may be, by resource.
    #[field(6)]
    pub max_limit_request_ratio: BTreeMap<String, Quantity>,
}

/// A list of LimitRange objects.
#[derive(Clone, Default, Schema, Object)]
pub struct LimitRangeList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<LimitRange>,
}

/// The bounds that a LimitRange sets.
#[derive(Clone, Default, Schema)]
pub struct LimitRangeSpec {
    /// The bounds, which all hold.
    #[field(1, required, list = "atomic")]
    pub limits: Vec<LimitRangeItem>,
}
