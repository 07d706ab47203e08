//! `admission.k8s.io/v1`: the question to an admission webhook, and its answer.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{GroupVersionKind, GroupVersionResource, Status, TypeMeta};
use rhumb_schema::{ByteString, RawJson, Schema};

use crate::authentication::v1::UserInfo;

/// What a webhook is asked about.
#[derive(Clone, Default, Schema)]
pub struct AdmissionRequest {
    /// Tells this call from others; the answer repeats it.
    #[field(1, shown)]
    pub uid: String,
    /// The kind of the object, as the webhook is registered for it.
    #[field(2, shown)]
    pub kind: GroupVersionKind,
    /// The resource, as the webhook is registered for it.
    #[field(3, shown)]
    pub resource: GroupVersionResource,
    /// The subresource, if the request is about one.
    #[field(4)]
    pub sub_resource: String,
    /// The kind of the object in the original request.
    #[field(13)]
    pub request_kind: Option<Box<GroupVersionKind>>,
    /// The resource of the original request.
    #[field(14)]
    pub request_resource: Option<Box<GroupVersionResource>>,
    /// The subresource of the original request.
    #[field(15)]
    pub request_sub_resource: String,
    /// The object's name; empty if the server is yet to choose it.
    #[field(5)]
    pub name: String,
    /// The object's namespace.
    #[field(6)]
    pub namespace: String,
    /// CREATE, UPDATE, DELETE or CONNECT.
    #[field(7, shown)]
    pub operation: String,
    /// Who made the request.
    #[field(8, shown)]
    pub user_info: UserInfo,
    /// The object of the request.
    #[field(9)]
    pub object: RawJson,
    /// The object as it was, for UPDATE and DELETE.
    #[field(10)]
    pub old_object: RawJson,
    /// Whether nothing of this will be stored.
    #[field(11)]
    pub dry_run: Option<bool>,
    /// The options of the operation, such as CreateOptions.
    #[field(12)]
    pub options: RawJson,
}

/// What a webhook answers.
#[derive(Clone, Default, Schema)]
pub struct AdmissionResponse {
    /// Repeats that of the request.
    #[field(1, shown)]
    pub uid: String,
    /// Whether the request may go on.
    #[field(2, shown)]
    pub allowed: bool,
    /// Why not, if it may not.
    #[field(3)]
    pub status: Option<Box<Status>>,
    /// Changes to the object, as a JSON patch.
    #[field(4)]
    pub patch: ByteString,
    /// The form of the patch: JSONPatch.
    #[field(5)]
    pub patch_type: Option<String>,
    /// What the audit event of the request is to say.
    #[field(6)]
    pub audit_annotations: BTreeMap<String, String>,
    /// What the client shall be warned of.
    #[field(7, list = "atomic")]
    pub warnings: Vec<String>,
}

/// A question to a webhook, and its answer.
#[derive(Clone, Default, Schema, Object)]
pub struct AdmissionReview {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub request: Option<Box<AdmissionRequest>>,
    #[field(2)]
    pub response: Option<Box<AdmissionResponse>>,
}
