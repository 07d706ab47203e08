//! `certificates.k8s.io/v1`: requests for certificates and what became of them.

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

/// Asks a signer for a certificate.
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
pub struct CertificateSigningRequestCondition {
    /// Approved, Denied, Failed, or a name of the signer's own.
    #[field(1, required)]
    pub type_: String,
    /// True, False or Unknown; the three known types can only be True.
    #[field(6, required)]
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
#[derive(Clone, Default, Schema, Object)]
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
#[derive(Clone, Default, Schema)]
pub struct CertificateSigningRequestSpec {
    /// A PKCS#10 request in PEM.
    #[field(1, required)]
    pub request: ByteString,
    /// Who shall sign, such as `kubernetes.io/kube-apiserver-client` or `example.com/mine`.
    #[field(7, required)]
    pub signer_name: String,
    /// How long the certificate shall be valid, at least 600. The signer may choose another time.
    #[field(8)]
    pub expiration_seconds: Option<i32>,
    /// What the key will be used for, such as `digital signature` and `client auth`.
    #[field(5, list = "atomic", values = KEY_USAGES)]
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
#[derive(Clone, Default, Schema)]
pub struct CertificateSigningRequestStatus {
    /// Whether the request was approved, was denied, or failed.
    #[field(1, keys("type"))]
    pub conditions: Vec<CertificateSigningRequestCondition>,
    /// The certificate in PEM, perhaps followed by those that it takes to check it.
    #[field(2)]
    pub certificate: ByteString,
}

/// The values of one extra attribute of a user.
#[derive(Clone, Default, Schema)]
#[schema(transparent)]
pub struct ExtraValue(#[field(1)] pub Vec<String>);
