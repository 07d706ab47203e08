//! `scheduling.k8s.io/v1`: how important a pod is beside others.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use crate::core::v1::PREEMPTION_POLICYS;

/// A name for a priority, which pods choose by `priorityClassName`.
#[derive(Clone, Default, Schema, Object)]
pub struct PriorityClass {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The priority that pods of this class get, up to 1000000000. It can't be changed.
    #[field(2, shown)]
    pub value: i32,
    /// Whether pods that name no class are of this one. If several say so the lowest value wins.
    #[field(3)]
    pub global_default: bool,
    /// When to use the class, for people.
    #[field(4)]
    pub description: String,
    /// Whether its pods push others aside: `PreemptLowerPriority`, as is the default, or `Never`. It can't be changed.
    #[field(5, values = PREEMPTION_POLICYS)]
    pub preemption_policy: Option<String>,
}

/// A list of PriorityClasses.
#[derive(Clone, Default, Schema, Object)]
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
