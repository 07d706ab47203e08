//! RESTMapper: maps between kinds and resources.
//!
//! Objects name their kind (`apps/v1, Kind=Deployment`), paths name a resource (`apps/v1, Resource=deployments`),
//! and people type parts of either (`deploy`, `deployments.apps`, `Deployment.v1.apps`). A [`RestMapper`] knows
//! which belong together and whether the objects live in namespaces.
//!
//! - [`DefaultRestMapper`] holds registered pairs and answers from hash maps.
//! - [`MultiRestMapper`] and [`FirstHitRestMapper`] ask several mappers.
//! - [`PriorityRestMapper`] settles which of several answers is meant.
//! - [`Discovery`] reads what a server says it serves, and gives a [`DiscoveryRestMapper`], the short names
//!   ([`Shortcuts`], used by [`ShortcutExpander`]) and the [`Categories`].
//! - [`mapping_for_arg`] reads what a user typed, [`guess_resource`] makes a plural where nobody told one.
//!
//! Every mapper is complete once it is built and never changes, so any number of threads may share one. Fetching
//! discovery documents, and asking again when they grow old, belongs to the client.

mod arg;
mod category;
mod default;
mod discovered;
mod discovery;
mod error;
mod multi;
mod name_index;
mod plural;
mod priority;
mod quote;
mod shortcut;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rhumb_meta::{GroupKind, GroupVersionKind, GroupVersionResource};

pub use arg::{ArgError, mapping_for_arg};
pub use category::Categories;
pub use default::{DefaultRestMapper, DefaultRestMapperBuilder};
pub use discovered::DiscoveryRestMapper;
pub use discovery::Discovery;
pub use error::{Choices, MapperError};
pub use multi::{FirstHitRestMapper, MultiRestMapper};
pub use plural::{GuessedResource, guess_resource};
pub use priority::{ANY, PriorityRestMapper};
pub use rhumb_meta::Scope;
pub use shortcut::{Expansion, ShortcutExpander, Shortcuts};

/// A kind with its resource and scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RestMapping {
    /// The resource.
    pub resource: GroupVersionResource,
    /// The kind.
    pub kind: GroupVersionKind,
    /// Whether the objects live in namespaces.
    pub scope: Scope,
}

/// Finds kinds and resources by possibly incomplete names.
///
/// A resource may be given in plural or singular and in any case, with or without group and version. A group
/// that isn't known exactly matches the groups it is a prefix of: `storageclass.storage` finds
/// `storageclasses.storage.k8s.io`. The internal version counts as no version.
pub trait RestMapper: Send + Sync {
    /// Returns all kinds of a resource, the preferred one first.
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, MapperError>;

    /// Returns all resources that a name may mean, the preferred one first.
    fn resources_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<Vec<GroupVersionResource>, MapperError>;

    /// Returns the one mapping to use for a kind.
    ///
    /// The first of `versions` that has the kind wins; without versions the mapper's own preference decides.
    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, MapperError>;

    /// Returns all mappings of a kind if `versions` is empty, else that of the first version that has it.
    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, MapperError>;

    /// Returns the singular of a resource: `pod` for `pods`.
    fn resource_singularizer(&self, resource: &str) -> Result<String, MapperError>;

    /// Returns the one kind that a resource holds; several are an error.
    fn kind_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionKind, MapperError> {
        let kinds = self.kinds_for(resource)?;
        only(kinds).map_err(|kinds| MapperError::AmbiguousResource {
            partial: resource.clone(),
            choices: Choices::Kinds(kinds),
        })
    }

    /// Returns the one resource that a name means; several are an error.
    fn resource_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionResource, MapperError> {
        let resources = self.resources_for(resource)?;
        only(resources).map_err(|resources| MapperError::AmbiguousResource {
            partial: resource.clone(),
            choices: Choices::Resources(resources),
        })
    }
}

/// Returns the single member of a list, or the list.
fn only<T>(mut list: Vec<T>) -> Result<T, Vec<T>> {
    match list.pop() {
        Some(single) if list.is_empty() => Ok(single),
        last => {
            list.extend(last);
            Err(list)
        }
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<M: RestMapper + ?Sized> RestMapper for $pointer {
            fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, MapperError> {
                (**self).kinds_for(resource)
            }

            fn resources_for(
                &self,
                resource: &GroupVersionResource,
            ) -> Result<Vec<GroupVersionResource>, MapperError> {
                (**self).resources_for(resource)
            }

            fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, MapperError> {
                (**self).rest_mapping(kind, versions)
            }

            fn rest_mappings(
                &self,
                kind: &GroupKind,
                versions: &[&str],
            ) -> Result<Vec<RestMapping>, MapperError> {
                (**self).rest_mappings(kind, versions)
            }

            fn resource_singularizer(&self, resource: &str) -> Result<String, MapperError> {
                (**self).resource_singularizer(resource)
            }

            fn kind_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionKind, MapperError> {
                (**self).kind_for(resource)
            }

            fn resource_for(
                &self,
                resource: &GroupVersionResource,
            ) -> Result<GroupVersionResource, MapperError> {
                (**self).resource_for(resource)
            }
        }
    )*};
}

forward!(&M, Box<M>, Arc<M>);
