//! What the good of a token depends on. As long as none of it has changed in the caches, a token that was looked at
//! need not be looked at again.

use std::borrow::Cow;
use std::sync::Arc;

use rhumb_meta::{Object, ObjectMeta};
use rhumb_store::cache::{At, Cached};
use rhumb_store::{Key, Revision};

use super::{Known, ServiceAccounts};
use crate::base::failure::Outcome;
use crate::registry::Storage;
use crate::registry::cached::CachedObject;
use crate::registry::deadline::deadline;

/// Whose token it is, and why.
#[derive(Clone)]
pub(super) struct Watched {
    pub(super) known: Known,
    pub(super) grounds: Grounds,
}

/// Why a token is good.
#[derive(Clone)]
pub(super) struct Grounds {
    objects: Vec<(Arc<Storage>, Key, Revision)>,
    /// When it ends to be, in seconds since 1970.
    until: i64,
}

impl Default for Grounds {
    fn default() -> Self {
        Grounds { objects: Vec::new(), until: i64::MAX }
    }
}

impl Grounds {
    /// It is good until then at most.
    pub(super) fn end_by(&mut self, until: i64) {
        self.until = self.until.min(until);
    }
}

impl Watched {
    /// Whether nothing has changed on which it depends.
    pub(super) async fn still_holds(&self, now: i64) -> bool {
        if now > self.grounds.until {
            return false;
        }
        for (storage, key, revision) in &self.grounds.objects {
            let found = storage.cache().get(key, At::Any, deadline()).await;
            if !matches!(found, Ok(Some(cached)) if cached.revision() == *revision) {
                return false;
            }
        }
        true
    }
}

impl ServiceAccounts {
    /// The metadata of an object on which a token depends.
    pub(super) async fn ground(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        grounds: &mut Grounds,
    ) -> Result<Option<ObjectMeta>, String> {
        let found = self.ground_object(resource, namespace, name, grounds).await?;
        Ok(found.and_then(|hub| hub.metadata().map(Cow::into_owned)))
    }

    /// An object on which a token depends.
    pub(super) async fn ground_object(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        grounds: &mut Grounds,
    ) -> Result<Option<Box<dyn Object>>, String> {
        let Some(storage) = self.storage_of(resource) else { return Ok(None) };
        let found = find(&storage, namespace, name).await.map_err(|failure| failure.to_string())?;
        let Some((key, cached)) = found else { return Ok(None) };
        let hub = storage.hub(&cached).map_err(|failure| failure.to_string())?;
        grounds.objects.push((Arc::clone(&storage), key, cached.revision()));
        Ok(Some(hub))
    }

    /// An object of the core group. What was seen a moment ago is good enough, unless nothing was.
    pub(crate) async fn seen(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
    ) -> Outcome<Option<Box<dyn Object>>> {
        let Some(storage) = self.storage_of(resource) else { return Ok(None) };
        match find(&storage, namespace, name).await? {
            Some((_, cached)) => storage.hub(&cached).map(Some),
            None => Ok(None),
        }
    }

    fn storage_of(&self, resource: &str) -> Option<Arc<Storage>> {
        self.registry.resources().find("", "v1", resource).and_then(|found| found.storage.clone())
    }
}

async fn find(
    storage: &Storage,
    namespace: &str,
    name: &str,
) -> Outcome<Option<(Key, Arc<Cached<CachedObject>>)>> {
    let Ok(key) = storage.key(namespace, name) else { return Ok(None) };
    for at in [At::Any, At::Newest] {
        if let Some(cached) = storage.cache().get(&key, at, deadline()).await? {
            return Ok(Some((key, cached)));
        }
    }
    Ok(None)
}
