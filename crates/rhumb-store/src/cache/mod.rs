//! The cache above a store: from it all reads and watches of one resource are answered.
//!
//! A cache has the objects under one prefix of keys. Its [`Driver`] reads them once and follows the store's watch;
//! for every batch of changes it publishes a new state: a [`Snapshot`] of all objects with their indexes, and a log
//! of the recent changes. A state never changes once it is published, and shares with the one before all that stayed
//! the same. So a reader takes a pointer, and reads as long as it likes; the driver never waits for a reader, nor for
//! a watcher.
//!
//! Every object is there once, as a [`Cached`]: decoded once, with the bytes that the store holds too, and with the
//! encoded forms that someone asked for. Every get, list and watch event points to the same one.
//!
//! The cache doesn't know what the bytes mean: a [`Decode`] makes objects of them, which say by [`Indexed`] what they
//! are found by. It has no clock either: who waits brings a future that ends the waiting, and bookmarks come when
//! [`Cache::tick`] is called.
//!
//! ```
//! use std::{future::pending, sync::Arc};
//!
//! use bytes::Bytes;
//! use rhumb_store::cache::{Cache, Config, Decode, Indexed, ListOptions};
//! use rhumb_store::{Embedded, Key, Options, Revision, Store, Transaction};
//!
//! struct Text(String);
//! impl Indexed for Text {
//!     fn index_keys(&self, _: &str, _: &mut dyn FnMut(&str)) {}
//! }
//!
//! struct Texts;
//! impl Decode for Texts {
//!     type Object = Text;
//!     fn decode(&self, _: &Key, value: &Bytes, _: Revision) -> Text {
//!         Text(String::from_utf8_lossy(value).into_owned())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let store: Arc<dyn Store> = Arc::new(Embedded::in_memory(Options::default())?);
//! let config = Config::new(Bytes::from_static(b"/registry/texts/"));
//! let (cache, mut driver) = Cache::new(Arc::clone(&store), Texts, config);
//! tokio::spawn(async move { driver.run().await });
//!
//! store.commit(Transaction::create(Bytes::from_static(b"/registry/texts/a"), Bytes::from_static(b"hello"))).await?;
//! let mut list = cache.list(&ListOptions::default(), pending()).await?;
//! assert_eq!(list.items.next().map(|text| text.object().0.clone()).as_deref(), Some("hello"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bells;
mod cached;
mod driver;
mod error;
mod forms;
mod list;
mod log;
mod rope;
mod rounds;
mod snapshot;
mod state;
mod watch;

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

pub use cached::{Cached, Decode, Indexed};
pub use driver::Driver;
pub use error::CacheError;
pub use forms::FormId;
pub use list::{At, Items, ListOptions, Listing, Together};
pub use rope::{Rope, Walk};
pub use snapshot::{IndexKey, Predicate, Selection, Snapshot};
pub use watch::{Bookmark, Bookmarks, InitialEnd, WatchEvent, WatchFrom, WatchOptions, Watcher};

use crate::entry::Key;
use crate::revision::Revision;
use crate::store::Store;
use rounds::Rounds;
use state::{Shared, State};

/// What a cache holds, and how much of the past.
#[derive(Clone, Debug)]
pub struct Config {
    /// What the keys of its objects begin with.
    pub prefix: Key,
    /// The names of its indexes.
    pub indexes: Vec<String>,
    /// How many changes watchers can be behind.
    pub log_changes: usize,
    /// How many bytes of stored objects those changes have at most.
    pub log_bytes: usize,
    /// How many bytes of them stay when they are no longer recent.
    pub settled_log_bytes: usize,
    /// How many earlier snapshots are kept for reads at exactly their revision.
    pub recent_snapshots: usize,
    /// How many snapshots are kept because a part of them was listed, and the rest will be asked for.
    pub parted_snapshots: usize,
    /// How many bytes of encoded forms are kept with the objects, at most.
    pub form_bytes: usize,
    /// How many objects are read from the store at once.
    pub page: usize,
}

impl Config {
    /// A cache of a prefix, with the usual bounds and no index.
    pub fn new(prefix: Key) -> Self {
        Config {
            prefix,
            indexes: Vec::new(),
            log_changes: 8192,
            log_bytes: 64 << 20,
            settled_log_bytes: 4 << 20,
            recent_snapshots: 128,
            parted_snapshots: 32,
            form_bytes: 64 << 20,
            page: 1000,
        }
    }
}

/// The objects under a prefix. Cloning it gives another handle to the same one.
pub struct Cache<D: Decode> {
    shared: Arc<Shared<D>>,
}

impl<D: Decode> Clone for Cache<D> {
    fn clone(&self) -> Self {
        Cache { shared: Arc::clone(&self.shared) }
    }
}

impl<D: Decode> std::fmt::Debug for Cache<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cache").field("prefix", &self.shared.prefix).finish_non_exhaustive()
    }
}

impl<D: Decode> Cache<D> {
    /// An empty cache, and what fills it once it is run.
    pub fn new(store: Arc<dyn Store>, decode: D, config: Config) -> (Self, Driver<D>) {
        let shared = Arc::new(Shared::new(store, decode, config));
        let rounds = Rounds::new(&shared.turnout);
        (
            Cache { shared: Arc::clone(&shared) },
            Driver { shared, state: None, rounds, ticks: VecDeque::new() },
        )
    }

    /// How many bytes of encoded forms are kept with the objects now.
    pub fn form_bytes(&self) -> usize {
        self.shared.budget.bytes()
    }

    /// Drops the encoded forms that nobody has asked for since this was last called. Answers with how many bytes they
    /// had.
    pub fn drop_unused_forms(&self) -> usize {
        self.shared.budget.age()
    }

    /// How many bytes of the past were let go since this was last called, because they were no longer recent.
    pub fn take_released(&self) -> usize {
        self.shared.released.swap(0, Ordering::Relaxed)
    }

    /// Whether what fills the cache has ended for good.
    pub fn is_closed(&self) -> bool {
        self.shared.published.borrow().closed
    }

    /// The newest revision that the cache has seen; `None` before it is filled.
    pub fn revision(&self) -> Option<Revision> {
        self.shared.state().map(|state| state.revision)
    }

    /// All objects as they are now, and the revision; `None` before the cache is filled.
    pub fn snapshot(&self) -> Option<(Revision, Snapshot<D::Object>)> {
        self.shared.state().map(|state| (state.revision, state.snapshot.clone()))
    }

    /// Waits until the cache has seen a revision, and gives the one that it is at then.
    ///
    /// # Errors
    /// If that didn't happen before the deadline, or can't happen any more.
    pub async fn wait_until(
        &self,
        revision: Revision,
        deadline: impl Future<Output = ()>,
    ) -> Result<Revision, CacheError> {
        self.reach(revision, deadline).await.map(|state| state.revision)
    }

    /// An object. An earlier one is read from the store if need be.
    ///
    /// # Errors
    /// As for [`Cache::list`].
    pub async fn get(
        &self,
        key: &Key,
        at: At,
        deadline: impl Future<Output = ()>,
    ) -> Result<Option<Arc<Cached<D::Object>>>, CacheError> {
        if let At::Exact(_) = at {
            let selection = Selection { prefix: key.clone(), ..Selection::default() };
            let options = ListOptions { at, selection, limit: 1, ..ListOptions::default() };
            let mut items = self.list(&options, deadline).await?.items;
            return Ok(items.next().filter(|object| object.key() == key));
        }
        match self.fresh(at, deadline).await {
            Ok(state) => Ok(state.snapshot.get(key).cloned()),
            // The cache didn't get there in time, and some stores can't tell it how far they are: they are asked.
            Err(CacheError::TooLarge { requested, .. }) if at == At::Newest => {
                let selection = Selection { prefix: key.clone(), ..Selection::default() };
                let options = ListOptions { selection, limit: 1, ..ListOptions::default() };
                let mut items = self.shared.list_exact(requested, &options).await?.items;
                Ok(items.next().filter(|object| object.key() == key))
            }
            Err(error) => Err(error),
        }
    }

    /// Lists objects. The deadline ends waiting for a revision that the cache has not seen yet.
    ///
    /// # Errors
    /// If the revision is too new or too old, there is no such index, or the store can't be asked where it has to be.
    pub async fn list(
        &self,
        options: &ListOptions<D::Object>,
        deadline: impl Future<Output = ()>,
    ) -> Result<Listing<D::Object>, CacheError> {
        self.shared.check(&options.selection)?;
        let state = match self.fresh(options.at, deadline).await {
            Err(CacheError::TooLarge { requested, .. }) if options.at == At::Newest => {
                return self.shared.list_exact(requested, options).await;
            }
            state => state?,
        };
        match options.at {
            At::Exact(revision) => self.shared.list_exact(revision, options).await,
            _ => self.shared.list_newest(&state, options),
        }
    }

    /// Watches objects. To begin with what is there at some revision or later, wait for that first.
    ///
    /// # Errors
    /// If the cache is not filled yet, the revision is too old, or there is no such index.
    pub fn watch(&self, options: WatchOptions<D::Object>) -> Result<Watcher<D>, CacheError> {
        self.shared.check(&options.selection)?;
        Watcher::new(Arc::clone(&self.shared), options)
    }

    /// Says that it is time for bookmarks. Each watcher that wants them gives one when it has given what came before.
    /// What happened before the last few ticks is let go, as far as it is large.
    pub fn tick(&self) {
        self.shared.published.send_modify(|published| published.tick = published.tick.wrapping_add(1));
        self.shared.bells.lock().all().filter(|bell| bell.bookmarks).for_each(|bell| bell.ring());
        self.shared.ticked.notify_one();
    }

    /// A state that is fresh enough.
    async fn fresh(
        &self,
        at: At,
        deadline: impl Future<Output = ()>,
    ) -> Result<Arc<State<D::Object>>, CacheError> {
        let mut deadline = pin!(deadline);
        let revision = match at {
            At::Exact(revision) | At::NotOlderThan(revision) => revision,
            At::Any => Revision::ZERO,
            At::Newest => match before(self.shared.store.revision(), deadline.as_mut()).await {
                Some(revision) => revision.map_err(CacheError::Store)?,
                None => return Err(CacheError::Store(crate::StoreError::Timeout)),
            },
        };
        self.reach(revision, deadline).await
    }

    /// The state, once it is of a revision or later.
    async fn reach(
        &self,
        revision: Revision,
        deadline: impl Future<Output = ()>,
    ) -> Result<Arc<State<D::Object>>, CacheError> {
        let mut published = self.shared.published.subscribe();
        let reached = published.wait_for(|published| {
            let reached = published.state.as_ref().is_some_and(|state| state.revision >= revision);
            // The store may have moved on by other keys only, and tell that late unless it is asked.
            if !reached {
                self.shared.waited_for.notify_one();
            }
            published.closed || reached
        });
        let reached = before(reached, deadline).await.is_some();
        let published = self.shared.published.borrow();
        match &published.state {
            Some(state) if state.revision >= revision => Ok(Arc::clone(state)),
            _ if published.closed && reached => Err(CacheError::Closed),
            Some(state) => Err(CacheError::TooLarge { requested: revision, current: state.revision }),
            None => Err(CacheError::NotReady),
        }
    }
}

/// What a future gives, unless another one is done before it.
async fn before<T>(work: impl Future<Output = T>, deadline: impl Future<Output = ()>) -> Option<T> {
    let (mut work, mut deadline) = (pin!(work), pin!(deadline));
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => deadline.as_mut().poll(context).map(|()| None),
    })
    .await
}
