//! What garbage collection wants to know of an object, read from its stored bytes without reading all of it.

use rhumb_codec::{Strictness, json, proto};
use rhumb_meta::v1::{OwnerReference, TypeMeta};
use rhumb_meta::{GroupVersionKind, Time};
use rhumb_schema::Schema;

use crate::registry::finalizers::{FOREGROUND, ORPHAN};

/// Which object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// Its kind, in the version that it is stored in.
    pub(super) kind: GroupVersionKind,
    /// Its namespace.
    pub(super) namespace: String,
    /// Its name.
    pub(super) name: String,
    /// Its UID.
    pub(super) uid: String,
}

/// What an object waits for before it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Leaving {
    /// Nobody wants it to go.
    #[default]
    No,
    /// Nothing that concerns its dependents.
    Going,
    /// That its dependents are let go.
    Orphaning,
    /// That its dependents are gone.
    Foreground,
}

/// What there is to know of an object.
#[derive(Clone, Debug)]
pub(super) struct Glance {
    /// Which one it is.
    pub(super) reference: Reference,
    /// Its owners.
    pub(super) owners: Vec<OwnerReference>,
    /// Whether it is leaving.
    pub(super) leaving: Leaving,
}

/// The fields that are read of any object.
#[derive(Clone, Default, Schema)]
struct Stored {
    /// The version and kind.
    #[field(0, inline)]
    type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    metadata: StoredMeta,
}

/// The fields that are read of its metadata.
#[derive(Clone, Default, Schema)]
struct StoredMeta {
    /// Its name.
    #[field(1)]
    name: String,
    /// Its namespace.
    #[field(3)]
    namespace: String,
    /// Its UID.
    #[field(5)]
    uid: String,
    /// When it is to go.
    #[field(9)]
    deletion_timestamp: Option<Time>,
    /// Its owners.
    #[field(13)]
    owner_references: Vec<OwnerReference>,
    /// What it waits for before it goes.
    #[field(14)]
    finalizers: Vec<String>,
}

/// Reads the metadata of stored bytes; `None` if they have none.
pub(super) fn glance(value: &[u8]) -> Option<Glance> {
    let mut object = Stored::default();
    if value.starts_with(proto::MAGIC) {
        let envelope = proto::open(value).ok()?;
        proto::decode_into(envelope.raw, &mut object).ok()?;
        object.type_meta.api_version = envelope.api_version.to_owned();
        object.type_meta.kind = envelope.kind.to_owned();
    } else {
        json::decode_into(value, &mut object, Strictness::Ignore).ok()?;
    }
    let (told, meta) = (object.type_meta, object.metadata);
    let has = |name: &str| meta.finalizers.iter().any(|finalizer| finalizer == name);
    let leaving = match meta.deletion_timestamp {
        None => Leaving::No,
        Some(_) if has(ORPHAN) => Leaving::Orphaning,
        Some(_) if has(FOREGROUND) => Leaving::Foreground,
        Some(_) => Leaving::Going,
    };
    Some(Glance {
        leaving,
        owners: meta.owner_references,
        reference: Reference {
            kind: GroupVersionKind::from_api_version_and_kind(&told.api_version, &told.kind),
            namespace: meta.namespace,
            name: meta.name,
            uid: meta.uid,
        },
    })
}

/// The kind that an owner is said to have.
pub(super) fn kind_of(owner: &OwnerReference) -> GroupVersionKind {
    GroupVersionKind::from_api_version_and_kind(&owner.api_version, &owner.kind)
}
