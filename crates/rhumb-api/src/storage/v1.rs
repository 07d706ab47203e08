//! `storage.k8s.io/v1`: classes of storage, drivers, and volumes on nodes. Its types are the hub's.

use std::collections::BTreeMap;

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;

use crate::core::v1::{PERSISTENT_VOLUME_RECLAIM_POLICYS, PersistentVolumeSpec, TopologySelectorTerm};

/// The values that a `VolumeBindingMode` has.
pub const VOLUME_BINDING_MODES: &[&str] = &["Immediate", "WaitForFirstConsumer"];

/// What Kubernetes has to know about a CSI driver on this cluster; its name is the name that the driver
/// reports.
#[derive(Clone, Default, Schema, Object)]
pub struct CSIDriver {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// How the driver is to be treated.
    #[field(2, required)]
    pub spec: CSIDriverSpec,
}

/// A list of CSI drivers.
#[derive(Clone, Default, Schema, Object)]
pub struct CSIDriverList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<CSIDriver>,
}

/// How a CSI driver is to be treated.
#[derive(Clone, Default, Schema)]
pub struct CSIDriverSpec {
    /// Whether volumes of the driver are attached to a node before pods there can mount them; true if not
    /// given. Fixed once set.
    #[field(1)]
    pub attach_required: Option<bool>,
    /// Whether the driver is told name, namespace, UID and service account of the pod that it mounts for;
    /// false if not given.
    #[field(2)]
    pub pod_info_on_mount: Option<bool>,
    /// Which volumes the driver offers: Persistent ones, bound through claims, or Ephemeral ones, written
    /// inline in pods; Persistent if not given. Fixed once set.
    #[field(3, list = "set")]
    pub volume_lifecycle_modes: Vec<String>,
    /// Whether the driver reports free space by CSIStorageCapacity objects, which the scheduler then heeds;
    /// false if not given.
    #[field(4)]
    pub storage_capacity: Option<bool>,
    /// Whether ownership and permissions of a volume follow the pod's fsGroup: ReadWriteOnceWithFSType (if
    /// the volume has a file system and one writer, the default), File (always) or None.
    #[field(5)]
    pub fs_group_policy: Option<String>,
    /// Tokens of the pod's service account that the driver gets with each mount, one per audience.
    #[field(6, list = "atomic")]
    pub token_requests: Vec<TokenRequest>,
    /// Whether the driver is called again and again for mounted volumes, to refresh what is in them; false if
    /// not given.
    #[field(7)]
    pub requires_republish: Option<bool>,
    /// Whether volumes can be mounted with an SELinux label by mount option, without relabelling their files;
    /// false if not given.
    #[field(8)]
    pub se_linux_mount: Option<bool>,
    /// How often, in seconds, the number of volumes that a node can take is asked for anew; at least 10. Not
    /// at all if not given.
    #[field(9)]
    pub node_allocatable_update_period_seconds: Option<i64>,
    /// Whether the requested tokens travel in the secrets of the call to the driver rather than in the
    /// volume's context. Makes sense with tokenRequests only.
    #[field(10)]
    pub service_account_token_in_secrets: Option<bool>,
    /// Whether pods with volumes of the driver stay away from nodes where the driver doesn't run.
    #[field(11)]
    pub prevent_pod_scheduling_if_missing: Option<bool>,
}

/// Which CSI drivers run on a node; it is named after the node, and the kubelet keeps it.
#[derive(Clone, Default, Schema, Object)]
pub struct CSINode {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The drivers on the node.
    #[field(2, required)]
    pub spec: CSINodeSpec,
}

/// One CSI driver on one node.
#[derive(Clone, Default, Schema)]
pub struct CSINodeDriver {
    /// The name of the driver.
    #[field(1, required)]
    pub name: String,
    /// What the driver calls this node.
    #[field(2, json = "nodeID", required)]
    pub node_id: String,
    /// The node labels by which the driver says where its volumes can be reached.
    #[field(3, shown, list = "atomic")]
    pub topology_keys: Vec<String>,
    /// How many volumes of the driver the node can take.
    #[field(4)]
    pub allocatable: Option<Box<VolumeNodeResources>>,
}

/// A list of what runs on the nodes.
#[derive(Clone, Default, Schema, Object)]
pub struct CSINodeList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<CSINode>,
}

/// The CSI drivers on a node.
#[derive(Clone, Default, Schema)]
pub struct CSINodeSpec {
    /// All drivers that registered on the node, each once.
    #[field(1, required, keys("name"), merge = "merge", merge_key = "name")]
    pub drivers: Vec<CSINodeDriver>,
}

/// How much space is left for volumes of a storage class in one part of the topology.
#[derive(Clone, Default, Schema, Object)]
pub struct CSIStorageCapacity {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The nodes from which the space can be reached; none if not given, all if empty. Fixed once set.
    #[field(2)]
    pub node_topology: Option<Box<LabelSelector>>,
    /// The class that the figures are about. Fixed once set.
    #[field(3, required)]
    pub storage_class_name: String,
    /// The free space that the driver last reported.
    #[field(4)]
    pub capacity: Option<Quantity>,
    /// The largest volume that can be made, which may be less than what is free in all.
    #[field(5)]
    pub maximum_volume_size: Option<Quantity>,
}

/// A list of free spaces.
#[derive(Clone, Default, Schema, Object)]
pub struct CSIStorageCapacityList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<CSIStorageCapacity>,
}

/// A way in which volumes are made on demand, that claims ask for by its name.
#[derive(Clone, Default, Schema, Object)]
pub struct StorageClass {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// Who makes the volumes: the name of a CSI driver or of another provisioner. Fixed once set.
    #[field(2, required)]
    pub provisioner: String,
    /// Options for the provisioner, which alone knows what they mean. Fixed once set.
    #[field(3)]
    pub parameters: BTreeMap<String, String>,
    /// What becomes of a volume when its claim is deleted: Delete (the default) or Retain. Fixed once set.
    #[field(4, values = PERSISTENT_VOLUME_RECLAIM_POLICYS)]
    pub reclaim_policy: Option<String>,
    /// Options that volumes of the class are mounted with. They are not checked: a wrong one makes the mount
    /// fail.
    #[field(5, list = "atomic")]
    pub mount_options: Vec<String>,
    /// Whether a claim may ask for more space later.
    #[field(6)]
    pub allow_volume_expansion: Option<bool>,
    /// When a claim gets its volume: Immediate (the default), or WaitForFirstConsumer, as soon as a pod that
    /// uses it is placed. Fixed once set.
    #[field(7, values = VOLUME_BINDING_MODES)]
    pub volume_binding_mode: Option<String>,
    /// Where volumes may be made, if not everywhere; any of the terms may match.
    #[field(8, list = "atomic")]
    pub allowed_topologies: Vec<TopologySelectorTerm>,
}

/// A list of storage classes.
#[derive(Clone, Default, Schema, Object)]
pub struct StorageClassList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<StorageClass>,
}

/// A token that a driver wants with each mount.
#[derive(Clone, Default, Schema)]
pub struct TokenRequest {
    /// Whom the token is for; the API server if empty.
    #[field(1, required)]
    pub audience: String,
    /// How long the token is valid, in seconds; at least ten minutes.
    #[field(2)]
    pub expiration_seconds: Option<i64>,
}

/// The wish that a volume be attached to a node, or detached when it is deleted.
#[derive(Clone, Default, Schema, Object)]
pub struct VolumeAttachment {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is attached where. Fixed once set.
    #[field(2, required)]
    pub spec: VolumeAttachmentSpec,
    /// How far the attaching has come.
    #[field(3)]
    pub status: VolumeAttachmentStatus,
}

/// A list of attachments.
#[derive(Clone, Default, Schema, Object)]
pub struct VolumeAttachmentList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<VolumeAttachment>,
}

/// The volume to attach, said in one of two ways.
#[derive(Clone, Default, Schema)]
pub struct VolumeAttachmentSource {
    /// The name of a persistent volume.
    #[field(1)]
    pub persistent_volume_name: Option<String>,
    /// A volume written here: one that stands in a pod and was translated for a CSI driver.
    #[field(2)]
    pub inline_volume_spec: Option<Box<PersistentVolumeSpec>>,
}

/// What is attached where, and by whom.
#[derive(Clone, Default, Schema)]
pub struct VolumeAttachmentSpec {
    /// The driver that does it.
    #[field(1, required)]
    pub attacher: String,
    /// The volume.
    #[field(2, required)]
    pub source: VolumeAttachmentSource,
    /// The node.
    #[field(3, required)]
    pub node_name: String,
}

/// How far an attachment has come.
#[derive(Clone, Default, Schema)]
pub struct VolumeAttachmentStatus {
    /// Whether the volume is attached.
    #[field(1, required)]
    pub attached: bool,
    /// What the driver returned, for those who mount the volume.
    #[field(2)]
    pub attachment_metadata: BTreeMap<String, String>,
    /// The last error when attaching.
    #[field(3)]
    pub attach_error: Option<Box<VolumeError>>,
    /// The last error when detaching.
    #[field(4)]
    pub detach_error: Option<Box<VolumeError>>,
}

/// A set of changeable properties of volumes, such as their speed, that claims can move to.
#[derive(Clone, Default, Schema, Object)]
pub struct VolumeAttributesClass {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The CSI driver that knows the properties. Fixed once set.
    #[field(2, required)]
    pub driver_name: String,
    /// The properties, as the driver knows them; at least one. Fixed once set.
    #[field(3)]
    pub parameters: BTreeMap<String, String>,
}

/// A list of sets of properties.
#[derive(Clone, Default, Schema, Object)]
pub struct VolumeAttributesClassList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<VolumeAttributesClass>,
}

/// What went wrong with a volume.
#[derive(Clone, Default, Schema)]
pub struct VolumeError {
    /// When it happened.
    #[field(1)]
    pub time: Time,
    /// What happened; it must hold no secrets.
    #[field(2)]
    pub message: String,
    /// The code that the driver answered with.
    #[field(3)]
    pub error_code: Option<i32>,
}

/// How much of a driver a node can take.
#[derive(Clone, Default, Schema)]
pub struct VolumeNodeResources {
    /// The most volumes of the driver at one time; without a bound if not given.
    #[field(1)]
    pub count: Option<i32>,
}
