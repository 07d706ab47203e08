//! `node.k8s.io/v1alpha1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

pub use super::v1::{Overhead, Scheduling};

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::RuntimeClass)]
pub struct RuntimeClass {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: RuntimeClassSpec,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::RuntimeClassList)]
pub struct RuntimeClassList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<RuntimeClass>,
}

#[derive(Clone, Default, Schema)]
pub struct RuntimeClassSpec {
    #[field(1, required)]
    pub runtime_handler: String,
    #[field(2)]
    pub overhead: Option<Box<Overhead>>,
    #[field(3)]
    pub scheduling: Option<Box<Scheduling>>,
}
