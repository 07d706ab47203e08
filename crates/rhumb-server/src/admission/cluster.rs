//! What plugins see of the cluster: objects as the watch caches have them, read once for every revision of theirs,
//! and what users may do.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rhumb_meta::labels::Selector;
use rhumb_meta::{GroupVersionKind, Object};
use rhumb_schema::budget;
use rhumb_store::cache::{At, Cached, Items, ListOptions, Selection};
use rhumb_store::{Key, Revision};

use super::{Admitter, StatusWriter};
use crate::authorization::{AskedResource, Attributes, Decision};
use crate::base::environment::Environment;
use crate::base::failure::{Failure, Outcome};
use crate::base::identity::User;
use crate::registry::Storage;
use crate::registry::cached::CachedObject;
use crate::registry::deadline::deadline_of;

/// How many objects are remembered; when there are more, all are forgotten.
const REMEMBERED: usize = 4096;

/// Objects that plugins have looked at, with the revision that they were read at. Caches keep bytes; what is
/// looked at for every new pod shall not be read anew each time.
#[derive(Default)]
pub(crate) struct Memory(Mutex<HashMap<Key, Seen>>);

/// An object, and the revision that it was read at.
type Seen = (Revision, Arc<dyn Object>);

impl Memory {
    fn object(&self, storage: &Storage, cached: &Cached<CachedObject>) -> Outcome<Arc<dyn Object>> {
        let (key, revision) = (cached.key(), cached.revision());
        if let Some((seen, object)) = self.0.lock().get(key)
            && *seen == revision
        {
            return Ok(Arc::clone(object));
        }
        let object: Arc<dyn Object> = storage.hub(cached)?.into();
        if budget::is_stopped() {
            return Err(Failure::stopped());
        }
        let mut known = self.0.lock();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(key.clone(), (revision, Arc::clone(&object)));
        Ok(object)
    }
}

/// What the cache of a resource has in a namespace, or in all of them.
async fn cached(storage: &Storage, namespace: &str, at: At) -> Outcome<Items<CachedObject>> {
    let selection = Selection { prefix: storage.namespace_prefix(namespace), ..Selection::default() };
    let options = ListOptions { at, selection, ..ListOptions::default() };
    Ok(storage.cache().list(&options, deadline_of(storage.cache(), at)).await?.items)
}

/// The objects that cached ones are. What can't be read is passed over: a broken object must not stop all others.
fn read(storage: &Storage, items: impl Iterator<Item = Arc<Cached<CachedObject>>>) -> Vec<Arc<dyn Object>> {
    items.filter_map(|cached| Some(storage.hub(&cached).ok()?.into())).collect()
}

/// What a user may want to do, as rules see it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// The verb.
    pub verb: &'a str,
    /// The group.
    pub group: &'a str,
    /// The resource.
    pub resource: &'a str,
    /// What is below it; empty for nothing.
    pub subresource: &'a str,
    /// The namespace; empty for what lives in none.
    pub namespace: &'a str,
    /// The name of the object.
    pub name: &'a str,
}

/// What a plugin sees of the cluster.
#[derive(Clone, Copy)]
pub struct Cluster<'a> {
    admitter: &'a Admitter,
    writer: &'a dyn StatusWriter,
}

impl std::fmt::Debug for Cluster<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster").finish_non_exhaustive()
    }
}

impl<'a> Cluster<'a> {
    pub(crate) fn of(admitter: &'a Admitter, writer: &'a dyn StatusWriter) -> Self {
        Cluster { admitter, writer }
    }

    pub(super) fn admitter(&self) -> &'a Admitter {
        self.admitter
    }

    pub(super) fn writer(&self) -> &'a dyn StatusWriter {
        self.writer
    }

    pub(super) fn environment(&self) -> &'a Environment {
        &self.admitter.registry.environment
    }

    fn storage(&self, group: &str, version: &str, resource: &str) -> Option<Arc<Storage>> {
        let resources = self.admitter.registry.resources();
        resources.find(group, version, resource).and_then(|found| found.storage.clone())
    }

    /// An object in its hub form. It comes from the watch cache, with all that was written through this server; only
    /// if it isn't there, the newest state is waited for.
    ///
    /// # Errors
    /// If the store can't be asked.
    pub async fn get(
        &self,
        (group, version, resource): (&str, &str, &str),
        namespace: &str,
        name: &str,
    ) -> Result<Option<Arc<dyn Object>>, Failure> {
        let Some(storage) = self.storage(group, version, resource) else { return Ok(None) };
        let Ok(key) = storage.key(namespace, name) else { return Ok(None) };
        // What was made a moment ago may not have reached the cache; only then is it worth waiting.
        for at in [storage.at_written(), At::Newest] {
            if let Some(cached) = storage.cache().get(&key, at, deadline_of(storage.cache(), at)).await? {
                return self.admitter.memory.object(&storage, &cached).map(Some);
            }
        }
        Ok(None)
    }

    /// All objects of a resource in a namespace, or in all of them, in their hub form and from the watch cache, with
    /// all that was written through this server.
    ///
    /// # Errors
    /// If the store can't be asked.
    pub async fn list(
        &self,
        (group, version, resource): (&str, &str, &str),
        namespace: &str,
    ) -> Result<Vec<Arc<dyn Object>>, Failure> {
        let Some(storage) = self.storage(group, version, resource) else { return Ok(Vec::new()) };
        let items = cached(&storage, namespace, storage.at_written()).await?;
        // What can't be read is passed over: a broken object must not stop all others.
        Ok(items.filter_map(|cached| self.admitter.memory.object(&storage, &cached).ok()).collect())
    }

    /// The objects of a resource with labels that a selector asks for, as [`Cluster::list`] has them.
    pub(super) async fn selected(
        &self,
        (group, version, resource): (&str, &str, &str),
        namespace: &str,
        selector: &Selector,
    ) -> Outcome<Vec<Arc<dyn Object>>> {
        let Some(storage) = self.storage(group, version, resource) else { return Ok(Vec::new()) };
        let items = cached(&storage, namespace, storage.at_written()).await?;
        let items = items.filter(|cached| selector.matches_with(|label| cached.object().label(label)));
        // What can't be read is passed over, as above.
        Ok(items.filter_map(|cached| self.admitter.memory.object(&storage, &cached).ok()).collect())
    }

    /// As [`Cluster::list`], after the newest state was waited for. None of them is remembered.
    pub(super) async fn newest(
        &self,
        (group, version, resource): (&str, &str, &str),
        namespace: &str,
    ) -> Outcome<Vec<Arc<dyn Object>>> {
        let Some(storage) = self.storage(group, version, resource) else { return Ok(Vec::new()) };
        Ok(read(&storage, cached(&storage, namespace, At::Newest).await?))
    }

    /// The pods of a namespace. They are many, and not looked at again soon, so that none is remembered.
    pub(super) async fn pods(&self, namespace: &str) -> Outcome<Vec<Arc<dyn Object>>> {
        let Some(storage) = self.storage("", "v1", "pods") else { return Ok(Vec::new()) };
        Ok(read(&storage, cached(&storage, namespace, storage.at_written()).await?))
    }

    /// The resource that objects of a kind belong to, and whether they live in namespaces. Without a version, or
    /// with one that is not served, any version of the kind will do.
    pub fn resource_of(&self, kind: &GroupVersionKind) -> Option<(String, bool)> {
        let resources = self.admitter.registry.resources();
        let any_version = || resources.by_group_kind(&kind.group_kind()).filter(|_| kind.version.is_empty());
        let found = resources.by_kind(kind).or_else(any_version)?;
        Some((found.resource.resource.to_string(), found.namespaced))
    }

    /// Whether a user may do something; if not, why.
    ///
    /// # Errors
    /// The reason of the refusal, which may be empty.
    pub async fn authorized(&self, user: &User, question: &Question<'_>) -> Result<(), String> {
        let asked = AskedResource {
            group: question.group,
            resource: question.resource,
            subresource: question.subresource,
            namespace: question.namespace,
            name: question.name.into(),
            fields: Vec::new(),
        };
        match self.admitter.authorizer.authorized(&Attributes::resource(user, question.verb, asked)).await {
            Decision::Allowed(_) => Ok(()),
            Decision::Refused(why) => Err(why),
        }
    }
}
