//! `authentication.k8s.io/v1beta1`: who a token belongs to, as before v1.

pub use super::v1::{
    ExtraValue, SelfSubjectReview, SelfSubjectReviewStatus, TokenReview, TokenReviewSpec, TokenReviewStatus,
    UserInfo,
};
