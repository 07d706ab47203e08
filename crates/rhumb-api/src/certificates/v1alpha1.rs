//! `certificates.k8s.io/v1alpha1`.

pub use super::v1beta1::{ClusterTrustBundle, ClusterTrustBundleList, ClusterTrustBundleSpec};
