//! `scheduling.k8s.io/v1alpha1`: the fields of v1.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use super::v1;
use crate::core::v1::PREEMPTION_POLICYS;

/// A name for a priority, which pods choose by `priorityClassName`.
#[derive(Clone, Default, Schema, Object, Convert)]
#[schema(retired)]
#[convert(hub = v1::PriorityClass)]
pub struct PriorityClass {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The priority that pods of this class get. It can't be changed.
    #[field(2, required)]
    pub value: i32,
    /// Whether pods that name no class are of this one.
    #[field(3)]
    pub global_default: bool,
    /// When to use the class, for people.
    #[field(4)]
    pub description: String,
    /// Whether its pods push others aside: `PreemptLowerPriority`, as is the default, or `Never`.
    #[field(5, values = PREEMPTION_POLICYS)]
    pub preemption_policy: Option<String>,
}

/// A list of PriorityClasses.
#[derive(Clone, Default, Schema, Object, Convert)]
#[schema(retired)]
#[convert(hub = v1::PriorityClassList)]
pub struct PriorityClassList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<PriorityClass>,
}
