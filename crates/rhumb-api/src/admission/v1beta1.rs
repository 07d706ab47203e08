//! `admission.k8s.io/v1beta1`: equal to v1.

pub use super::v1::{AdmissionRequest, AdmissionResponse, AdmissionReview};
