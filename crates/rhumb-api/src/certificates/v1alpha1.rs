//! `certificates.k8s.io/v1alpha1`: bundles of trusted certificates, as in v1beta1, and the first requests for pods,
//! which know neither a PKCS#10 request nor annotations.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::{ByteString, Schema};
use rhumb_scheme::Convert;

use super::v1beta1;

pub use super::v1beta1::{
    ClusterTrustBundle, ClusterTrustBundleList, ClusterTrustBundleSpec, PodCertificateRequestStatus,
};

/// A kubelet's request for a certificate for a pod.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1beta1::PodCertificateRequest)]
pub struct PodCertificateRequest {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is asked for. It can't be changed later.
    #[field(2, required)]
    pub spec: PodCertificateRequestSpec,
    /// What became of it.
    #[field(3)]
    pub status: PodCertificateRequestStatus,
}

/// A list of requests for certificates for pods.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1beta1::PodCertificateRequestList)]
pub struct PodCertificateRequestList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<PodCertificateRequest>,
}

/// The key, and the pod that it is for.
#[derive(Clone, Default, Schema, Convert)]
#[convert(
    hub = v1beta1::PodCertificateRequestSpec,
    lacks(stub_pkcs10_request, unverified_user_annotations)
)]
pub struct PodCertificateRequestSpec {
    /// Who shall sign.
    #[field(1, required)]
    pub signer_name: String,
    /// The pod that the certificate is for.
    #[field(2, required)]
    pub pod_name: String,
    #[field(3, json = "podUID", required)]
    pub pod_uid: String,
    /// The service account that the pod runs as.
    #[field(4, required)]
    pub service_account_name: String,
    #[field(5, json = "serviceAccountUID", required)]
    pub service_account_uid: String,
    /// The node that the pod runs on.
    #[field(6, required)]
    pub node_name: String,
    #[field(7, json = "nodeUID", required)]
    pub node_uid: String,
    /// The longest time that the certificate may be valid. Defaults to a day.
    #[field(8, default = 86400)]
    pub max_expiration_seconds: Option<i32>,
    /// The public key.
    #[field(9, required)]
    pub pkix_public_key: ByteString,
    /// The uid of the pod, signed with the key.
    #[field(10, required)]
    pub proof_of_possession: ByteString,
}
