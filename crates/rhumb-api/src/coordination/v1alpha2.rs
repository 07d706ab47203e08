//! `coordination.k8s.io/v1alpha2`.

pub use super::v1beta1::{LeaseCandidate, LeaseCandidateList, LeaseCandidateSpec};
