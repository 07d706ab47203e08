//! The objects that the tests keep, and ways to write and watch them.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use bytes::Bytes;
use rhumb_store::cache::{
    At, Cache, CacheError, Cached, Config, Decode, IndexKey, Indexed, ListOptions, Listing, Selection,
    WatchEvent, WatchOptions, Watcher,
};
use rhumb_store::{Change, Key, Outcome, Revision, Store, StoreError, Transaction};

/// What all keys begin with.
pub(crate) const PREFIX: &str = "/registry/things/";

/// An object: stored as its colours with commas in between.
#[derive(Debug)]
pub(crate) struct Thing {
    pub(crate) colours: Vec<String>,
    pub(crate) revision: Revision,
}

impl Indexed for Thing {
    fn index_keys(&self, index: &str, add: &mut dyn FnMut(&str)) {
        if index == "colour" {
            self.colours.iter().for_each(|colour| add(colour));
        }
    }
}

/// Makes things, and counts them.
#[derive(Default)]
pub(crate) struct Things {
    pub(crate) made: Arc<AtomicUsize>,
}

impl Decode for Things {
    type Object = Thing;

    fn decode(&self, _: &Key, value: &Bytes, revision: Revision) -> Thing {
        self.made.fetch_add(1, Ordering::Relaxed);
        let text = String::from_utf8_lossy(value);
        let colours = text.split(',').filter(|colour| !colour.is_empty()).map(str::to_owned).collect();
        Thing { colours, revision }
    }
}

pub(crate) fn key(name: &str) -> Key {
    Bytes::from(format!("{PREFIX}{name}"))
}

/// The name that a key is of.
pub(crate) fn name(key: &[u8]) -> String {
    let text = String::from_utf8(key.to_vec()).expect("keys of the tests are text");
    text.strip_prefix(PREFIX).expect("keys of the tests have the prefix").to_owned()
}

pub(crate) fn config() -> Config {
    Config {
        indexes: vec!["colour".to_owned()],
        page: 7,
        ..Config::new(Bytes::from_static(PREFIX.as_bytes()))
    }
}

/// A cache that is being filled from a store.
pub(crate) async fn filled(store: Arc<dyn Store>, config: Config) -> Cache<Things> {
    let (cache, mut driver) = Cache::new(store, Things::default(), config);
    tokio::spawn(async move {
        while driver.run().await != StoreError::Closed {
            tokio::task::yield_now().await;
        }
    });
    cache.wait_until(Revision::ZERO, pending()).await.expect("the cache fills");
    cache
}

/// Writes some things and removes others in one transaction.
pub(crate) async fn write(store: &dyn Store, changes: &[(&str, Option<&str>)]) -> Revision {
    let change = |(name, value): &(&str, Option<&str>)| match value {
        Some(value) => Change::Put { key: key(name), value: Bytes::from(value.to_string()), lease: None },
        None => Change::Delete { key: key(name) },
    };
    let changes = changes.iter().map(change).collect();
    match store.commit(Transaction { conditions: Vec::new(), changes }).await {
        Ok(Outcome::Committed(committed)) => committed.revision,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn put(store: &dyn Store, name: &str, value: &str) -> Revision {
    write(store, &[(name, Some(value))]).await
}

pub(crate) async fn remove(store: &dyn Store, name: &str) -> Revision {
    write(store, &[(name, None)]).await
}

/// What a future gives if it gives it at once.
pub(crate) async fn at_once<T>(work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

pub(crate) async fn list(
    cache: &Cache<Things>,
    at: At,
    start: &Key,
    limit: usize,
) -> Result<Listing<Thing>, CacheError> {
    let options = ListOptions { at, start: start.clone(), limit, ..ListOptions::default() };
    cache.list(&options, pending()).await
}

pub(crate) fn names(objects: impl Iterator<Item = Arc<Cached<Thing>>>) -> Vec<String> {
    objects.map(|object| name(object.key())).collect()
}

/// Those of a colour, found by the index.
pub(crate) fn coloured(colour: &str) -> Selection<Thing> {
    let index = IndexKey { index: "colour".to_owned(), key: colour.to_owned() };
    Selection { index: Some(index), ..Selection::default() }
}

/// Those of a colour, found by looking at each.
pub(crate) fn looking(colour: &'static str) -> Selection<Thing> {
    let predicate = move |thing: &Cached<Thing>| thing.object().colours.iter().any(|one| one == colour);
    Selection { predicate: Some(Arc::new(predicate)), ..Selection::default() }
}

pub(crate) fn watch(cache: &Cache<Things>, options: WatchOptions<Thing>) -> Watcher<Things> {
    cache.watch(options).expect("the watch begins")
}

/// An event in short: `+name@revision`, `~name@revision`, `-name@revision`, `=revision`, `==revision`.
pub(crate) fn short(event: &WatchEvent<Thing>) -> String {
    let object = |sign: char, object: &Cached<Thing>| {
        assert_eq!(object.revision(), object.object().revision, "the decoder is told what readers see");
        format!("{sign}{}@{}", name(object.key()), object.revision())
    };
    match event {
        WatchEvent::Added(added) => object('+', added),
        WatchEvent::Modified(modified) => object('~', modified),
        WatchEvent::Deleted(deleted) => object('-', deleted),
        WatchEvent::Bookmark(bookmark) if bookmark.ends_initial => format!("=={}", bookmark.revision),
        WatchEvent::Bookmark(bookmark) => format!("={}", bookmark.revision),
    }
}

/// The next so many events of a watcher, in short.
pub(crate) async fn next(watcher: &mut Watcher<Things>, count: usize) -> Vec<String> {
    let mut events = Vec::new();
    for _ in 0..count {
        events.push(short(&watcher.next().await.expect("the watch goes on")));
    }
    events
}
