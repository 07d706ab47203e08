//! Secrets.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::{ByteString, Schema};

/// Something that must be kept from most people: passwords, keys, tokens. Read by pods like a ConfigMap.
#[derive(Clone, Default, Schema, Object)]
pub struct Secret {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// If true, the data can't change any more, nor can this. Spares nodes from watching it.
    #[field(5)]
    pub immutable: Option<bool>,
    /// The values, by key, in base64. Keys have letters, digits, hyphens, underscores and dots.
    #[field(2)]
    pub data: BTreeMap<String, ByteString>,
    /// Values as plain text, for writing only: they go into data, over what it says.
    #[field(4)]
    pub string_data: BTreeMap<String, String>,
    /// What the data is, such as kubernetes.io/tls, and so which keys it must have. Defaults to Opaque.
    /// Can't change.
    #[field(3)]
    pub type_: String,
}

/// A list of Secret objects.
#[derive(Clone, Default, Schema, Object)]
pub struct SecretList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<Secret>,
}
