//! RESTMapper over discovery, which refreshes it if something is missing.

use std::fmt;
use std::sync::Arc;

use rhumb_meta::{GroupKind, GroupVersionKind, GroupVersionResource};
use rhumb_scheme::mapper::{
    ArgError, Categories, DiscoveryRestMapper, MapperError, RestMapper, RestMapping, ShortcutExpander,
    mapping_for_arg,
};
use tokio::sync::Mutex;

use super::CachedDiscovery;
use crate::Error;

/// Warning code, also of warnings that don't come from a server.
const CLIENT_WARNING: u16 = 299;

/// Mapper of one discovery result.
pub struct Mappings {
    /// Kinds, resources and short names.
    pub mapper: ShortcutExpander<DiscoveryRestMapper>,
    /// The categories.
    pub categories: Categories,
}

impl fmt::Debug for Mappings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mappings").field("categories", &self.categories.names()).finish_non_exhaustive()
    }
}

/// Maps kinds, names and short names to resources. Discovery happens on first use and once more if something is
/// missing, since a custom resource may just have been created.
///
/// What was fetched a moment ago is not fetched again because of that.
#[derive(Debug)]
pub struct DeferredMapper {
    discovery: CachedDiscovery,
    mappings: Mutex<Option<Arc<Mappings>>>,
}

impl DeferredMapper {
    /// Creates a mapper over cached discovery.
    pub fn new(discovery: CachedDiscovery) -> Self {
        DeferredMapper { discovery, mappings: Mutex::default() }
    }

    /// Returns the underlying discovery.
    pub fn discovery(&self) -> &CachedDiscovery {
        &self.discovery
    }

    /// Returns the current mapper, for several consistent lookups.
    ///
    /// # Errors
    /// It is not there yet and the server can't be asked.
    pub async fn mappings(&self) -> Result<Arc<Mappings>, Error> {
        let mut mappings = self.mappings.lock().await;
        if let Some(mappings) = &*mappings {
            return Ok(Arc::clone(mappings));
        }
        let discovery = self.discovery.server_resources().await?.to_discovery();
        let warnings = Arc::clone(&self.discovery.live().client().config().warnings);
        let made = Arc::new(Mappings {
            mapper: ShortcutExpander::new(discovery.rest_mapper(), discovery.shortcuts())
                .on_warning(move |text| warnings.warning(CLIENT_WARNING, "", text)),
            categories: discovery.categories(),
        });
        *mappings = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Invalidates the mapper and its discovery.
    pub async fn reset(&self) {
        self.discovery.invalidate().await;
        *self.mappings.lock().await = None;
    }

    /// Queries the mapper, and once more with fresh discovery if there was no match.
    ///
    /// # Errors
    /// There is nothing, or the server can't be asked.
    pub async fn ask<T>(
        &self,
        question: impl Fn(&dyn RestMapper) -> Result<T, MapperError>,
    ) -> Result<T, MapperError> {
        let mappings = self.mappings().await.map_err(unavailable)?;
        match question(&mappings.mapper) {
            Err(error) if error.is_no_match() && self.renew(&mappings).await => {
                let mappings = self.mappings().await.map_err(unavailable)?;
                question(&mappings.mapper)
            }
            answer => answer,
        }
    }

    /// Reports whether there may be others now than these, which did not have what was looked for.
    async fn renew(&self, old: &Arc<Mappings>) -> bool {
        let mut mappings = self.mappings.lock().await;
        match &*mappings {
            Some(current) if Arc::ptr_eq(current, old) => {
                if self.discovery.is_fresh() {
                    return false;
                }
                self.discovery.invalidate().await;
                *mappings = None;
                true
            }
            // Someone else was faster.
            _ => true,
        }
    }

    /// Returns all kinds of a resource, the preferred one first.
    ///
    /// # Errors
    /// There is none, or the server can't be asked.
    pub async fn kinds_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<Vec<GroupVersionKind>, MapperError> {
        self.ask(|mapper| mapper.kinds_for(resource)).await
    }

    /// Returns the only kind of a resource.
    ///
    /// # Errors
    /// There is none or more than one, or the server can't be asked.
    pub async fn kind_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionKind, MapperError> {
        self.ask(|mapper| mapper.kind_for(resource)).await
    }

    /// Returns all resources that a name may mean, the preferred one first.
    ///
    /// # Errors
    /// There is none, or the server can't be asked.
    pub async fn resources_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<Vec<GroupVersionResource>, MapperError> {
        self.ask(|mapper| mapper.resources_for(resource)).await
    }

    /// Returns the only resource that a name means.
    ///
    /// # Errors
    /// There is none or more than one, or the server can't be asked.
    pub async fn resource_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<GroupVersionResource, MapperError> {
        self.ask(|mapper| mapper.resource_for(resource)).await
    }

    /// Returns the mapping to use for a kind, in the first of the versions that has it.
    ///
    /// # Errors
    /// There is none, or the server can't be asked.
    pub async fn rest_mapping(
        &self,
        kind: &GroupKind,
        versions: &[&str],
    ) -> Result<RestMapping, MapperError> {
        self.ask(|mapper| mapper.rest_mapping(kind, versions)).await
    }

    /// Returns all mappings of a kind, or the one in the first of the versions that has it.
    ///
    /// # Errors
    /// There is none, or the server can't be asked.
    pub async fn rest_mappings(
        &self,
        kind: &GroupKind,
        versions: &[&str],
    ) -> Result<Vec<RestMapping>, MapperError> {
        self.ask(|mapper| mapper.rest_mappings(kind, versions)).await
    }

    /// Resolves a user's argument for a resource: `po`, `deployments.apps`, `Deployment.v1.apps`.
    ///
    /// # Errors
    /// There is none, or the server can't be asked.
    pub async fn mapping_for_arg(&self, arg: &str) -> Result<RestMapping, ArgError> {
        let mappings = self.mappings().await.map_err(|error| ArgError::from(unavailable(error)))?;
        match mapping_for_arg(&mappings.mapper, arg) {
            Err(_) if self.renew(&mappings).await => {
                let mappings = self.mappings().await.map_err(|error| ArgError::from(unavailable(error)))?;
                mapping_for_arg(&mappings.mapper, arg)
            }
            answer => answer,
        }
    }

    /// Returns the categories, such as `all`.
    ///
    /// # Errors
    /// The server can't be asked.
    pub async fn categories(&self) -> Result<Categories, Error> {
        Ok(self.mappings().await?.categories.clone())
    }
}

fn unavailable(error: Error) -> MapperError {
    MapperError::Unavailable(Box::new(error))
}
