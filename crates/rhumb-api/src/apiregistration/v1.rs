//! `apiregistration.k8s.io/v1`: API servers that serve a group beside this one.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::{ByteString, Schema};

/// A group and version, and the server that serves it.
#[derive(Clone, Default, Schema, Object)]
pub struct APIService {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: APIServiceSpec,
    #[field(3)]
    pub status: APIServiceStatus,
}

/// Something that is known of a service.
#[derive(Clone, Default, Schema)]
pub struct APIServiceCondition {
    /// `Available`, for one.
    #[field(1, required)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(2, required)]
    pub status: String,
    /// When the status last changed.
    #[field(3)]
    pub last_transition_time: Time,
    /// Why, in one word.
    #[field(4)]
    pub reason: String,
    /// Why, in words for people.
    #[field(5)]
    pub message: String,
}

/// A list of API services.
#[derive(Clone, Default, Schema, Object)]
pub struct APIServiceList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<APIService>,
}

/// Which group and version is served, and by whom.
#[derive(Clone, Default, Schema)]
pub struct APIServiceSpec {
    /// The service that requests go to. Without it, this server itself serves the version.
    #[field(1)]
    pub service: Option<Box<ServiceReference>>,
    /// The group.
    #[field(2)]
    pub group: String,
    /// The version.
    #[field(3)]
    pub version: String,
    /// Whether the server's certificate is not checked. Not for use outside of tests.
    #[field(4, json = "insecureSkipTLSVerify")]
    pub insecure_skip_tls_verify: bool,
    /// Certificates in PEM that the server's own must be signed by.
    #[field(5, list = "atomic")]
    pub ca_bundle: ByteString,
    /// Groups with a higher number come first in discovery, up to 20000.
    #[field(7, required)]
    pub group_priority_minimum: i32,
    /// Versions with a higher number come first in their group, up to 1000.
    #[field(8, required)]
    pub version_priority: i32,
}

/// Whether the server can be reached.
#[derive(Clone, Default, Schema)]
pub struct APIServiceStatus {
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<APIServiceCondition>,
}

/// A service of the cluster.
#[derive(Clone, Default, Schema)]
pub struct ServiceReference {
    #[field(1)]
    pub namespace: String,
    #[field(2)]
    pub name: String,
    /// The service's port. Defaults to 443.
    #[field(3)]
    pub port: Option<i32>,
}
