//! `certificates.k8s.io/v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::{ByteString, Schema};

/// The values that a `KeyUsage` has.
pub const KEY_USAGES: &[&str] = &[
    "signing",
    "digital signature",
    "content commitment",
    "key encipherment",
    "key agreement",
    "data encipherment",
    "cert sign",
    "crl sign",
    "encipher only",
    "decipher only",
    "any",
    "server auth",
    "client auth",
    "code signing",
    "email protection",
    "s/mime",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "timestamping",
    "ocsp signing",
    "microsoft sgc",
    "netscape sgc",
];

#[derive(Clone, Default, Schema, Object)]
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

#[derive(Clone, Default, Schema)]
pub struct CertificateSigningRequestCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(6, required)]
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

#[derive(Clone, Default, Schema, Object)]
pub struct CertificateSigningRequestList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<CertificateSigningRequest>,
}

#[derive(Clone, Default, Schema)]
pub struct CertificateSigningRequestSpec {
    #[field(1, required)]
    pub request: ByteString,
    #[field(7, required)]
    pub signer_name: String,
    #[field(8)]
    pub expiration_seconds: Option<i32>,
    #[field(5, list = "atomic", values = KEY_USAGES)]
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

#[derive(Clone, Default, Schema)]
pub struct CertificateSigningRequestStatus {
    #[field(1, keys("type"))]
    pub conditions: Vec<CertificateSigningRequestCondition>,
    #[field(2)]
    pub certificate: ByteString,
}

#[derive(Clone, Default, Schema)]
#[schema(transparent)]
pub struct ExtraValue(#[field(1)] pub Vec<String>);
