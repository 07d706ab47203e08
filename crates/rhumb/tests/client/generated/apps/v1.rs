//! `apps/v1` by other names.

// +groupName=apps

#[rustfmt::skip]
mod zz_generated_client;

pub use zz_generated_client::AppsV1Ext;

// +genclient
/// The built-in kind.
pub type ControllerRevision = rhumb_api::apps::v1::ControllerRevision;

// +genclient
/// The built-in kind.
pub type DaemonSet = rhumb_api::apps::v1::DaemonSet;

// +genclient
/// The built-in kind.
pub type Deployment = rhumb_api::apps::v1::Deployment;

// +genclient
/// The built-in kind.
pub type ReplicaSet = rhumb_api::apps::v1::ReplicaSet;

// +genclient
/// The built-in kind.
pub type StatefulSet = rhumb_api::apps::v1::StatefulSet;
