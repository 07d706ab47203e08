//! `authentication.k8s.io/v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
pub struct BoundObjectReference {
    #[field(1)]
    pub kind: String,
    #[field(2)]
    pub api_version: String,
    #[field(3)]
    pub name: String,
    #[field(4)]
    pub uid: String,
}

#[derive(Clone, Default, Schema)]
#[schema(transparent)]
pub struct ExtraValue(#[field(1)] pub Vec<String>);

#[derive(Clone, Default, Schema, Object)]
pub struct SelfSubjectReview {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub status: SelfSubjectReviewStatus,
}

#[derive(Clone, Default, Schema)]
pub struct SelfSubjectReviewStatus {
    #[field(1)]
    pub user_info: UserInfo,
}

#[derive(Clone, Default, Schema, Object)]
pub struct TokenRequest {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, shown)]
    pub spec: TokenRequestSpec,
    #[field(3)]
    pub status: TokenRequestStatus,
}

#[derive(Clone, Default, Schema)]
pub struct TokenRequestSpec {
    #[field(1, shown, list = "atomic")]
    pub audiences: Vec<String>,
    #[field(4, shown)]
    pub expiration_seconds: Option<i64>,
    #[field(3, shown)]
    pub bound_object_ref: Option<Box<BoundObjectReference>>,
}

#[derive(Clone, Default, Schema)]
pub struct TokenRequestStatus {
    #[field(1, shown)]
    pub token: String,
    #[field(2, shown)]
    pub expiration_timestamp: Time,
}

#[derive(Clone, Default, Schema, Object)]
pub struct TokenReview {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: TokenReviewSpec,
    #[field(3)]
    pub status: TokenReviewStatus,
}

#[derive(Clone, Default, Schema)]
pub struct TokenReviewSpec {
    #[field(1, required_omitempty)]
    pub token: String,
    #[field(2, list = "atomic")]
    pub audiences: Vec<String>,
}

#[derive(Clone, Default, Schema)]
pub struct TokenReviewStatus {
    #[field(1)]
    pub authenticated: bool,
    #[field(2)]
    pub user: UserInfo,
    #[field(4, list = "atomic")]
    pub audiences: Vec<String>,
    #[field(3)]
    pub error: String,
}

#[derive(Clone, Default, Schema)]
pub struct UserInfo {
    #[field(1)]
    pub username: String,
    #[field(2)]
    pub uid: String,
    #[field(3, list = "atomic")]
    pub groups: Vec<String>,
    #[field(4)]
    pub extra: BTreeMap<String, ExtraValue>,
}
