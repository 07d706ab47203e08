//! `authentication.k8s.io/v1alpha1`: who the one who asks is, as before v1.

pub use super::v1beta1::{SelfSubjectReview, SelfSubjectReviewStatus};
