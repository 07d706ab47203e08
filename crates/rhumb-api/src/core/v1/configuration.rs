//! Configurations in `v1`.

use rhumb_meta::Object;
use rhumb_meta::Time;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::ByteString;
use rhumb_schema::Schema;
use std::collections::BTreeMap;
use super::*;


#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct ConfigMap {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(4)]
    pub immutable: Option<bool>,
    #[field(2)]
    pub data: BTreeMap<String, String>,
    #[field(3)]
    pub binary_data: BTreeMap<String, ByteString>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct ConfigMapList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ConfigMap>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct Namespace {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: NamespaceSpec,
    #[field(3)]
    pub status: NamespaceStatus,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct NamespaceCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(4)]
    pub last_transition_time: Time,
    #[field(5)]
    pub reason: String,
    #[field(6)]
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct NamespaceList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Namespace>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct NamespaceSpec {
    #[field(1, list = "atomic")]
    pub finalizers: Vec<String>,
}
