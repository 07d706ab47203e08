//! Custom resources: what definitions define, as kinds that are served.
//!
//! A definition that the control plane has accepted becomes endpoints ([`serve`]) whose objects are what a
//! [`model`] says, and takes its place among those that are [`served`], in [`discovery`] and in the documents
//! ([`openapi`]). What is said of it in its status is decided here ([`conditions`]); who follows definitions and
//! writes that is `controlplane::custom`.

pub(crate) mod conditions;
pub(crate) mod definition;
pub(crate) mod discovery;
pub(crate) mod model;
pub(crate) mod names;
pub(crate) mod openapi;
pub(crate) mod pieces;
pub(crate) mod serve;
pub(crate) mod served;
pub(crate) mod table;
pub(crate) mod told;
pub(crate) mod version;

use rhumb_meta::GroupVersionKind;

pub(crate) use conditions::mark_deleted;
pub(crate) use serve::Published;
pub(crate) use served::ServedDefinitions;
pub(crate) use told::Merged;

/// The group of definitions.
pub(crate) const GROUP: &str = "apiextensions.k8s.io";
/// The resource of definitions.
pub(crate) const RESOURCE: &str = "customresourcedefinitions";
/// The kind of definitions, in the version that is served.
pub(crate) const KIND: GroupVersionKind =
    GroupVersionKind::new_static(GROUP, "v1", "CustomResourceDefinition");
