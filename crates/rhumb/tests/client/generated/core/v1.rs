//! `v1` by other names.

// +groupName=

#[rustfmt::skip]
mod zz_generated_client;

pub use zz_generated_client::CoreV1Ext;

// +genclient
/// The built-in kind.
pub type Binding = rhumb_api::core::v1::Binding;

// +genclient
// +genclient:nonNamespaced
/// The built-in kind.
pub type ComponentStatus = rhumb_api::core::v1::ComponentStatus;

// +genclient
/// The built-in kind.
pub type ConfigMap = rhumb_api::core::v1::ConfigMap;

// +genclient
/// The built-in kind.
pub type Endpoints = rhumb_api::core::v1::Endpoints;

// +genclient
/// The built-in kind.
pub type Event = rhumb_api::core::v1::Event;

// +genclient
/// The built-in kind.
pub type LimitRange = rhumb_api::core::v1::LimitRange;

// +genclient
// +genclient:nonNamespaced
/// The built-in kind.
pub type Namespace = rhumb_api::core::v1::Namespace;

// +genclient
// +genclient:nonNamespaced
/// The built-in kind.
pub type Node = rhumb_api::core::v1::Node;

// +genclient
/// The built-in kind.
pub type PersistentVolumeClaim = rhumb_api::core::v1::PersistentVolumeClaim;

// +genclient
// +genclient:nonNamespaced
/// The built-in kind.
pub type PersistentVolume = rhumb_api::core::v1::PersistentVolume;

// +genclient
/// The built-in kind.
pub type Pod = rhumb_api::core::v1::Pod;

// +genclient
/// The built-in kind.
pub type PodTemplate = rhumb_api::core::v1::PodTemplate;

// +genclient
/// The built-in kind.
pub type ReplicationController = rhumb_api::core::v1::ReplicationController;

// +genclient
/// The built-in kind.
pub type ResourceQuota = rhumb_api::core::v1::ResourceQuota;

// +genclient
/// The built-in kind.
pub type Secret = rhumb_api::core::v1::Secret;

// +genclient
/// The built-in kind.
pub type ServiceAccount = rhumb_api::core::v1::ServiceAccount;

// +genclient
/// The built-in kind.
pub type Service = rhumb_api::core::v1::Service;
