//! Volumes: where they come from, how containers mount them, and the claims for persistent ones.

use rhumb_meta::Object;
use rhumb_meta::Quantity;
use rhumb_meta::Time;
use rhumb_meta::v1::LabelSelector;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;
use std::collections::BTreeMap;
use super::*;


/// An AWS EBS disk. Deprecated: served by the CSI driver ebs.csi.aws.com.
#[derive(Clone, Default, Schema)]
pub struct AWSElasticBlockStoreVolumeSource {
    /// The disk's ID.
    #[field(1, json = "volumeID", required)]
    pub volume_id: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
    /// The partition to mount; 0 for the whole disk.
    #[field(3)]
    pub partition: i32,
    /// Mount it read-only. Defaults to false.
    #[field(4)]
    pub read_only: bool,
}

/// An Azure disk. Deprecated: served by the CSI driver disk.csi.azure.com.
#[derive(Clone, Default, Schema)]
pub struct AzureDiskVolumeSource {
    /// The disk's name.
    #[field(1, required)]
    pub disk_name: String,
    /// The disk's URI in the storage account, or its resource ID if it's a managed disk.
    #[field(2, json = "diskURI", required)]
    pub disk_uri: String,
    /// How the node caches it: None, ReadOnly or ReadWrite (the default).
    #[field(3, default = "ReadWrite", values = AZURE_DATA_DISK_CACHING_MODES)]
    pub caching_mode: Option<String>,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(4, default = "ext4")]
    pub fs_type: Option<String>,
    /// Mount it read-only. Defaults to false.
    #[field(5, default = false)]
    pub read_only: Option<bool>,
    /// Shared (the default) or Dedicated for blobs, by how storage accounts are used; Managed for managed
    /// disks.
    #[field(6, default = "Shared", values = AZURE_DATA_DISK_KINDS)]
    pub kind: Option<String>,
}

/// An Azure file share. Deprecated: served by the CSI driver file.csi.azure.com.
#[derive(Clone, Default, Schema)]
pub struct AzureFileVolumeSource {
    /// The Secret with the storage account's name and key.
    #[field(1, required)]
    pub secret_name: String,
    /// The share's name.
    #[field(2, required)]
    pub share_name: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
}

/// A volume that a CSI driver makes for the pod and removes with it.
#[derive(Clone, Default, Schema)]
pub struct CSIVolumeSource {
    /// The driver, by the name of its CSIDriver object.
    #[field(1, required)]
    pub driver: String,
    /// Mount it read-only. Defaults to false.
    #[field(2)]
    pub read_only: Option<bool>,
    /// The file system. If empty, the driver chooses.
    #[field(3)]
    pub fs_type: Option<String>,
    /// Settings for the driver; it defines which there are.
    #[field(4)]
    pub volume_attributes: BTreeMap<String, String>,
    /// The Secret that the driver gets when it mounts the volume.
    #[field(5)]
    pub node_publish_secret_ref: Option<Box<LocalObjectReference>>,
}

/// A CephFS file system. No longer works: its plugin was removed in 1.31.
#[derive(Clone, Default, Schema)]
pub struct CephFSVolumeSource {
    /// The Ceph monitors' addresses.
    #[field(1, required, list = "atomic")]
    pub monitors: Vec<String>,
    /// The directory to mount. Defaults to /.
    #[field(2)]
    pub path: String,
    /// The Ceph user. Defaults to admin.
    #[field(3)]
    pub user: String,
    /// The file on the node with the user's key. Defaults to /etc/ceph/user.secret.
    #[field(4)]
    pub secret_file: String,
    /// The Secret with the user's key, in place of secretFile.
    #[field(5)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    /// Mount it read-only. Defaults to false.
    #[field(6)]
    pub read_only: bool,
}

/// An OpenStack Cinder disk. Deprecated: served by the CSI driver cinder.csi.openstack.org.
#[derive(Clone, Default, Schema)]
pub struct CinderVolumeSource {
    /// The disk's ID.
    #[field(1, json = "volumeID", required)]
    pub volume_id: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
    /// The Secret with what is needed to connect to OpenStack.
    #[field(4)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
}

/// CA certificates from ClusterTrustBundles, as one PEM file. Give a name or a signer.
#[derive(Clone, Default, Schema)]
pub struct ClusterTrustBundleProjection {
    /// The bundle to take.
    #[field(1)]
    pub name: Option<String>,
    /// The signer whose bundles to take. Not with name.
    #[field(2)]
    pub signer_name: Option<String>,
    /// Which of the signer's bundles to take. Unset takes none, empty takes all.
    #[field(3)]
    pub label_selector: Option<Box<LabelSelector>>,
    /// Whether the pod may start while there is no such bundle.
    #[field(5)]
    pub optional: Option<bool>,
    /// Where the file goes, relative to the volume.
    #[field(4, required)]
    pub path: String,
}

/// Entries of a ConfigMap as files.
#[derive(Clone, Default, Schema)]
pub struct ConfigMapProjection {
    /// The ConfigMap, in the pod's namespace.
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    /// Which entries to take, and where they go. Empty for all, each under its key.
    #[field(2, list = "atomic")]
    pub items: Vec<KeyToPath>,
    /// Whether the pod may start without the ConfigMap or the listed keys.
    #[field(4)]
    pub optional: Option<bool>,
}

/// A volume with the entries of a ConfigMap as files, which follow its changes.
#[derive(Clone, Default, Schema)]
pub struct ConfigMapVolumeSource {
    /// The ConfigMap, in the pod's namespace.
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    /// Which entries to take, and where they go. Empty for all, each under its key.
    #[field(2, list = "atomic")]
    pub items: Vec<KeyToPath>,
    /// The files' permissions. JSON takes decimals only: 420 is 0644, the default.
    #[field(3)]
    pub default_mode: Option<i32>,
    /// Whether the pod may start without the ConfigMap or the listed keys.
    #[field(4)]
    pub optional: Option<bool>,
}

/// Facts about the pod as files.
#[derive(Clone, Default, Schema)]
pub struct DownwardAPIProjection {
    /// The files.
    #[field(1, list = "atomic")]
    pub items: Vec<DownwardAPIVolumeFile>,
}

/// A file with a fact about the pod. It holds a field or a resource.
#[derive(Clone, Default, Schema)]
pub struct DownwardAPIVolumeFile {
    /// Where it goes, relative to the volume and without `..`.
    #[field(1, required)]
    pub path: String,
    /// A field of the pod: its name, namespace, UID, labels or annotations.
    #[field(2)]
    pub field_ref: Option<Box<ObjectFieldSelector>>,
    /// A request or limit of a container.
    #[field(3)]
    pub resource_field_ref: Option<Box<ResourceFieldSelector>>,
    /// Its permissions, in decimal in JSON. Defaults to the volume's.
    #[field(4)]
    pub mode: Option<i32>,
}

/// A volume with facts about the pod as files.
#[derive(Clone, Default, Schema)]
pub struct DownwardAPIVolumeSource {
    /// The files.
    #[field(1, list = "atomic")]
    pub items: Vec<DownwardAPIVolumeFile>,
    /// The files' permissions. JSON takes decimals only: 420 is 0644, the default.
    #[field(2)]
    pub default_mode: Option<i32>,
}

/// A directory that is empty at first, shared by the pod's containers, and deleted with the pod.
#[derive(Clone, Default, Schema)]
pub struct EmptyDirVolumeSource {
    /// Where it's kept: empty for the node's disk, Memory for a tmpfs, HugePages for huge pages. Memory
    /// counts against limits.
    #[field(1)]
    pub medium: String,
    /// The most it may hold. A pod that exceeds it is evicted.
    #[field(2)]
    pub size_limit: Option<Quantity>,
}

/// A persistent volume that is claimed for the pod and deleted with it.
#[derive(Clone, Default, Schema)]
pub struct EphemeralVolumeSource {
    /// What the claim looks like. It's named after the pod and the volume. Can't change.
    #[field(1)]
    pub volume_claim_template: Option<Box<PersistentVolumeClaimTemplate>>,
}

/// A Fibre Channel disk. Give targetWWNs with lun, or wwids.
#[derive(Clone, Default, Schema)]
pub struct FCVolumeSource {
    /// The world wide names of the targets.
    #[field(1, json = "targetWWNs", list = "atomic")]
    pub target_ww_ns: Vec<String>,
    /// The logical unit's number at the targets.
    #[field(2)]
    pub lun: Option<i32>,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(3)]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(4)]
    pub read_only: bool,
    /// World wide identifiers of the disk itself.
    #[field(5, list = "atomic")]
    pub wwids: Vec<String>,
}

/// A volume of a driver program installed on the nodes. Deprecated: write a CSI driver instead.
#[derive(Clone, Default, Schema)]
pub struct FlexVolumeSource {
    /// The driver's name.
    #[field(1, required)]
    pub driver: String,
    /// The file system. The default depends on the driver.
    #[field(2)]
    pub fs_type: String,
    /// The Secret whose entries the driver gets.
    #[field(3)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    /// Mount it read-only. Defaults to false.
    #[field(4)]
    pub read_only: bool,
    /// Settings for the driver; it defines which there are.
    #[field(5)]
    pub options: BTreeMap<String, String>,
}

/// A Flocker dataset. No longer works: its plugin was removed in 1.25.
#[derive(Clone, Default, Schema)]
pub struct FlockerVolumeSource {
    /// The dataset's name. Deprecated.
    #[field(1)]
    pub dataset_name: String,
    /// The dataset's UUID.
    #[field(2, json = "datasetUUID")]
    pub dataset_uuid: String,
}

/// A Google Compute Engine disk. Deprecated: served by the CSI driver pd.csi.storage.gke.io.
#[derive(Clone, Default, Schema)]
pub struct GCEPersistentDiskVolumeSource {
    /// The disk's name.
    #[field(1, required)]
    pub pd_name: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
    /// The partition to mount; 0 for the whole disk.
    #[field(3)]
    pub partition: i32,
    /// Mount it read-only, which several pods can do at once. Defaults to false.
    #[field(4)]
    pub read_only: bool,
}

/// A clone of a Git repository. No longer works: disabled for its security holes. Use an init container.
#[derive(Clone, Default, Schema)]
pub struct GitRepoVolumeSource {
    /// The repository's URL.
    #[field(1, required)]
    pub repository: String,
    /// The commit to check out.
    #[field(2)]
    pub revision: String,
    /// The directory in the volume to clone into. Without it, one named after the repository.
    #[field(3)]
    pub directory: String,
}

/// A GlusterFS volume. No longer works: its plugin was removed in 1.26.
#[derive(Clone, Default, Schema)]
pub struct GlusterfsVolumeSource {
    /// The Endpoints object with the servers' addresses.
    #[field(1, required)]
    pub endpoints: String,
    /// The volume's name in GlusterFS.
    #[field(2, required)]
    pub path: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
}

/// A file or directory of the node. Dangerous: it can give the pod power over the node.
#[derive(Clone, Default, Schema)]
pub struct HostPathVolumeSource {
    /// The path on the node.
    #[field(1, required)]
    pub path: String,
    /// What must be there, or is to be made, such as DirectoryOrCreate or Socket. Empty, the default,
    /// doesn't check.
    #[field(2, values = HOST_PATH_TYPES)]
    pub type_: Option<String>,
}

/// An iSCSI disk.
#[derive(Clone, Default, Schema)]
pub struct ISCSIVolumeSource {
    /// The target's address, with a port unless it's 3260.
    #[field(1, required)]
    pub target_portal: String,
    /// The target's name, as in iqn.2020-01.com.example:disk1.
    #[field(2, required)]
    pub iqn: String,
    /// The logical unit's number.
    #[field(3, required)]
    pub lun: i32,
    /// The initiator's interface. Defaults to default, which is TCP.
    #[field(4, default = "default")]
    pub iscsi_interface: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(5)]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(6)]
    pub read_only: bool,
    /// Further addresses of the target, for several paths to it.
    #[field(7, list = "atomic")]
    pub portals: Vec<String>,
    /// Authenticate by CHAP when looking for targets.
    #[field(8)]
    pub chap_auth_discovery: bool,
    /// Authenticate by CHAP when logging in.
    #[field(11)]
    pub chap_auth_session: bool,
    /// The Secret with the CHAP user and password.
    #[field(10)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    /// The name to log in with. Defaults to the node's.
    #[field(12)]
    pub initiator_name: Option<String>,
}

/// The contents of an image, mounted read-only.
#[derive(Clone, Default, Schema)]
pub struct ImageVolumeSource {
    /// The image.
    #[field(1)]
    pub reference: String,
    /// Always, IfNotPresent or Never. Defaults to Always for the tag latest or none, and else to
    /// IfNotPresent.
    #[field(2, values = PULL_POLICYS)]
    pub pull_policy: String,
}

/// The image that was mounted.
#[derive(Clone, Default, Schema)]
pub struct ImageVolumeStatus {
    /// The image, by its digest.
    #[field(1, required_omitempty)]
    pub image_ref: String,
}

/// An entry of a ConfigMap or Secret, and the file it becomes.
#[derive(Clone, Default, Schema)]
pub struct KeyToPath {
    /// The entry's key.
    #[field(1, required)]
    pub key: String,
    /// Where the file goes, relative to the volume and without `..`.
    #[field(2, required)]
    pub path: String,
    /// The file's permissions, in decimal in JSON. Defaults to the volume's.
    #[field(3)]
    pub mode: Option<i32>,
}

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

/// A directory of an NFS server.
#[derive(Clone, Default, Schema)]
pub struct NFSVolumeSource {
    /// The server's host name or address.
    #[field(1, required)]
    pub server: String,
    /// The exported directory.
    #[field(2, required)]
    pub path: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
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
    #[field(7)]
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

/// The volume behind a claim.
#[derive(Clone, Default, Schema)]
pub struct PersistentVolumeClaimVolumeSource {
    /// The claim, in the pod's namespace.
    #[field(1, required)]
    pub claim_name: String,
    /// Force every mount of it to be read-only. Defaults to false.
    #[field(2)]
    pub read_only: bool,
}

/// A Photon Controller disk. No longer works: its plugin is gone.
#[derive(Clone, Default, Schema)]
pub struct PhotonPersistentDiskVolumeSource {
    /// The disk's ID.
    #[field(1, json = "pdID", required)]
    pub pd_id: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
}

/// A key and a certificate for the pod, which the kubelet requests and renews.
#[derive(Clone, Default, Schema)]
pub struct PodCertificateProjection {
    /// The signer to ask.
    #[field(1, required_omitempty)]
    pub signer_name: String,
    /// The kind of key: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519.
    #[field(2, required_omitempty)]
    pub key_type: String,
    /// The longest lifetime to accept: an hour to 91 days. Defaults to 86400, a day; the signer may choose
    /// less.
    #[field(3)]
    pub max_expiration_seconds: Option<i32>,
    /// The file for key and certificates in one, so that they're always read as a pair.
    #[field(4)]
    pub credential_bundle_path: String,
    /// The file for the key. It and certificateChainPath change one after the other, so check that they fit.
    #[field(5)]
    pub key_path: String,
    /// The file for the certificates.
    #[field(6)]
    pub certificate_chain_path: String,
    /// Anything to tell the signer. Keys need a domain prefix; nobody vouches for the values.
    #[field(7)]
    pub user_annotations: BTreeMap<String, String>,
}

/// A Portworx volume. Deprecated: served by the CSI driver pxd.portworx.com.
#[derive(Clone, Default, Schema)]
pub struct PortworxVolumeSource {
    /// The volume's ID.
    #[field(1, json = "volumeID", required)]
    pub volume_id: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
}

/// A volume that combines files from several sources in one directory.
#[derive(Clone, Default, Schema)]
pub struct ProjectedVolumeSource {
    /// The sources.
    #[field(1, shown, list = "atomic")]
    pub sources: Vec<VolumeProjection>,
    /// The files' permissions. JSON takes decimals only: 420 is 0644, the default.
    #[field(2)]
    pub default_mode: Option<i32>,
}

/// A Quobyte volume. No longer works: its plugin was removed in 1.25.
#[derive(Clone, Default, Schema)]
pub struct QuobyteVolumeSource {
    /// The registry's addresses, as host:port pairs separated by commas.
    #[field(1, required)]
    pub registry: String,
    /// The volume's name.
    #[field(2, required)]
    pub volume: String,
    /// Mount it read-only. Defaults to false.
    #[field(3)]
    pub read_only: bool,
    /// The user to access it as. Defaults to the service account's.
    #[field(4)]
    pub user: String,
    /// The group to access it as. Defaults to none.
    #[field(5)]
    pub group: String,
    /// The tenant that the volume belongs to.
    #[field(6)]
    pub tenant: String,
}

/// A Ceph block device. No longer works: its plugin was removed in 1.31.
#[derive(Clone, Default, Schema)]
pub struct RBDVolumeSource {
    /// The Ceph monitors' addresses.
    #[field(1, required, list = "atomic")]
    pub monitors: Vec<String>,
    /// The image's name.
    #[field(2, required)]
    pub image: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(3)]
    pub fs_type: String,
    /// The pool that has the image. Defaults to rbd.
    #[field(4, default = "rbd")]
    pub pool: String,
    /// The Ceph user. Defaults to admin.
    #[field(5, default = "admin")]
    pub user: String,
    /// The file on the node with the user's key. Defaults to /etc/ceph/keyring.
    #[field(6, default = "/etc/ceph/keyring")]
    pub keyring: String,
    /// The Secret with the user's key, in place of keyring.
    #[field(7)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    /// Mount it read-only. Defaults to false.
    #[field(8)]
    pub read_only: bool,
}

/// A ScaleIO volume. No longer works: its plugin is gone.
#[derive(Clone, Default, Schema)]
pub struct ScaleIOVolumeSource {
    /// The address of the API gateway.
    #[field(1, required)]
    pub gateway: String,
    /// The storage system, as configured in ScaleIO.
    #[field(2, required)]
    pub system: String,
    /// The Secret to log in with.
    #[field(3, required)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
    /// Whether to speak TLS with the gateway. Defaults to false.
    #[field(4)]
    pub ssl_enabled: bool,
    /// The protection domain.
    #[field(5)]
    pub protection_domain: String,
    /// The storage pool in that domain.
    #[field(6)]
    pub storage_pool: String,
    /// ThickProvisioned or ThinProvisioned (the default).
    #[field(7, default = "ThinProvisioned")]
    pub storage_mode: String,
    /// The volume's name.
    #[field(8)]
    pub volume_name: String,
    /// The file system, such as ext4 or xfs. Defaults to xfs.
    #[field(9, default = "xfs")]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(10)]
    pub read_only: bool,
}

/// Entries of a Secret as files.
#[derive(Clone, Default, Schema)]
pub struct SecretProjection {
    /// The Secret, in the pod's namespace.
    #[field(1, inline)]
    pub local_object_reference: LocalObjectReference,
    /// Which entries to take, and where they go. Empty for all, each under its key.
    #[field(2, list = "atomic")]
    pub items: Vec<KeyToPath>,
    /// Whether the pod may start without the Secret or the listed keys.
    #[field(4)]
    pub optional: Option<bool>,
}

/// A volume with the entries of a Secret as files, kept in memory.
#[derive(Clone, Default, Schema)]
pub struct SecretVolumeSource {
    /// The Secret, in the pod's namespace.
    #[field(1)]
    pub secret_name: String,
    /// Which entries to take, and where they go. Empty for all, each under its key.
    #[field(2, list = "atomic")]
    pub items: Vec<KeyToPath>,
    /// The files' permissions. JSON takes decimals only: 420 is 0644, the default.
    #[field(3)]
    pub default_mode: Option<i32>,
    /// Whether the pod may start without the Secret or the listed keys.
    #[field(4)]
    pub optional: Option<bool>,
}

/// A token of the pod's ServiceAccount as a file, renewed before it expires.
#[derive(Clone, Default, Schema)]
pub struct ServiceAccountTokenProjection {
    /// Who the token is for; others should refuse it. Defaults to the API server.
    #[field(1)]
    pub audience: String,
    /// The lifetime to ask for, at least 600. Defaults to 3600.
    #[field(2)]
    pub expiration_seconds: Option<i64>,
    /// Where the file goes, relative to the volume.
    #[field(3, required)]
    pub path: String,
}

/// A StorageOS volume. No longer works: its plugin was removed in 1.25.
#[derive(Clone, Default, Schema)]
pub struct StorageOSVolumeSource {
    /// The volume's name, unique in its StorageOS namespace.
    #[field(1)]
    pub volume_name: String,
    /// The StorageOS namespace. Defaults to the pod's namespace.
    #[field(2)]
    pub volume_namespace: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(3)]
    pub fs_type: String,
    /// Mount it read-only. Defaults to false.
    #[field(4)]
    pub read_only: bool,
    /// The Secret to log in to StorageOS with.
    #[field(5)]
    pub secret_ref: Option<Box<LocalObjectReference>>,
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

/// A volume of a pod.
#[derive(Clone, Default, Schema)]
pub struct Volume {
    /// Its name, unique in the pod.
    #[field(1, required)]
    pub name: String,
    /// Where it comes from.
    #[field(2, inline)]
    pub volume_source: VolumeSource,
}

/// A volume that a container uses as a block device.
#[derive(Clone, Default, Schema)]
pub struct VolumeDevice {
    /// The pod's volume, from a claim with volumeMode Block.
    #[field(1, required)]
    pub name: String,
    /// The device's path in the container.
    #[field(2, required)]
    pub device_path: String,
}

/// Where a container sees a volume.
#[derive(Clone, Default, Schema)]
pub struct VolumeMount {
    /// The pod's volume.
    #[field(1, required)]
    pub name: String,
    /// Mount it read-only. Defaults to false.
    #[field(2)]
    pub read_only: bool,
    /// Whether mounts below it are read-only as well: Disabled (the default), IfPossible or Enabled. Needs
    /// readOnly.
    #[field(7)]
    pub recursive_read_only: Option<String>,
    /// The path in the container; without a colon.
    #[field(3, required)]
    pub mount_path: String,
    /// The part of the volume to mount. Unset for its root. Files of ConfigMaps and Secrets don't update
    /// this way.
    #[field(4)]
    pub sub_path: String,
    /// Whether later mounts show: None (the default), HostToContainer, or Bidirectional for privileged
    /// containers.
    #[field(5, values = MOUNT_PROPAGATION_MODES)]
    pub mount_propagation: Option<String>,
    /// Like subPath, with $(NAME) standing for the container's environment variables. Not with subPath.
    #[field(6)]
    pub sub_path_expr: String,
}

/// How a volume was mounted in a container.
#[derive(Clone, Default, Schema)]
pub struct VolumeMountStatus {
    /// The pod's volume.
    #[field(1, required)]
    pub name: String,
    /// The path in the container.
    #[field(2, required)]
    pub mount_path: String,
    /// Whether it's read-only.
    #[field(3)]
    pub read_only: bool,
    /// Whether mounts below it are read-only as well: Disabled or Enabled.
    #[field(4)]
    pub recursive_read_only: Option<String>,
    /// What there is to say about the volume, by its kind.
    #[field(5)]
    pub volume_status: Option<Box<VolumeStatus>>,
}

/// One source of a projected volume. Exactly one is set.
#[derive(Clone, Default, Schema)]
pub struct VolumeProjection {
    /// A Secret.
    #[field(1)]
    pub secret: Option<Box<SecretProjection>>,
    /// Facts about the pod.
    #[field(2, json = "downwardAPI")]
    pub downward_api: Option<Box<DownwardAPIProjection>>,
    /// A ConfigMap.
    #[field(3)]
    pub config_map: Option<Box<ConfigMapProjection>>,
    /// A token of the pod's ServiceAccount.
    #[field(4)]
    pub service_account_token: Option<Box<ServiceAccountTokenProjection>>,
    /// CA certificates from ClusterTrustBundles.
    #[field(5)]
    pub cluster_trust_bundle: Option<Box<ClusterTrustBundleProjection>>,
    /// A key and a certificate for the pod.
    #[field(6)]
    pub pod_certificate: Option<Box<PodCertificateProjection>>,
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
}

/// Where a volume comes from. Exactly one is set.
#[derive(Clone, Default, Schema)]
pub struct VolumeSource {
    /// A file or directory of the node. Dangerous: it can give the pod power over the node.
    #[field(1)]
    pub host_path: Option<Box<HostPathVolumeSource>>,
    /// A directory that is empty at first and deleted with the pod.
    #[field(2)]
    pub empty_dir: Option<Box<EmptyDirVolumeSource>>,
    /// A Google Compute Engine disk. Deprecated: use a claim.
    #[field(3)]
    pub gce_persistent_disk: Option<Box<GCEPersistentDiskVolumeSource>>,
    /// An AWS EBS disk. Deprecated: use a claim.
    #[field(4)]
    pub aws_elastic_block_store: Option<Box<AWSElasticBlockStoreVolumeSource>>,
    /// A clone of a Git repository. No longer works.
    #[field(5)]
    pub git_repo: Option<Box<GitRepoVolumeSource>>,
    /// The entries of a Secret as files.
    #[field(6)]
    pub secret: Option<Box<SecretVolumeSource>>,
    /// A directory of an NFS server.
    #[field(7)]
    pub nfs: Option<Box<NFSVolumeSource>>,
    /// An iSCSI disk.
    #[field(8)]
    pub iscsi: Option<Box<ISCSIVolumeSource>>,
    /// A GlusterFS volume. No longer works.
    #[field(9)]
    pub glusterfs: Option<Box<GlusterfsVolumeSource>>,
    /// The volume behind a claim.
    #[field(10)]
    pub persistent_volume_claim: Option<Box<PersistentVolumeClaimVolumeSource>>,
    /// A Ceph block device. No longer works.
    #[field(11)]
    pub rbd: Option<Box<RBDVolumeSource>>,
    /// A volume of a driver program on the nodes. Deprecated: use CSI.
    #[field(12)]
    pub flex_volume: Option<Box<FlexVolumeSource>>,
    /// An OpenStack Cinder disk. Deprecated: use a claim.
    #[field(13)]
    pub cinder: Option<Box<CinderVolumeSource>>,
    /// A CephFS file system. No longer works.
    #[field(14)]
    pub cephfs: Option<Box<CephFSVolumeSource>>,
    /// A Flocker dataset. No longer works.
    #[field(15)]
    pub flocker: Option<Box<FlockerVolumeSource>>,
    /// Facts about the pod as files.
    #[field(16, json = "downwardAPI")]
    pub downward_api: Option<Box<DownwardAPIVolumeSource>>,
    /// A Fibre Channel disk.
    #[field(17)]
    pub fc: Option<Box<FCVolumeSource>>,
    /// An Azure file share. Deprecated: use a claim.
    #[field(18)]
    pub azure_file: Option<Box<AzureFileVolumeSource>>,
    /// The entries of a ConfigMap as files.
    #[field(19)]
    pub config_map: Option<Box<ConfigMapVolumeSource>>,
    /// A vSphere disk. Deprecated: use a claim.
    #[field(20)]
    pub vsphere_volume: Option<Box<VsphereVirtualDiskVolumeSource>>,
    /// A Quobyte volume. No longer works.
    #[field(21)]
    pub quobyte: Option<Box<QuobyteVolumeSource>>,
    /// An Azure disk. Deprecated: use a claim.
    #[field(22)]
    pub azure_disk: Option<Box<AzureDiskVolumeSource>>,
    /// A Photon Controller disk. No longer works.
    #[field(23)]
    pub photon_persistent_disk: Option<Box<PhotonPersistentDiskVolumeSource>>,
    /// Files from several sources in one directory.
    #[field(26)]
    pub projected: Option<Box<ProjectedVolumeSource>>,
    /// A Portworx volume. Deprecated: use a claim.
    #[field(24)]
    pub portworx_volume: Option<Box<PortworxVolumeSource>>,
    /// A ScaleIO volume. No longer works.
    #[field(25, json = "scaleIO")]
    pub scale_io: Option<Box<ScaleIOVolumeSource>>,
    /// A StorageOS volume. No longer works.
    #[field(27)]
    pub storageos: Option<Box<StorageOSVolumeSource>>,
    /// A volume that a CSI driver makes for the pod and removes with it.
    #[field(28)]
    pub csi: Option<Box<CSIVolumeSource>>,
    /// A persistent volume that is claimed for the pod and deleted with it.
    #[field(29)]
    pub ephemeral: Option<Box<EphemeralVolumeSource>>,
    /// The contents of an image, read-only.
    #[field(30)]
    pub image: Option<Box<ImageVolumeSource>>,
}

/// What there is to say about a mounted volume, by its kind.
#[derive(Clone, Default, Schema)]
pub struct VolumeStatus {
    /// The image, for image volumes.
    #[field(1)]
    pub image: Option<Box<ImageVolumeStatus>>,
}

/// A vSphere disk. Deprecated: served by the CSI driver csi.vsphere.vmware.com.
#[derive(Clone, Default, Schema)]
pub struct VsphereVirtualDiskVolumeSource {
    /// The disk's path in its datastore.
    #[field(1, required)]
    pub volume_path: String,
    /// The file system, such as ext4 or xfs. Defaults to ext4.
    #[field(2)]
    pub fs_type: String,
    /// The name of the storage policy.
    #[field(3)]
    pub storage_policy_name: String,
    /// The ID of the storage policy.
    #[field(4, json = "storagePolicyID")]
    pub storage_policy_id: String,
}
