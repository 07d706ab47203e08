//! Volumes: where they come from, how containers mount them, and the claims for persistent ones.

use std::collections::BTreeMap;

use rhumb_meta::Quantity;
use rhumb_meta::v1::LabelSelector;
use rhumb_schema::Schema;

use super::*;

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
    /// Gone since Kubernetes 1.21; kinds that were given up before still have it.
    #[field(2, gone)]
    pub read_only: Option<bool>,
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
