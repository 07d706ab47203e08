//! The table of resources: what a server serves, under which names, and what can be done with it.
//!
//! Discovery documents, routing and clients all read this one table. A group is a constant ([`Group`]) with
//! its versions in the order clients should prefer them and its resources; a [`ResourceTable`] is a
//! selection of them, such as the versions a server has switched on, made for lookups. The table only names
//! kinds; their types are registered by the modules of the groups. A group that is not built in is described
//! by a constant of the same form, and [`ResourceTable::of`] puts it beside the others.
//!
//! Versions that Kubernetes gave up are here as well, marked as former, with the verbs and subresources
//! they had in the last release that served them.

mod access;
mod apps;
mod cluster;
mod core;
mod describe;
mod devices;
mod discovery;
mod extend;
mod fields;
mod network;
mod storage;
mod table;
#[cfg(test)]
mod tests;
mod typed;

pub use describe::{Gives, Group, Resource, Subresource, Verb};
pub use discovery::{storage_version_hash, to_v2beta1};
pub use table::{Found, ResourceTable, Served, StorageVersionError};

/// Every group, the most important first: the order in which discovery lists them and in which a name that
/// several groups have is looked up.
pub const GROUPS: &[Group] = &[
    core::CORE,
    extend::API_REGISTRATION,
    apps::EXTENSIONS,
    apps::APPS,
    cluster::EVENTS,
    access::AUTHENTICATION,
    access::AUTHORIZATION,
    apps::AUTOSCALING,
    apps::BATCH,
    access::CERTIFICATES,
    network::NETWORKING,
    apps::POLICY,
    access::RBAC,
    apps::SETTINGS,
    storage::STORAGE,
    extend::ADMISSION_REGISTRATION,
    extend::API_EXTENSIONS,
    cluster::SCHEDULING,
    cluster::COORDINATION,
    extend::AUDIT_REGISTRATION,
    cluster::NODE,
    network::DISCOVERY,
    devices::RESOURCE,
    cluster::FLOW_CONTROL,
    cluster::INTERNAL,
    storage::STORAGE_MIGRATION,
];

/// The versions of a built-in group, the most wanted first; none if no group has that name. The Scheme takes its
/// priority from here, so that discovery, storage and preferred versions go by one order.
pub(crate) fn versions_of(group: &str) -> &'static [&'static str] {
    GROUPS.iter().find(|known| known.name == group).map_or(&[], |known| known.versions)
}
