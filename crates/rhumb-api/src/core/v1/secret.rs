//! Secrets in `v1`.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::{ByteString, Schema};

#[derive(Clone, Default, Schema, Object)]
pub struct Secret {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(5)]
    pub immutable: Option<bool>,
    #[field(2)]
    pub data: BTreeMap<String, ByteString>,
    #[field(4)]
    pub string_data: BTreeMap<String, String>,
    #[field(3)]
    pub type_: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct SecretList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Secret>,
}
