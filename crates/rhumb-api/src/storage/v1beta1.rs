//! `storage.k8s.io/v1beta1`: v1, except for how apply merges a list of CSI drivers' modes.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

pub use super::v1::{
    CSINode, CSINodeDriver, CSINodeList, CSINodeSpec, CSIStorageCapacity, CSIStorageCapacityList,
    StorageClass, StorageClassList, TokenRequest, VolumeAttachment, VolumeAttachmentList,
    VolumeAttachmentSource, VolumeAttachmentSpec, VolumeAttachmentStatus, VolumeAttributesClass,
    VolumeAttributesClassList, VolumeError, VolumeNodeResources,
};

/// What Kubernetes has to know about a CSI driver on this cluster; its name is the name that the driver
/// reports.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CSIDriver)]
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
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CSIDriverList)]
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
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CSIDriverSpec)]
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
    #[field(3, list = "atomic")]
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
