//! `meta.k8s.io/v1`: the metadata of objects and lists, conditions, managed fields and watch events; and, by
//! module, discovery, request options, selectors, status answers and tables.

use std::any::Any;
use std::collections::BTreeMap;

use rhumb_schema::{RawJson, Schema};

use crate::{FieldsV1, Object, Time};

/// Values of `ConditionStatus`.
pub const CONDITION_STATUS: &[&str] = &["True", "False", "Unknown"];
/// Values of `ManagedFieldsOperationType`.
pub const MANAGED_FIELDS_OPERATION_TYPES: &[&str] = &["Apply", "Update"];

mod discovery;
mod group;
mod options;
mod reason;
mod selector;
mod status;
mod table;

pub use discovery::*;
pub use group::*;
pub use options::*;
pub use reason::StatusReason;
pub use selector::*;
pub use status::*;
pub use table::*;

/// An aspect of an object's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct Condition {
    /// Which aspect, in CamelCase; an object has each type at most once.
    #[field(1, required)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(2, required, values = CONDITION_STATUS)]
    pub status: String,
    /// The generation of the object that it was judged on. If lower than the object's, it's outdated.
    #[field(3)]
    pub observed_generation: i64,
    /// When the status last changed from one value to another.
    #[field(4, required)]
    pub last_transition_time: Time,
    /// One CamelCase word for why the status is what it is, for programs.
    #[field(5, required)]
    pub reason: String,
    /// What happened, for people.
    #[field(6, required)]
    pub message: String,
}

/// A list of objects of any kinds.
#[derive(Clone, Default, Schema, Object)]
pub struct List {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects, each with its own version and kind.
    #[field(2, required, not_null)]
    pub items: Vec<RawJson>,
}

/// The metadata that a list has.
#[derive(Clone, Default, Schema)]
pub struct ListMeta {
    /// No longer filled in.
    #[field(1)]
    pub self_link: String,
    /// The version of the store that the list shows; a watch can start from it.
    #[field(2)]
    pub resource_version: String,
    /// Hand it back to get the next page; empty on the last one. It expires, and has no meaning beyond that.
    #[field(3)]
    pub continue_: String,
    /// About how many objects follow on later pages. Absent on the last page and with a selector.
    #[field(4)]
    pub remaining_item_count: Option<i64>,
    /// Present if a shard selector was asked for: the list then holds a part of the objects only.
    #[field(5)]
    pub shard_info: Option<Box<ShardInfo>>,
}

/// The fields that one manager has set in one way.
#[derive(Clone, Default, Schema)]
pub struct ManagedFieldsEntry {
    /// Who set them: the program, or the name it gave itself in the request.
    #[field(1)]
    pub manager: String,
    /// Apply for server-side apply, Update for anything else.
    #[field(2, values = MANAGED_FIELDS_OPERATION_TYPES)]
    pub operation: String,
    /// The version the fields are named in, as in apps/v1.
    #[field(3)]
    pub api_version: String,
    /// When the entry was made or last had fields added or changed. Fields lost to others don't count.
    #[field(4)]
    pub time: Option<Time>,
    /// The format of the fields; FieldsV1 is the only one.
    #[field(6)]
    pub fields_type: String,
    /// The fields, as a tree of their paths.
    #[field(7)]
    pub fields_v1: Option<FieldsV1>,
    /// The subresource they were set through, such as status; empty for the object itself.
    #[field(8, newer)]
    pub subresource: String,
}

/// The metadata that every stored object has.
#[derive(Clone, Default, Schema)]
pub struct ObjectMeta {
    /// Unique among the objects of a resource in a namespace, and can't change.
    #[field(1)]
    pub name: String,
    /// A prefix: without a name, the server appends a random suffix to it.
    #[field(2)]
    pub generate_name: String,
    /// The namespace it lives in; empty for resources of the whole cluster. Can't change.
    #[field(3)]
    pub namespace: String,
    /// No longer filled in.
    #[field(4)]
    pub self_link: String,
    /// Set by the server, and never used again, so that it tells apart objects which had the same name.
    #[field(5)]
    pub uid: String,
    /// Changes with every write. Send it back unchanged to write only if nobody else did; compare for
    /// equality.
    #[field(6)]
    pub resource_version: String,
    /// Counts changes of what is wanted; writes to metadata or status don't raise it.
    #[field(7)]
    pub generation: i64,
    /// When the server made it.
    #[field(8, omitzero, once_shown)]
    pub creation_timestamp: Time,
    /// When it's due to go, if its deletion was asked for. It stays until no finalizers are left.
    #[field(9)]
    pub deletion_timestamp: Option<Time>,
    /// How many seconds it was given to shut down when it was deleted. May only become shorter.
    #[field(10)]
    pub deletion_grace_period_seconds: Option<i64>,
    /// Names and values to select it by.
    #[field(11)]
    pub labels: BTreeMap<String, String>,
    /// Names and values for tools, of any content; nothing can be selected by them.
    #[field(12)]
    pub annotations: BTreeMap<String, String>,
    /// The objects it depends on: once all of them are gone, it's removed as well. At most one is its
    /// controller.
    #[field(13, keys("uid"), merge = "merge", merge_key = "uid")]
    pub owner_references: Vec<OwnerReference>,
    /// What must be done before it may vanish. Each entry is removed by whoever is responsible for it.
    #[field(14, list = "set", merge = "merge")]
    pub finalizers: Vec<String>,
    /// The cluster it was in, in kinds given up before the field was.
    #[field(15, gone)]
    pub cluster_name: Option<String>,
    /// Who set which fields, for finding conflicts in server-side apply. Kept by the server.
    #[field(17, list = "atomic")]
    pub managed_fields: Vec<ManagedFieldsEntry>,
}

/// An object that another one belongs to. It must be in the same namespace or in none.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct OwnerReference {
    /// The owner's group and version.
    #[field(5, required)]
    pub api_version: String,
    /// The owner's kind.
    #[field(1, required)]
    pub kind: String,
    /// The owner's name.
    #[field(3, required)]
    pub name: String,
    /// The owner's UID, so that a namesake made later doesn't count.
    #[field(4, required)]
    pub uid: String,
    /// Whether the owner is the one that manages the object.
    #[field(6)]
    pub controller: Option<bool>,
    /// Whether the owner has to wait for this object when it's deleted in the foreground.
    #[field(7)]
    pub block_owner_deletion: Option<bool>,
}

/// Which part of a collection a list holds.
#[derive(Clone, Default, Schema)]
pub struct ShardInfo {
    /// The shard selector of the request.
    #[field(1, required)]
    pub selector: String,
}

/// What an object is, as the first lines of a manifest say it.
#[derive(Clone, Default, Schema)]
pub struct TypeMeta {
    /// The kind, such as Pod. Can't change.
    #[field(1)]
    pub kind: String,
    /// The group and version that the object is written in, as in apps/v1, or just v1 for the core group.
    #[field(2)]
    pub api_version: String,
}

/// A change, as a watch reports it.
#[derive(Clone, Default, Schema)]
pub struct WatchEvent {
    /// ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.
    #[field(1, required)]
    pub type_: String,
    /// The object after the change or, if deleted, before it. A bookmark has a resource version only; an
    /// error is a Status.
    #[field(2, required)]
    pub object: RawJson,
}

/// A watch event has no version and kind of its own: those of the object in it are what matters.
impl Object for WatchEvent {
    fn type_meta(&self) -> (&str, &str) {
        ("", "")
    }
    fn set_type_meta(&mut self, _: &str, _: &str) {}
    fn clone_object(&self) -> Box<dyn Object> {
        Box::new(self.clone())
    }
    fn equals(&self, other: &dyn Object) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| self == other)
    }
}
