//! Cached discovery.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rhumb_meta::GroupVersion;
use rhumb_meta::v1::{APIGroupList, APIResourceList};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::resources::{FailedVersion, VersionFailure};
use super::{DiscoveryCache, DiscoveryClient, DiskCache, MemoryCache, ServerResources};
use crate::{Client, Error};

/// Period in which a fresh result is not fetched again because something is missing. It keeps repeated lookups of
/// missing resources cheap while new definitions are found soon.
const GRACE: Duration = Duration::from_secs(1);

/// Discovery from a cache, or else from the server, whose whole result is then cached.
///
/// Of many who ask at the same time for what is not known, one asks the server.
pub struct CachedDiscovery {
    live: DiscoveryClient,
    cache: Box<dyn DiscoveryCache>,
    grace: Duration,
    /// Latest result from the server with its time. It includes failures, which caches don't store.
    fetched: Mutex<Option<(Instant, ServerResources)>>,
}

impl CachedDiscovery {
    /// Creates cached discovery with a client and a cache.
    pub fn new(live: DiscoveryClient, cache: impl DiscoveryCache + 'static) -> Self {
        CachedDiscovery { live, cache: Box::new(cache), grace: GRACE, fetched: Mutex::default() }
    }

    /// Creates discovery cached in memory.
    pub fn in_memory(client: &Client) -> Self {
        CachedDiscovery::new(DiscoveryClient::new(client), MemoryCache::new())
    }

    /// Creates discovery cached in kubectl's files for this server, below a directory or `$KUBECACHEDIR` or
    /// `~/.kube/cache`. Without a home directory it is cached in memory.
    pub fn on_disk(client: &Client, dir: Option<PathBuf>) -> Self {
        let config = client.config();
        match dir.or_else(|| DiskCache::default_dir(&config.environment)) {
            Some(dir) => {
                let cache = DiskCache::for_server(&dir, &config.server, &config.environment);
                CachedDiscovery::new(DiscoveryClient::new(client).with_http_cache(dir.join("http")), cache)
            }
            None => CachedDiscovery::in_memory(client),
        }
    }

    /// Sets the period in which a fresh result is not fetched again because something is missing (one second).
    pub fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Returns the uncached client, which may use an HTTP cache.
    pub fn live(&self) -> &DiscoveryClient {
        &self.live
    }

    /// Returns the groups with their versions, the core group first.
    ///
    /// # Errors
    /// They are not known and could not be had.
    pub async fn groups(&self) -> Result<Arc<APIGroupList>, Error> {
        if let Some(groups) = self.cache.groups() {
            return Ok(groups);
        }
        let mut fetched = self.fetched.lock().await;
        if let Some(groups) = self.cache.groups() {
            return Ok(groups);
        }
        Ok(Arc::clone(&self.fetch(&mut fetched).await?.groups))
    }

    /// Returns the resources and subresources of a version.
    ///
    /// # Errors
    /// They are not known and could not be had.
    pub async fn resources(&self, version: &GroupVersion) -> Result<Arc<APIResourceList>, Error> {
        match self.find(version).await? {
            Ok(list) => Ok(list),
            Err(failed) => Err(Error::Unexpected(failed.to_string())),
        }
    }

    /// Returns everything that the server serves. Failed versions are listed separately.
    ///
    /// # Errors
    /// The groups are not known and could not be had.
    pub async fn server_resources(&self) -> Result<ServerResources, Error> {
        let groups = self.groups().await?;
        let mut all = ServerResources { groups: Arc::clone(&groups), ..ServerResources::default() };
        for group in &groups.groups {
            for version in &group.versions {
                let version = GroupVersion::new(group.name.clone(), version.version.clone());
                match self.find(&version).await? {
                    Ok(list) => all.resources.push(list),
                    Err(failed) => all.failed.push(failed),
                }
            }
        }
        // Stale versions are in no group.
        if let Some((_, fetched)) = &*self.fetched.lock().await {
            for failed in &fetched.failed {
                if !all.failed.iter().any(|known| known.version == failed.version)
                    && all.version(&failed.version).is_none()
                {
                    all.failed.push(failed.clone());
                }
            }
        }
        Ok(all)
    }

    /// Reports whether the whole result was fetched a moment ago, so that what is missing is missing on the server.
    pub fn is_fresh(&self) -> bool {
        self.cache.is_fresh(self.grace)
    }

    /// Invalidates everything cached.
    pub async fn invalidate(&self) {
        let mut fetched = self.fetched.lock().await;
        *fetched = None;
        self.cache.invalidate();
    }

    async fn find(
        &self,
        version: &GroupVersion,
    ) -> Result<Result<Arc<APIResourceList>, FailedVersion>, Error> {
        if let Some(list) = self.cache.resources(version) {
            return Ok(Ok(list));
        }
        let mut fetched = self.fetched.lock().await;
        if let Some(list) = self.cache.resources(version) {
            return Ok(Ok(list));
        }
        let recent =
            fetched.as_ref().filter(|(when, _)| when.elapsed() < self.grace).map(|(_, all)| all.clone());
        let all = match recent {
            Some(all) => all,
            None => self.fetch(&mut fetched).await?,
        };
        if let Some(list) = all.version(version) {
            return Ok(Ok(Arc::clone(list)));
        }
        let failed = all.failed.iter().find(|failed| failed.version == *version).cloned();
        Ok(Err(failed.unwrap_or_else(|| {
            let text = format!(
                "the server could not find the requested resource, GroupVersion {version:?} not found"
            );
            FailedVersion {
                version: version.clone(),
                failure: VersionFailure::Request(Arc::new(Error::Unexpected(text))),
            }
        })))
    }

    async fn fetch(
        &self,
        fetched: &mut Option<(Instant, ServerResources)>,
    ) -> Result<ServerResources, Error> {
        let all = self.live.server_resources().await?;
        // Nothing at all is not worth keeping: the server may only just be starting.
        if !all.groups.groups.is_empty() {
            self.cache.keep_groups(&all.groups);
        }
        for list in all.resources.iter().filter(|list| !list.resources.is_empty()) {
            self.cache.keep_resources(&group_version(&list.group_version), list);
        }
        *fetched = Some((Instant::now(), all.clone()));
        Ok(all)
    }
}

/// Parses `apps/v1` or `v1`.
fn group_version(text: &str) -> GroupVersion {
    let (group, version) = text.split_once('/').unwrap_or(("", text));
    GroupVersion::new(group.to_owned(), version.to_owned())
}

impl fmt::Debug for CachedDiscovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedDiscovery").field("live", &self.live).finish_non_exhaustive()
    }
}
