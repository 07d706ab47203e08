//! Storage of the objects of a resource: keys, the store below, and the cache that reads are answered from.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use rhumb_meta::{GroupResource, Object};
use rhumb_schema::budget;
use rhumb_store::cache::{At, Cache, Cached, Config, Decode};
use rhumb_store::{Expected, Key, LeaseId, Outcome as Answered, Revision, Store, StoreError, Transaction};
use tokio::sync::Notify;

use super::cached::CachedObject;
use super::expiry::Expiry;
use super::model::Model;
use crate::base::failure::{Failure, Outcome};
use crate::base::memory;
use crate::base::offload::Offload;
use crate::base::tasks::Tasks;
use crate::registry::watch_frames::Pieces;
use crate::registry::write_through::Ahead;

/// How long encoded forms are kept that nobody asks for: this, and up to as much again.
const UNUSED_FORMS: Duration = Duration::from_secs(10);
/// From how many dropped bytes on the allocator is asked to return them.
const WORTH_RETURNING: usize = 4 << 20;
/// How often watchers that want it are told how far they came.
const BOOKMARKS: Duration = Duration::from_secs(60);

/// The index of the nodes that pods run on.
pub(crate) const NODE_INDEX: &str = "spec.nodeName";

/// Makes what the cache keeps of stored bytes.
pub(crate) struct Objects {
    model: Arc<dyn Model>,
    ahead: Arc<Ahead>,
}

impl Decode for Objects {
    type Object = CachedObject;

    fn decode(&self, key: &Key, value: &Bytes, revision: Revision) -> CachedObject {
        if let Some(held) = self.ahead.take(key, value) {
            return held;
        }
        match self.model.load(value, revision) {
            Ok(hub) => CachedObject::of(&*self.model, &*hub),
            Err(failure) => CachedObject::broken_by(&failure.to_string()),
        }
    }
}

/// An object as the store has it.
#[derive(Debug)]
pub(crate) struct Current {
    /// Its revision.
    pub(crate) revision: Revision,
    /// The object in its hub form.
    pub(crate) hub: Box<dyn Object>,
    /// The stored bytes.
    pub(crate) value: Bytes,
}

/// What became of a write that depends on what was read.
pub(crate) enum Written {
    /// It is there, at this revision.
    At(Revision),
    /// Somebody else was faster; what is there now.
    Lost(Option<Current>),
}

/// The objects of one resource, whatever version they are asked for in.
pub(crate) struct Storage {
    /// Its name.
    pub(crate) resource: GroupResource,
    /// Whether its objects live in namespaces.
    pub(crate) namespaced: bool,
    /// What its objects are.
    pub(crate) model: Arc<dyn Model>,
    /// How long objects live; events don't stay for ever.
    pub(crate) expiry: Option<Expiry>,
    prefix: Key,
    store: Arc<dyn Store>,
    tasks: Tasks,
    cache: OnceLock<Cache<Objects>>,
    ahead: Arc<Ahead>,
    /// The newest revision that was written here and answered for.
    written: AtomicU64,
    /// What watchers were sent last.
    pub(crate) pieces: Arc<Pieces>,
    /// Rung when the cache is to end.
    ending: Arc<Notify>,
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.close();
    }
}

impl Storage {
    /// The storage of a resource whose keys begin with a path.
    pub(crate) fn new(
        resource: GroupResource,
        namespaced: bool,
        path: &str,
        model: Arc<dyn Model>,
        store: Arc<dyn Store>,
        tasks: Tasks,
    ) -> Self {
        let prefix = Key::from(format!("{path}/"));
        Storage {
            resource,
            namespaced,
            model,
            expiry: None,
            prefix,
            store,
            tasks,
            cache: OnceLock::new(),
            ahead: Arc::default(),
            written: AtomicU64::new(0),
            pieces: Arc::default(),
            ending: Arc::default(),
        }
    }

    /// Ends the cache and all watches on it.
    pub(crate) fn close(&self) {
        self.ending.notify_one();
    }

    /// What all keys begin with.
    pub(crate) fn prefix(&self) -> &Key {
        &self.prefix
    }

    /// What the keys of a namespace begin with; all keys, if it is empty.
    pub(crate) fn namespace_prefix(&self, namespace: &str) -> Key {
        if namespace.is_empty() || !self.namespaced {
            return self.prefix.clone();
        }
        let mut key = Vec::with_capacity(self.prefix.len() + namespace.len() + 1);
        key.extend_from_slice(&self.prefix);
        key.extend_from_slice(namespace.as_bytes());
        key.push(b'/');
        key.into()
    }

    /// The key of an object.
    ///
    /// # Errors
    /// If the name can't be one, because it would lead elsewhere.
    pub(crate) fn key(&self, namespace: &str, name: &str) -> Outcome<Key> {
        if self.namespaced && namespace.is_empty() {
            return Err(Failure::bad_request("Namespace parameter required."));
        }
        if name.is_empty() {
            return Err(Failure::bad_request("Name parameter required."));
        }
        let problems = rhumb_meta::validation::is_path_segment_name(name);
        if !problems.is_empty() {
            let shown = rhumb_schema::text::quoted(name);
            let why = problems.join(";");
            return Err(Failure::bad_request(format!("Name parameter invalid: {shown}: {why}")));
        }
        let mut key = self.namespace_prefix(namespace).to_vec();
        key.extend_from_slice(name.as_bytes());
        Ok(key.into())
    }

    /// The namespace and name that a key is for.
    pub(crate) fn place<'a>(&self, key: &'a [u8]) -> (&'a str, &'a str) {
        let rest = key.get(self.prefix.len()..).unwrap_or_default();
        let text = std::str::from_utf8(rest).unwrap_or_default();
        if self.namespaced { text.split_once('/').unwrap_or(("", text)) } else { ("", text) }
    }

    /// The cache, which begins to be filled when it is first asked for.
    pub(crate) fn cache(&self) -> &Cache<Objects> {
        self.cache.get_or_init(|| {
            let mut config = Config::new(self.prefix.clone());
            if self.resource.resource == "pods" && self.resource.group.is_empty() {
                config.indexes.push(NODE_INDEX.to_owned());
            }
            let decode = Objects { model: Arc::clone(&self.model), ahead: Arc::clone(&self.ahead) };
            let (cache, mut driver) = Cache::new(Arc::clone(&self.store), decode, config);
            let ending = Arc::clone(&self.ending);
            self.tasks.spawn(async move {
                let fill = async {
                    while driver.run().await != StoreError::Closed {
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                };
                tokio::select! {
                    () = fill => {}
                    () = ending.notified() => {}
                }
            });
            let (resting, pieces) = (cache.clone(), Arc::clone(&self.pieces));
            self.tasks.spawn(async move {
                while !resting.is_closed() {
                    tokio::time::sleep(UNUSED_FORMS).await;
                    pieces.forget();
                    if resting.drop_unused_forms() + resting.take_released() >= WORTH_RETURNING {
                        memory::give_back().await;
                    }
                }
            });
            let ticking = cache.clone();
            self.tasks.spawn(async move {
                while !ticking.is_closed() {
                    tokio::time::sleep(BOOKMARKS).await;
                    ticking.tick();
                }
            });
            cache
        })
    }

    /// Whether anyone has asked for the cache.
    pub(crate) fn is_cached(&self) -> bool {
        self.cache.get().is_some()
    }

    /// As of when the cache is to be asked by whoever must not miss what a client was told to be written here. What
    /// others wrote to the same store is not waited for, so that this costs nothing as long as nobody writes.
    pub(crate) fn at_written(&self) -> At {
        At::NotOlderThan(self.written())
    }

    /// The newest revision that was written here and answered for.
    pub(crate) fn written(&self) -> Revision {
        Revision(self.written.load(Ordering::Acquire))
    }

    /// Notes that something was written here at a revision, for those who must not miss it.
    pub(crate) fn note(&self, revision: Revision) {
        self.written.fetch_max(revision.0, Ordering::AcqRel);
    }

    /// An object of the cache in its hub form.
    pub(crate) fn hub(&self, cached: &Cached<CachedObject>) -> Outcome<Box<dyn Object>> {
        self.model.load(cached.value(), cached.revision())
    }

    /// An object as it is now.
    pub(crate) async fn current(&self, key: &Key) -> Outcome<Option<Current>> {
        self.current_for(key, &Offload::default()).await
    }

    /// An object as it is now, for a request that goes on on the pool if the object is large.
    pub(crate) async fn current_for(&self, key: &Key, offload: &Offload) -> Outcome<Option<Current>> {
        let (entry, _) = self.store.get(key.clone(), None).await?;
        let Some(entry) = entry else { return Ok(None) };
        offload.of(entry.value.len()).await;
        self.of(entry.modified, entry.value).map(Some)
    }

    /// Whether there is an object, which is not read for that.
    pub(crate) async fn has(&self, key: &Key) -> Outcome<bool> {
        let (entry, _) = self.store.get(key.clone(), None).await?;
        Ok(entry.is_some())
    }

    fn of(&self, revision: Revision, value: Bytes) -> Outcome<Current> {
        Ok(Current { revision, hub: self.model.load(&value, revision)?, value })
    }

    /// A lease for what is written now, if the resource's objects expire.
    async fn lease(&self) -> Outcome<Option<LeaseId>> {
        match &self.expiry {
            Some(expiry) => Ok(Some(expiry.lease(&*self.store).await?)),
            None => Ok(None),
        }
    }

    /// Writes what lives by a lease. One that the store has lost is not given to others. What stopped work has made is
    /// not written: it may have been cut short. Afterwards nothing stops the work until whoever has more to do, or has
    /// to do this again, says so by [`budget::go_on`].
    async fn commit(&self, transaction: Transaction, lease: Option<LeaseId>) -> Outcome<Answered> {
        if !budget::settle() {
            return Err(Failure::stopped());
        }
        let done = self.store.commit(transaction).await;
        if let (Err(StoreError::NoLease), Some(expiry), Some(lease)) = (&done, &self.expiry, lease) {
            expiry.forget(lease).await;
        }
        Ok(done?)
    }

    /// Tells the cache what an object is that is about to be written, as readers will get it, so that it need not read
    /// the bytes.
    pub(crate) fn announce(&self, key: &Key, value: &Bytes, hub: &dyn Object) {
        if self.is_cached() {
            self.ahead.leave(key, value, CachedObject::of(&*self.model, hub));
        }
    }

    /// Writes an object that must not be there yet; `None` if it is.
    pub(crate) async fn create(&self, key: Key, value: Bytes) -> Outcome<Option<Revision>> {
        let lease = self.lease().await?;
        let transaction = Transaction::default().expect(key.clone(), Expected::Absent).put(key, value, lease);
        match self.commit(transaction, lease).await? {
            Answered::Committed(committed) => {
                self.note(committed.revision);
                Ok(Some(committed.revision))
            }
            Answered::Refused { .. } => Ok(None),
        }
    }

    /// Writes an object if it is still at a revision.
    pub(crate) async fn replace(&self, key: Key, old: Revision, value: Bytes) -> Outcome<Written> {
        let lease = self.lease().await?;
        let transaction =
            Transaction::default().expect(key.clone(), Expected::At(old)).put(key, value, lease);
        self.write(transaction, lease).await
    }

    /// Removes an object if it is still at a revision.
    pub(crate) async fn remove(&self, key: Key, old: Revision) -> Outcome<Written> {
        self.write(Transaction::delete(key, old), None).await
    }

    /// Commits a transaction whose first condition is about an object here.
    pub(crate) async fn write(&self, transaction: Transaction, lease: Option<LeaseId>) -> Outcome<Written> {
        match self.commit(transaction, lease).await? {
            Answered::Committed(committed) => {
                self.note(committed.revision);
                Ok(Written::At(committed.revision))
            }
            Answered::Refused { found, .. } => {
                let entry = found.into_iter().next().flatten();
                Ok(Written::Lost(entry.map(|entry| self.of(entry.modified, entry.value)).transpose()?))
            }
        }
    }
}
