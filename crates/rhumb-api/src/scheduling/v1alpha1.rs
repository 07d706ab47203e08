//! `scheduling.k8s.io/v1alpha1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::core::v1::PREEMPTION_POLICYS;

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::PriorityClass)]
pub struct PriorityClass {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub value: i32,
    #[field(3)]
    pub global_default: bool,
    #[field(4)]
    pub description: String,
    #[field(5, values = PREEMPTION_POLICYS)]
    pub preemption_policy: Option<String>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::PriorityClassList)]
pub struct PriorityClassList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PriorityClass>,
}
