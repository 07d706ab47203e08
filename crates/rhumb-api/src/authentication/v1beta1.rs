//! `authentication.k8s.io/v1beta1`: who a token belongs to, as before v1.

use rhumb_meta::Object;
use rhumb_meta::v1::{ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

pub use super::v1::{ExtraValue, TokenReview, TokenReviewSpec, TokenReviewStatus, UserInfo};

/// Asks the server who it takes the client for.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::SelfSubjectReview)]
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
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::SelfSubjectReviewStatus)]
pub struct SelfSubjectReviewStatus {
    #[field(1)]
    pub user_info: UserInfo,
}
