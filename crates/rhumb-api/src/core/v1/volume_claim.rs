//! Claims of storage in `v1`: what a PersistentVolumeClaim asks for, and what it got.

use std::collections::BTreeMap;

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;

use super::*;

/// How a change of a volume's attributes is going.
#[derive(Clone, Default, Schema)]
pub struct ModifyVolumeStatus {
    /// The VolumeAttributesClass that it's changing to.
    #[field(1)]
    pub target_volume_attributes_class_name: String,
    /// Pending if something is missing, InProgress, or Infeasible if the driver refused: choose another
    /// class then.
    #[field(2, required, values = PERSISTENT_VOLUME_CLAIM_MODIFY_VOLUME_STATUS)]
    pub status: String,
}

/// A request for storage that outlives pods, and the volume that was found or made for it.
#[derive(Clone, Default, Schema, Object)]
pub struct PersistentVolumeClaim {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is asked for.
    #[field(2)]
    pub spec: PersistentVolumeClaimSpec,
    /// What was given.
    #[field(3)]
    pub status: PersistentVolumeClaimStatus,
}

/// An aspect of a claim's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct PersistentVolumeClaimCondition {
    /// Which aspect, such as Resizing or FileSystemResizePending.
    #[field(1, required)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(2, required)]
    pub status: String,
    /// When it was last checked.
    #[field(3)]
    pub last_probe_time: Time,
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

/// A list of PersistentVolumeClaim objects.
#[derive(Clone, Default, Schema, Object)]
pub struct PersistentVolumeClaimList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<PersistentVolumeClaim>,
}

/// What a claim asks for. Once made, only the size can grow and the attributes class change.
#[derive(Clone, Default, Schema)]
pub struct PersistentVolumeClaimSpec {
    /// Who uses it at once: ReadWriteOnce (one node), ReadOnlyMany, ReadWriteMany or ReadWriteOncePod (one
    /// pod).
    #[field(1, list = "atomic", values = PERSISTENT_VOLUME_ACCESS_MODES)]
    pub access_modes: Vec<String>,
    /// Labels that an existing volume must have. Volumes aren't made for claims with a selector.
    #[field(4)]
    pub selector: Option<Box<LabelSelector>>,
    /// How much storage it needs.
    #[field(2)]
    pub resources: VolumeResourceRequirements,
    /// The volume it's bound to. Set it to ask for a certain one.
    #[field(3)]
    pub volume_name: String,
    /// The StorageClass to get it from. Unset for the cluster's default; empty for none, so that only
    /// existing volumes without a class fit.
    #[field(5)]
    pub storage_class_name: Option<String>,
    /// Filesystem (the default), or Block for a raw device.
    #[field(6, values = PERSISTENT_VOLUME_MODES)]
    pub volume_mode: Option<String>,
    /// A VolumeSnapshot, or another claim, to fill the volume from. Kept equal to dataSourceRef where both
    /// can say it.
    #[field(7)]
    pub data_source: Option<Box<TypedLocalObjectReference>>,
    /// What to fill the volume from: any kind of object that has a populator. Can't be a core kind other
    /// than a claim.
    #[field(8)]
    pub data_source_ref: Option<Box<TypedObjectReference>>,
    /// The VolumeAttributesClass, for settings such as throughput that the driver can change later.
    #[field(9)]
    pub volume_attributes_class_name: Option<String>,
}

/// What a claim was given.
#[derive(Clone, Default, Schema)]
pub struct PersistentVolumeClaimStatus {
    /// Pending, Bound, or Lost if the volume it was bound to is gone.
    #[field(1, values = PERSISTENT_VOLUME_CLAIM_PHASES)]
    pub phase: String,
    /// The access modes that the volume has.
    #[field(2, list = "atomic", values = PERSISTENT_VOLUME_ACCESS_MODES)]
    pub access_modes: Vec<String>,
    /// The size that the volume has.
    #[field(3)]
    pub capacity: BTreeMap<String, Quantity>,
    /// Aspects of its state, one entry per type.
    #[field(4, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<PersistentVolumeClaimCondition>,
    /// The size being grown to, which may exceed the one the volume has.
    #[field(5)]
    pub allocated_resources: BTreeMap<String, Quantity>,
    /// How growing goes, by resource, such as ControllerResizeInProgress or NodeResizePending.
    #[field(7, values = CLAIM_RESOURCE_STATUS)]
    pub allocated_resource_statuses: BTreeMap<String, String>,
    /// The VolumeAttributesClass in force. Unset if there is none.
    #[field(8)]
    pub current_volume_attributes_class_name: Option<String>,
    /// How a change of the VolumeAttributesClass is going. Unset when none is.
    #[field(9)]
    pub modify_volume_status: Option<Box<ModifyVolumeStatus>>,
}

/// What a claim looks like that is made for a pod.
#[derive(Clone, Default, Schema)]
pub struct PersistentVolumeClaimTemplate {
    /// Labels and annotations for the claim; nothing else is allowed.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the claim asks for.
    #[field(2, required)]
    pub spec: PersistentVolumeClaimSpec,
}

/// An object of some kind in the same namespace.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct TypedLocalObjectReference {
    /// Its group, without a version. Unset for the core group.
    #[field(1, shown)]
    pub api_group: Option<String>,
    /// Its kind.
    #[field(2, required)]
    pub kind: String,
    /// Its name.
    #[field(3, required)]
    pub name: String,
}

/// An object of some kind, possibly in another namespace.
#[derive(Clone, Default, Schema)]
pub struct TypedObjectReference {
    /// Its group, without a version. Unset for the core group.
    #[field(1, shown)]
    pub api_group: Option<String>,
    /// Its kind.
    #[field(2, required)]
    pub kind: String,
    /// Its name.
    #[field(3, required)]
    pub name: String,
    /// Its namespace. Another one than the own needs a ReferenceGrant there and an alpha feature.
    #[field(4)]
    pub namespace: Option<String>,
}

/// How much storage a claim needs.
#[derive(Clone, Default, Schema)]
pub struct VolumeResourceRequirements {
    /// The most it may be given. Seldom supported.
    #[field(1)]
    pub limits: BTreeMap<String, Quantity>,
    /// The least it must be given, as the quantity storage.
    #[field(2)]
    pub requests: BTreeMap<String, Quantity>,
    /// Gone since Kubernetes 1.29; kinds that were given up before still have it.
    #[field(3, gone)]
    pub claims: Vec<ResourceClaim>,
}
