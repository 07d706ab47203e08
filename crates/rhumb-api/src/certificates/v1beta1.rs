//! `certificates.k8s.io/v1beta1`. Its trust bundles and requests for pods are the newest there are, and so the hub's.

use std::collections::BTreeMap;

use rhumb_meta::v1::{Condition, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::{ByteString, Schema};
use rhumb_scheme::Convert;

use super::v1;

pub use super::v1::ExtraValue;

/// Asks a signer for a certificate.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::CertificateSigningRequest)]
pub struct CertificateSigningRequest {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is asked for. It can't be changed later.
    #[field(2, required)]
    pub spec: CertificateSigningRequestSpec,
    /// What became of it.
    #[field(3)]
    pub status: CertificateSigningRequestStatus,
}

/// Something that happened to a request.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::CertificateSigningRequestCondition)]
pub struct CertificateSigningRequestCondition {
    /// Approved, Denied, Failed, or a name of the signer's own.
    #[field(1, required)]
    pub type_: String,
    /// True, False or Unknown; the three known types can only be True.
    #[field(6, shown)]
    pub status: String,
    /// Why, in one word.
    #[field(2)]
    pub reason: String,
    /// Why, in words for people.
    #[field(3)]
    pub message: String,
    /// When the condition was last written.
    #[field(4)]
    pub last_update_time: Time,
    /// When the condition last changed its status.
    #[field(5)]
    pub last_transition_time: Time,
}

/// A list of requests for certificates.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::CertificateSigningRequestList)]
pub struct CertificateSigningRequestList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<CertificateSigningRequest>,
}

/// The certificate that is asked for, and who asks.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::CertificateSigningRequestSpec)]
pub struct CertificateSigningRequestSpec {
    /// A PKCS#10 request in PEM.
    #[field(1, required)]
    pub request: ByteString,
    /// Who shall sign, such as `kubernetes.io/kube-apiserver-client` or `example.com/mine`.
    #[field(7)]
    #[convert(with = signer_name)]
    pub signer_name: Option<String>,
    /// How long the certificate shall be valid, at least 600. The signer may choose another time.
    #[field(8)]
    pub expiration_seconds: Option<i32>,
    /// What the key will be used for, such as `digital signature` and `client auth`.
    #[field(5, list = "atomic")]
    pub usages: Vec<String>,
    /// Who made the request; the server writes this.
    #[field(2)]
    pub username: String,
    /// The uid of who made the request; the server writes this.
    #[field(3)]
    pub uid: String,
    /// The groups of who made the request; the server writes this.
    #[field(4, list = "atomic")]
    pub groups: Vec<String>,
    /// What else is known of who made the request; the server writes this.
    #[field(6)]
    pub extra: BTreeMap<String, ExtraValue>,
}

/// Whether the request was approved, and the certificate.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::CertificateSigningRequestStatus)]
pub struct CertificateSigningRequestStatus {
    /// Whether the request was approved, was denied, or failed.
    #[field(1, keys("type"))]
    pub conditions: Vec<CertificateSigningRequestCondition>,
    /// The certificate in PEM, perhaps followed by those that it takes to check it.
    #[field(2)]
    pub certificate: ByteString,
}

/// Certificates of authorities to trust, for pods in the whole cluster.
#[derive(Clone, Default, Schema, Object)]
pub struct ClusterTrustBundle {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: ClusterTrustBundleSpec,
}

/// A list of trust bundles.
#[derive(Clone, Default, Schema, Object)]
pub struct ClusterTrustBundleList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ClusterTrustBundle>,
}

/// The signer and its certificates.
#[derive(Clone, Default, Schema)]
pub struct ClusterTrustBundleSpec {
    /// The signer whose certificates these are. Then the bundle's name must begin with the signer's, with
    /// colons for slashes.
    #[field(1)]
    pub signer_name: String,
    /// The certificates of the authorities, in PEM, in no particular order.
    #[field(2, required)]
    pub trust_bundle: String,
}

/// A kubelet's request for a certificate for a pod.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
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
    /// The public key. A request with the stub is preferred.
    #[field(9, shown)]
    pub pkix_public_key: ByteString,
    /// The uid of the pod, signed with the key, if the key stands alone.
    #[field(10, shown)]
    pub proof_of_possession: ByteString,
    /// A PKCS#10 request that says nothing but the key, and proves that the kubelet has it.
    #[field(12, json = "stubPKCS10Request", required)]
    pub stub_pkcs10_request: ByteString,
    /// What the pod's author wants the signer to know. No one has checked it.
    #[field(11)]
    pub unverified_user_annotations: BTreeMap<String, String>,
}

/// Whether the certificate was issued, and the certificate.
#[derive(Clone, Default, Schema)]
pub struct PodCertificateRequestStatus {
    /// At most one of Issued, Denied and Failed.
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
    /// The certificate in PEM, followed by those that it takes to check it.
    #[field(2)]
    pub certificate_chain: String,
    /// When the certificate becomes valid.
    #[field(4)]
    pub not_before: Option<Time>,
    /// When the kubelet should ask for the next one.
    #[field(5)]
    pub begin_refresh_at: Option<Time>,
    /// When the certificate ends.
    #[field(6)]
    pub not_after: Option<Time>,
}

/// A signer was optional here; the hub knows no absent one.
mod signer_name {
    use rhumb_scheme::{ConvertError, Scope};

    pub(super) fn to_hub(name: Option<String>, _scope: &Scope) -> Result<String, ConvertError> {
        Ok(name.unwrap_or_default())
    }

    pub(super) fn from_hub(name: String, _scope: &Scope) -> Result<Option<String>, ConvertError> {
        Ok(Some(name))
    }
}
