//! `extensions/v1beta1`: where kinds lived before they had a group of their own.

pub mod ingress;
pub mod network_policy;
pub mod workload;
