//! `certificates.k8s.io/v1beta1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{Condition, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::{ByteString, Schema};
use rhumb_scheme::Convert;

pub use super::v1::ExtraValue;

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CertificateSigningRequest)]
pub struct CertificateSigningRequest {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: CertificateSigningRequestSpec,
    #[field(3)]
    pub status: CertificateSigningRequestStatus,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CertificateSigningRequestCondition)]
pub struct CertificateSigningRequestCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(6, shown)]
    pub status: String,
    #[field(2)]
    pub reason: String,
    #[field(3)]
    pub message: String,
    #[field(4)]
    pub last_update_time: Time,
    #[field(5)]
    pub last_transition_time: Time,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CertificateSigningRequestList)]
pub struct CertificateSigningRequestList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<CertificateSigningRequest>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CertificateSigningRequestSpec)]
pub struct CertificateSigningRequestSpec {
    #[field(1, required)]
    pub request: ByteString,
    #[field(7)]
    pub signer_name: Option<String>,
    #[field(8)]
    pub expiration_seconds: Option<i32>,
    #[field(5, list = "atomic")]
    pub usages: Vec<String>,
    #[field(2)]
    pub username: String,
    #[field(3)]
    pub uid: String,
    #[field(4, list = "atomic")]
    pub groups: Vec<String>,
    #[field(6)]
    pub extra: BTreeMap<String, ExtraValue>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CertificateSigningRequestStatus)]
pub struct CertificateSigningRequestStatus {
    #[field(1, keys("type"))]
    pub conditions: Vec<CertificateSigningRequestCondition>,
    #[field(2)]
    pub certificate: ByteString,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ClusterTrustBundle {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: ClusterTrustBundleSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ClusterTrustBundleList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ClusterTrustBundle>,
}

#[derive(Clone, Default, Schema)]
pub struct ClusterTrustBundleSpec {
    #[field(1)]
    pub signer_name: String,
    #[field(2, required)]
    pub trust_bundle: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodCertificateRequest {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: PodCertificateRequestSpec,
    #[field(3)]
    pub status: PodCertificateRequestStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodCertificateRequestList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PodCertificateRequest>,
}

#[derive(Clone, Default, Schema)]
pub struct PodCertificateRequestSpec {
    #[field(1, required)]
    pub signer_name: String,
    #[field(2, required)]
    pub pod_name: String,
    #[field(3, json = "podUID", required)]
    pub pod_uid: String,
    #[field(4, required)]
    pub service_account_name: String,
    #[field(5, json = "serviceAccountUID", required)]
    pub service_account_uid: String,
    #[field(6, required)]
    pub node_name: String,
    #[field(7, json = "nodeUID", required)]
    pub node_uid: String,
    #[field(8, default = 86400)]
    pub max_expiration_seconds: Option<i32>,
    #[field(9, shown)]
    pub pkix_public_key: ByteString,
    #[field(10, shown)]
    pub proof_of_possession: ByteString,
    #[field(12, json = "stubPKCS10Request", required)]
    pub stub_pkcs10_request: ByteString,
    #[field(11)]
    pub unverified_user_annotations: BTreeMap<String, String>,
}

#[derive(Clone, Default, Schema)]
pub struct PodCertificateRequestStatus {
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
    #[field(2)]
    pub certificate_chain: String,
    #[field(4)]
    pub not_before: Option<Time>,
    #[field(5)]
    pub begin_refresh_at: Option<Time>,
    #[field(6)]
    pub not_after: Option<Time>,
}
