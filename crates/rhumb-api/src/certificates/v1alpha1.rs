//! `certificates.k8s.io/v1alpha1`: bundles of trusted certificates, as in v1beta1.

pub use super::v1beta1::{ClusterTrustBundle, ClusterTrustBundleList, ClusterTrustBundleSpec};
