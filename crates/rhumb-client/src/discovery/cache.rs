//! Caches of discovery.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rhumb_meta::GroupVersion;
use rhumb_meta::v1::{APIGroupList, APIResourceList};
use tokio::time::Instant;

/// Caches discovery. What can't be stored or read counts as missing, so a cache returns no errors.
pub trait DiscoveryCache: Send + Sync {
    /// Returns the groups.
    fn groups(&self) -> Option<Arc<APIGroupList>>;
    /// Keeps the groups.
    fn keep_groups(&self, groups: &Arc<APIGroupList>);
    /// Returns the resources of a version.
    fn resources(&self, version: &GroupVersion) -> Option<Arc<APIResourceList>>;
    /// Keeps the resources of a version.
    fn keep_resources(&self, version: &GroupVersion, resources: &Arc<APIResourceList>);
    /// Reports whether all that was taken out of it was put in by this process, no longer ago than this.
    fn is_fresh(&self, within: Duration) -> bool;
    /// Gives nothing more of what is in it now.
    fn invalidate(&self);
}

/// Caches discovery in memory until it is invalidated.
#[derive(Debug, Default)]
pub struct MemoryCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    groups: Option<Arc<APIGroupList>>,
    resources: HashMap<GroupVersion, Arc<APIResourceList>>,
    since: Option<Instant>,
}

impl MemoryCache {
    /// Creates an empty cache.
    pub fn new() -> Self {
        MemoryCache::default()
    }
}

impl DiscoveryCache for MemoryCache {
    fn groups(&self) -> Option<Arc<APIGroupList>> {
        self.0.lock().groups.clone()
    }

    fn keep_groups(&self, groups: &Arc<APIGroupList>) {
        let mut kept = self.0.lock();
        kept.groups = Some(Arc::clone(groups));
        kept.since = Some(Instant::now());
    }

    fn resources(&self, version: &GroupVersion) -> Option<Arc<APIResourceList>> {
        self.0.lock().resources.get(version).cloned()
    }

    fn keep_resources(&self, version: &GroupVersion, resources: &Arc<APIResourceList>) {
        self.0.lock().resources.insert(version.clone(), Arc::clone(resources));
    }

    fn is_fresh(&self, within: Duration) -> bool {
        self.0.lock().since.is_some_and(|since| since.elapsed() < within)
    }

    fn invalidate(&self) {
        *self.0.lock() = Kept::default();
    }
}
