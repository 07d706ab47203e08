//! `admission.k8s.io/v1beta1`.

pub use super::v1::{AdmissionRequest, AdmissionResponse, AdmissionReview};
