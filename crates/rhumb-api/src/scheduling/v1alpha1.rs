//! `scheduling.k8s.io/v1alpha1`: equal to v1.

pub use super::v1::{PriorityClass, PriorityClassList};
