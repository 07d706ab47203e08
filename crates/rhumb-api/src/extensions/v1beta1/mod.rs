//! `extensions/v1beta1`: where kinds lived before they had a group of their own.

pub mod workload;
