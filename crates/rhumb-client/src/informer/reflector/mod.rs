//! `Reflector`: keeps a store in sync with a server's resource.
//!
//! It is a machine of a few states ([`State`]). All objects are read once, by a stream that begins with them
//! or by a list in pages; from the revision of that on a watch is followed. When the watch ends it is opened
//! again from the last revision that was seen, which the server grants or refuses: nothing can be missed in
//! between. When the server refuses, or says something that can't be understood, all is read again and the
//! store works out what changed meanwhile. No event is ever skipped: what can't be taken in leads to reading
//! all again.
//!
//! An object of a new list that is as the store has it is not kept a second time: the store's own takes its
//! place.
//!
//! With a resync period the store is told now and then to have all that it has looked at once more
//! ([`ReflectorStore::resync`]). That asks the server for nothing.

mod list;
mod options;
mod resync;
mod verdict;

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use parking_lot::Mutex;
use rhumb_meta::Object;
use rhumb_meta::v1::ListOptions;
use tokio::time::{Instant, Sleep, sleep_until};

pub use options::{InitialList, ReflectorOptions, Report, Reporter, ShouldResync, Transform};

use super::backoff::Backoff;
use super::indexer::Indexer;
use super::key::ObjectKey;
use super::source::{EventStream, ListerWatcher};
use crate::{Error, WatchEvent};
use resync::Resync;
use verdict::{Verdict, verdict};

/// Store that a reflector writes to.
pub trait ReflectorStore<K>: Send + Sync + 'static {
    /// Stores a new object.
    fn added(&self, key: ObjectKey, object: Arc<K>);
    /// Stores a changed object.
    fn modified(&self, key: ObjectKey, object: Arc<K>);
    /// Removes a deleted object, given its last state.
    fn deleted(&self, key: ObjectKey, object: Arc<K>);
    /// Replaces all objects.
    fn replaced(&self, objects: Vec<(ObjectKey, Arc<K>)>);
    /// Returns the current object of a key, so that unchanged objects are not stored twice.
    fn current(&self, key: &ObjectKey) -> Option<Arc<K>>;
    /// Has whoever reads the store look at all its objects once more, though nothing happened to them. A store that
    /// nobody reads changes from, as [`Indexer`], does nothing.
    fn resync(&self) {}
}

/// An indexer that has a key function of its own goes by that.
impl<K: Object> ReflectorStore<K> for Indexer<K> {
    fn added(&self, key: ObjectKey, object: Arc<K>) {
        self.insert(self.own_key(&object).unwrap_or(key), object);
    }
    fn modified(&self, key: ObjectKey, object: Arc<K>) {
        self.insert(self.own_key(&object).unwrap_or(key), object);
    }
    fn deleted(&self, key: ObjectKey, object: Arc<K>) {
        self.remove(&self.own_key(&object).unwrap_or(key));
    }
    fn replaced(&self, objects: Vec<(ObjectKey, Arc<K>)>) {
        self.replace(objects.into_iter().map(|(key, object)| (self.own_key(&object).unwrap_or(key), object)));
    }
    fn current(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.get(key)
    }
}

/// One of the first three methods of a store.
type Put<K, S> = fn(&S, ObjectKey, Arc<K>);

/// The last revision seen, readable from outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Position(Arc<Mutex<String>>);

impl Position {
    pub(crate) fn get(&self) -> String {
        self.0.lock().clone()
    }

    fn set(&self, revision: &str) {
        let mut last = self.0.lock();
        last.clear();
        last.push_str(revision);
    }
}

/// Keeps a store in sync with a [`ListerWatcher`].
pub struct Reflector<K, S> {
    source: Arc<dyn ListerWatcher<K>>,
    store: Arc<S>,
    options: ReflectorOptions<K>,
    position: Position,
    /// The server could not serve our last revision: the next attempt takes its newest.
    unavailable: bool,
    /// The server pages lists of any revision.
    paged: bool,
    /// Watches in a row that ended at once.
    short_watches: u32,
    backoff: Backoff,
    chance: fastrand::Rng,
}

/// Next step of a reflector.
enum State<K> {
    /// Read all objects, in the way that was asked for.
    Fill,
    /// Read all objects by a list, because that was asked for or the stream did not work.
    List,
    /// The stream sends all objects. The store keeps what it has until they are complete.
    Collect { watch: Watch<K>, found: BTreeMap<ObjectKey, Arc<K>> },
    /// The store is at a revision: open a watch from there.
    Open,
    /// Take in what the watch sends.
    Follow(Watch<K>),
    /// Leave the server alone for a while, then fill the store or open a watch.
    Wait(Next),
}

enum Next {
    Fill,
    Open,
}

/// An open watch.
struct Watch<K> {
    stream: EventStream<K>,
    began: Instant,
    /// Comes when the server should have ended it, so it is dead. It is made once, because whoever waits for the next
    /// event waits for this too, and to put a timer in place for each would cost more than to look at it.
    deadline: Pin<Box<Sleep>>,
    /// Number of events received.
    events: u64,
}

/// A watch that ends earlier than this without an event indicates a server in trouble.
const SHORT_WATCH: Duration = Duration::from_secs(1);
/// Number of short watches after which the revision may be the cause.
const SHORT_WATCHES: u32 = 3;
/// Time after its timeout at which a watch is given up if the server has not ended it.
const GRACE: Duration = Duration::from_secs(30);

impl<K: Object, S: ReflectorStore<K>> Reflector<K, S> {
    /// Creates a reflector that is not started.
    pub fn new(source: Arc<dyn ListerWatcher<K>>, store: Arc<S>, options: ReflectorOptions<K>) -> Self {
        Reflector {
            source,
            store,
            position: Position::default(),
            unavailable: false,
            paged: false,
            short_watches: 0,
            backoff: Backoff::new(options.backoff.clone()),
            chance: options.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed),
            options,
        }
    }

    pub(crate) fn position(&self) -> Position {
        self.position.clone()
    }

    /// Follows the server while the future is polled; it ends only by being dropped.
    pub async fn run(self) {
        match self.options.resync.filter(|every| !every.is_zero()) {
            None => self.follow_server().await,
            Some(every) => {
                let resync = Resync {
                    store: Arc::clone(&self.store),
                    position: self.position.clone(),
                    every,
                    wanted: self.options.should_resync.clone(),
                    of: PhantomData,
                };
                tokio::select! {
                    biased;
                    () = self.follow_server() => {}
                    () = resync.run() => {}
                }
            }
        }
    }

    async fn follow_server(mut self) {
        let mut state = State::Fill;
        loop {
            state = self.step(state).await;
        }
    }

    async fn step(&mut self, state: State<K>) -> State<K> {
        match state {
            State::Fill => match self.options.initial {
                InitialList::Stream => self.open_with_all().await,
                InitialList::Pages => State::List,
            },
            State::List => self.list().await,
            State::Collect { watch, found } => self.collect(watch, found).await,
            State::Open => self.open().await,
            State::Follow(watch) => self.follow(watch).await,
            State::Wait(next) => {
                tokio::time::sleep(self.backoff.step(Instant::now(), &mut self.chance)).await;
                match next {
                    Next::Fill => State::Fill,
                    Next::Open => State::Open,
                }
            }
        }
    }

    async fn list(&mut self) -> State<K> {
        match self.list_all().await {
            Ok(listed) => {
                self.store.replaced(listed.objects);
                self.position.set(&listed.revision);
                State::Open
            }
            Err(error) => {
                self.options.report(Report::List(&error));
                State::Wait(Next::Fill)
            }
        }
    }

    async fn open_with_all(&mut self) -> State<K> {
        let mut options = self.options.request.clone();
        options.resource_version = if self.unavailable { String::new() } else { self.position.get() };
        options.resource_version_match = "NotOlderThan".to_owned();
        options.send_initial_events = Some(true);
        match self.watch(options).await {
            Ok(watch) => State::Collect { watch, found: BTreeMap::new() },
            Err(error) => self.collecting_failed(&error),
        }
    }

    async fn collect(&mut self, mut watch: Watch<K>, mut found: BTreeMap<ObjectKey, Arc<K>>) -> State<K> {
        loop {
            let event = match watch.next().await {
                Some(Ok(event)) => event,
                Some(Err(error)) => return self.collecting_failed(&error),
                // A server that does not know such streams never says where the objects end.
                None => return State::List,
            };
            let taken = match event {
                WatchEvent::Added(mut object) | WatchEvent::Modified(mut object) => {
                    self.take_in(&mut object).map(|key| {
                        let object = self.same(&key, &object).unwrap_or_else(|| object.into());
                        found.insert(key, object);
                    })
                }
                WatchEvent::Deleted(mut object) => self.take_in(&mut object).map(|key| {
                    found.remove(&key);
                }),
                WatchEvent::Bookmark { initial_events_end: false, .. } => Ok(()),
                WatchEvent::Bookmark { resource_version, .. } if resource_version.is_empty() => {
                    Err(Error::Stream("the end of the initial events has no resourceVersion".to_owned()))
                }
                WatchEvent::Bookmark { resource_version, .. } => {
                    self.unavailable = false;
                    self.store.replaced(found.into_iter().collect());
                    self.position.set(&resource_version);
                    return State::Follow(watch);
                }
                WatchEvent::Error(status) => Err(Error::Status(status)),
            };
            if let Err(error) = taken {
                return self.collecting_failed(&error);
            }
        }
    }

    fn collecting_failed(&mut self, error: &Error) -> State<K> {
        self.options.report(Report::Watch(error));
        match verdict(error) {
            Verdict::Unreachable => State::Wait(Next::Fill),
            Verdict::RevisionUnavailable if !self.unavailable => {
                self.unavailable = true;
                State::Fill
            }
            Verdict::RevisionUnavailable | Verdict::Other => State::List,
        }
    }

    async fn open(&mut self) -> State<K> {
        let mut options = self.options.request.clone();
        options.resource_version = self.position.get();
        match self.watch(options).await {
            Ok(watch) => State::Follow(watch),
            Err(error) => self.watching_failed(&error),
        }
    }

    async fn follow(&mut self, mut watch: Watch<K>) -> State<K> {
        loop {
            match watch.next().await {
                Some(Ok(event)) => {
                    if let Err(error) = self.take_event(event) {
                        return self.watching_failed(&error);
                    }
                }
                // A broken line is no different from one that the server closed.
                Some(Err(error @ (Error::Connection(_) | Error::Timeout(_)))) => {
                    self.options.report(Report::Watch(&error));
                    return self.ended(&watch);
                }
                Some(Err(error)) => return self.watching_failed(&error),
                None => return self.ended(&watch),
            }
        }
    }

    fn take_event(&mut self, event: WatchEvent<Box<K>>) -> Result<(), Error> {
        let (mut object, put): (Box<K>, Put<K, S>) = match event {
            WatchEvent::Added(object) => (object, S::added),
            WatchEvent::Modified(object) => (object, S::modified),
            WatchEvent::Deleted(object) => (object, S::deleted),
            WatchEvent::Bookmark { resource_version, .. } => {
                self.came_to(&resource_version);
                return Ok(());
            }
            WatchEvent::Error(status) => return Err(Error::Status(status)),
        };
        // Who changes objects may also take their revision.
        let changes = self.options.transform.is_some();
        let revision = changes.then(|| object.identity().resource_version.into_owned());
        let key = self.take_in(&mut object)?;
        let object = Arc::from(object);
        put(&self.store, key, Arc::clone(&object));
        match revision {
            Some(revision) => self.came_to(&revision),
            None => self.came_to(&object.identity().resource_version),
        }
        Ok(())
    }

    /// Notes the revision of what was taken in, if it has one.
    fn came_to(&self, revision: &str) {
        if !revision.is_empty() {
            self.position.set(revision);
        }
    }

    fn watching_failed(&mut self, error: &Error) -> State<K> {
        self.options.report(Report::Watch(error));
        match verdict(error) {
            Verdict::Unreachable => State::Wait(Next::Open),
            // A list of at least our last revision may work where a watch from it does not.
            Verdict::RevisionUnavailable | Verdict::Other => State::Wait(Next::Fill),
        }
    }

    fn ended(&mut self, watch: &Watch<K>) -> State<K> {
        if watch.events > 0 || watch.began.elapsed() >= SHORT_WATCH {
            self.short_watches = 0;
            return State::Open;
        }
        self.options.report(Report::ShortWatch);
        self.short_watches += 1;
        if self.short_watches < SHORT_WATCHES {
            return State::Wait(Next::Open);
        }
        self.short_watches = 0;
        State::Wait(Next::Fill)
    }

    /// Opens a stream, with the options that all have in common.
    async fn watch(&mut self, mut options: ListOptions) -> Result<Watch<K>, Error> {
        let least = self.options.watch_timeout.as_secs();
        let seconds = self.chance.u64(least..=least.saturating_mul(2));
        options.timeout_seconds = Some(i64::try_from(seconds).unwrap_or(i64::MAX));
        options.allow_watch_bookmarks = true;
        let began = Instant::now();
        let limit = Duration::from_secs(seconds).saturating_add(GRACE);
        let deadline = began.checked_add(limit).unwrap_or(began + GRACE);
        let patience = self.options.open_timeout.min(limit);
        match tokio::time::timeout(patience, self.source.watch(options)).await {
            Ok(stream) => {
                Ok(Watch { stream: stream?, began, deadline: Box::pin(sleep_until(deadline)), events: 0 })
            }
            Err(_) => Err(Error::Timeout(patience)),
        }
    }

    /// Reduces an object to what is kept of it, and returns its key.
    fn take_in(&self, object: &mut K) -> Result<ObjectKey, Error> {
        let Some(key) = ObjectKey::of(object) else {
            return Err(Error::Stream("the server sent an object without a name".to_owned()));
        };
        if let Some(transform) = &self.options.transform {
            transform(object);
        }
        Ok(key)
    }

    /// Returns the store's own object, if it is the same.
    fn same(&self, key: &ObjectKey, object: &K) -> Option<Arc<K>> {
        self.store.current(key).filter(|current| {
            current.identity().resource_version == object.identity().resource_version
                && current.equals(object)
        })
    }
}

impl<K> Watch<K> {
    /// Returns the next event; `None` at the end, also when the end is overdue.
    async fn next(&mut self) -> Option<Result<WatchEvent<Box<K>>, Error>> {
        let event = tokio::select! {
            biased;
            event = self.stream.next() => event?,
            () = &mut self.deadline => return None,
        };
        self.events += u64::from(event.as_ref().is_ok_and(|event| event.object().is_some()));
        Some(event)
    }
}
