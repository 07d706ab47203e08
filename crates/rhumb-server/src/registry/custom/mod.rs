//! Custom resources: definitions that clients make, and the kinds that are served because of them.
//!
//! The way of a definition: [`definitions`] watches them and keeps their status ([`status`]); what is accepted
//! becomes endpoints ([`serve`]) whose objects are what a [`model`] says, and takes its place in discovery and in the
//! documents. A definition that is deleted takes its objects along ([`finalize`]). What no one here could keep to,
//! rules in CEL and webhooks, is refused when it is asked for ([`unsupported`]).

pub(crate) mod definition;
pub(crate) mod discovery;
pub(crate) mod model;
pub(crate) mod names;
pub(crate) mod openapi;
pub(crate) mod serve;
pub(crate) mod served;
pub(crate) mod table;
pub(crate) mod told;
pub(crate) mod unsupported;
pub(crate) mod version;

use rhumb_meta::GroupVersionKind;

pub(crate) use crate::controlplane::custom::definitions::start;
pub(crate) use crate::controlplane::custom::status::mark_deleted;
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
