//! `apidiscovery.k8s.io`: aggregated discovery.

pub mod v2;
pub mod v2beta1;
