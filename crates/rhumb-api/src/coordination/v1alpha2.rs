//! `coordination.k8s.io/v1alpha2`: candidates, as in v1beta1.

pub use super::v1beta1::{LeaseCandidate, LeaseCandidateList, LeaseCandidateSpec};
