//! ConfigMaps and namespaces.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::{ByteString, Schema};

use super::*;

/// Settings for pods to read, as environment variables or files. Not for anything secret.
#[derive(Clone, Default, Schema, Object)]
pub struct ConfigMap {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// If true, the data can't change any more, nor can this. Spares nodes from watching it.
    #[field(4)]
    pub immutable: Option<bool>,
    /// Settings as text, by key. Keys have letters, digits, hyphens, underscores and dots.
    #[field(2)]
    pub data: BTreeMap<String, String>,
    /// Settings as bytes, by key, for what isn't UTF-8. A key can't be in data as well.
    #[field(3)]
    pub binary_data: BTreeMap<String, ByteString>,
}

/// A list of ConfigMap objects.
#[derive(Clone, Default, Schema, Object)]
pub struct ConfigMapList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<ConfigMap>,
}

/// A space for names, which keeps the objects of teams or projects apart.
#[derive(Clone, Default, Schema, Object)]
pub struct Namespace {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What holds up its deletion.
    #[field(2)]
    pub spec: NamespaceSpec,
    /// Whether it's in use or being deleted.
    #[field(3)]
    pub status: NamespaceStatus,
}

/// An aspect of a namespace's deletion and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct NamespaceCondition {
    /// What the deletion is hindered by or waiting for, such as NamespaceContentRemaining.
    #[field(1, required)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(2, required)]
    pub status: String,
    /// When the status last changed from one value to another.
    #[field(4)]
    pub last_transition_time: Time,
    /// One CamelCase word for why the status is what it is, for programs.
    #[field(5)]
    pub reason: String,
    /// What happened, for people.
    #[field(6)]
    pub message: String,
}

/// A list of Namespace objects.
#[derive(Clone, Default, Schema, Object)]
pub struct NamespaceList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<Namespace>,
}

/// What holds up a namespace's deletion.
#[derive(Clone, Default, Schema)]
pub struct NamespaceSpec {
    /// What must be done before it may vanish. The entry kubernetes stands for deleting its objects.
    #[field(1, list = "atomic")]
    pub finalizers: Vec<String>,
}
