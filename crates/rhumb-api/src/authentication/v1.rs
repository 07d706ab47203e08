//! `authentication.k8s.io/v1`: who a token belongs to, and new tokens.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

/// An object that a token lives and dies with.
#[derive(Clone, Default, Schema)]
pub struct BoundObjectReference {
    /// Pod, Secret or Node.
    #[field(1)]
    pub kind: String,
    #[field(2)]
    pub api_version: String,
    #[field(3)]
    pub name: String,
    #[field(4)]
    pub uid: String,
}

/// The values of one extra attribute of a user.
#[derive(Clone, Default, Schema)]
#[schema(transparent)]
pub struct ExtraValue(#[field(1)] pub Vec<String>);

/// Asks the server who it takes the client for.
#[derive(Clone, Default, Schema, Object)]
pub struct SelfSubjectReview {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub status: SelfSubjectReviewStatus,
}

/// Who the client is.
#[derive(Clone, Default, Schema)]
pub struct SelfSubjectReviewStatus {
    #[field(1)]
    pub user_info: UserInfo,
}

/// Asks for a token for a service account.
#[derive(Clone, Default, Schema, Object)]
pub struct TokenRequest {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, shown)]
    pub spec: TokenRequestSpec,
    #[field(3)]
    pub status: TokenRequestStatus,
}

/// What the token shall be good for.
#[derive(Clone, Default, Schema)]
pub struct TokenRequestSpec {
    /// Who the token is meant for; whoever is not named must refuse it. Empty means the API server.
    #[field(1, shown, list = "atomic")]
    pub audiences: Vec<String>,
    /// How long the token is to be valid. Defaults to an hour; the server may choose another time.
    #[field(4, shown)]
    pub expiration_seconds: Option<i64>,
    /// The object with which the token becomes invalid.
    #[field(3, shown)]
    pub bound_object_ref: Option<Box<BoundObjectReference>>,
}

/// The token.
#[derive(Clone, Default, Schema)]
pub struct TokenRequestStatus {
    /// The token itself: a secret.
    #[field(1, shown)]
    pub token: String,
    /// When it ends.
    #[field(2, shown)]
    pub expiration_timestamp: Time,
}

/// Asks who a token belongs to.
#[derive(Clone, Default, Schema, Object)]
pub struct TokenReview {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required)]
    pub spec: TokenReviewSpec,
    #[field(3)]
    pub status: TokenReviewStatus,
}

/// The token in question.
#[derive(Clone, Default, Schema)]
pub struct TokenReviewSpec {
    /// The token.
    #[field(1, required_omitempty)]
    pub token: String,
    /// Who the token must be meant for, at least one of them. Empty means the API server.
    #[field(2, list = "atomic")]
    pub audiences: Vec<String>,
}

/// Who the token belongs to.
#[derive(Clone, Default, Schema)]
pub struct TokenReviewStatus {
    /// Whether the token is known.
    #[field(1)]
    pub authenticated: bool,
    /// Whom it belongs to.
    #[field(2)]
    pub user: UserInfo,
    /// Those of the asked-for audiences that the token is meant for.
    #[field(4, list = "atomic")]
    pub audiences: Vec<String>,
    /// Why the token could not be checked.
    #[field(3)]
    pub error: String,
}

/// A user, as the server knows them.
#[derive(Clone, Default, Schema)]
pub struct UserInfo {
    /// The name, unique among all users at a time.
    #[field(1)]
    pub username: String,
    /// Tells users apart that had the same name at different times.
    #[field(2)]
    pub uid: String,
    /// The groups that the user is in.
    #[field(3, list = "atomic")]
    pub groups: Vec<String>,
    /// What else whoever vouched for the user said.
    #[field(4)]
    pub extra: BTreeMap<String, ExtraValue>,
}
