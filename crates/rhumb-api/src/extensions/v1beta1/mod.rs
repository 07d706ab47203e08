//! `extensions/v1beta1`: where kinds lived before they had a group of their own.

pub mod ingress;
pub mod network_policy;
pub mod workload;

pub use crate::policy::v1beta1::PodSecurityPolicy;
pub use ingress::Ingress;
pub use network_policy::NetworkPolicy;
pub use workload::{DaemonSet, Deployment, ReplicaSet};
