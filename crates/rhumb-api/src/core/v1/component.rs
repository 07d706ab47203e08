//! What tells of the cluster's own parts, and kinds that only servers and old clients exchange.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::{ByteString, Schema};

use super::*;

/// Whether a part of the control plane is well.
#[derive(Clone, Default, Schema)]
pub struct ComponentCondition {
    /// Always Healthy.
    #[field(1, required)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(2, required)]
    pub status: String,
    /// What the part answered when it was asked.
    #[field(3)]
    pub message: String,
    /// Why the part isn't well, such as how asking it failed.
    #[field(4)]
    pub error: String,
}

/// A part of the control plane and whether it's well. Deprecated: it's made up when asked for, and often
/// wrong.
#[derive(Clone, Default, Schema, Object)]
pub struct ComponentStatus {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is known of it.
    #[field(2, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<ComponentCondition>,
}

/// A list of ComponentStatus objects.
#[derive(Clone, Default, Schema, Object)]
pub struct ComponentStatusList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<ComponentStatus>,
}

/// The status of a pod, in answers of old servers to the writing of it.
#[derive(Clone, Default, Schema, Object)]
pub struct PodStatusResult {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The pod's status.
    #[field(2)]
    pub status: PodStatus,
}

/// Which numbers of a range are taken, such as addresses or ports. Kept by the server for itself.
#[derive(Clone, Default, Schema, Object)]
pub struct RangeAllocation {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The range, such as 10.0.0.0/16 or 30000-32767.
    #[field(2, required)]
    pub range: String,
    /// A bit per number of the range, set where it's taken.
    #[field(3, required)]
    pub data: ByteString,
}

/// A reference to an object, as controllers once wrote it into annotations.
#[derive(Clone, Default, Schema, Object)]
pub struct SerializedReference {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object.
    #[field(1)]
    pub reference: ObjectReference,
}
