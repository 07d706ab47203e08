//! `admission.k8s.io/v1`.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{GroupVersionKind, GroupVersionResource, Status, TypeMeta};
use rhumb_schema::{ByteString, RawJson, Schema};

use crate::authentication::v1::UserInfo;

#[derive(Clone, Default, Schema)]
pub struct AdmissionRequest {
    #[field(1, shown)]
    pub uid: String,
    #[field(2, shown)]
    pub kind: GroupVersionKind,
    #[field(3, shown)]
    pub resource: GroupVersionResource,
    #[field(4)]
    pub sub_resource: String,
    #[field(13)]
    pub request_kind: Option<Box<GroupVersionKind>>,
    #[field(14)]
    pub request_resource: Option<Box<GroupVersionResource>>,
    #[field(15)]
    pub request_sub_resource: String,
    #[field(5)]
    pub name: String,
    #[field(6)]
    pub namespace: String,
    #[field(7, shown)]
    pub operation: String,
    #[field(8, shown)]
    pub user_info: UserInfo,
    #[field(9)]
    pub object: RawJson,
    #[field(10)]
    pub old_object: RawJson,
    #[field(11)]
    pub dry_run: Option<bool>,
    #[field(12)]
    pub options: RawJson,
}

#[derive(Clone, Default, Schema)]
pub struct AdmissionResponse {
    #[field(1, shown)]
    pub uid: String,
    #[field(2, shown)]
    pub allowed: bool,
    #[field(3)]
    pub status: Option<Box<Status>>,
    #[field(4)]
    pub patch: ByteString,
    #[field(5)]
    pub patch_type: Option<String>,
    #[field(6)]
    pub audit_annotations: BTreeMap<String, String>,
    #[field(7, list = "atomic")]
    pub warnings: Vec<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct AdmissionReview {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub request: Option<Box<AdmissionRequest>>,
    #[field(2)]
    pub response: Option<Box<AdmissionResponse>>,
}
