//! `node.k8s.io/v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity};
use rhumb_schema::Schema;

use crate::core::v1::Toleration;

#[derive(Clone, Default, Schema)]
pub struct Overhead {
    #[field(1)]
    pub pod_fixed: BTreeMap<String, Quantity>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct RuntimeClass {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub handler: String,
    #[field(3)]
    pub overhead: Option<Box<Overhead>>,
    #[field(4)]
    pub scheduling: Option<Box<Scheduling>>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct RuntimeClassList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<RuntimeClass>,
}

#[derive(Clone, Default, Schema)]
pub struct Scheduling {
    #[field(1, atomic)]
    pub node_selector: BTreeMap<String, String>,
    #[field(2, list = "atomic")]
    pub tolerations: Vec<Toleration>,
}
