//! `apidiscovery.k8s.io`: all groups and resources of a server in one document.

pub mod v2;
pub mod v2beta1;
