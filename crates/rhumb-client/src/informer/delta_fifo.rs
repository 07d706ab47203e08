//! `DeltaFifo`: queue of changes per object between a reflector and its consumers.
//!
//! A key stands in the queue once, with all deltas that came since it was last popped, so that a consumer
//! which is behind handles each object once with its whole story. Processing happens under the queue's lock:
//! what is neither queued nor in the known objects exists nowhere, which is what a relist decides deletions
//! by. Several consumers may pop at once; they take turns, and no two of them are ever at the same object.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use rhumb_meta::Object;
use tokio::sync::{Notify, watch};

use super::indexer::Indexer;
use super::key::ObjectKey;
use super::reflector::ReflectorStore;

/// A change of an object.
#[derive(Debug, PartialEq, Eq)]
pub enum Delta<K> {
    /// The object was created.
    Added(Arc<K>),
    /// The object was updated.
    Updated(Arc<K>),
    /// The object was deleted.
    Deleted(Deleted<K>),
    /// The object was in a list that replaced everything: it may be new, changed or unchanged.
    Replaced(Arc<K>),
    /// A resync: the object is unchanged.
    Sync(Arc<K>),
}

impl<K> Delta<K> {
    /// Returns the object: for a deletion its last known state.
    pub fn object(&self) -> &Arc<K> {
        match self {
            Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) | Delta::Sync(object) => {
                object
            }
            Delta::Deleted(deleted) => deleted.object(),
        }
    }
}

impl<K> Clone for Delta<K> {
    fn clone(&self) -> Self {
        match self {
            Delta::Added(object) => Delta::Added(object.clone()),
            Delta::Updated(object) => Delta::Updated(object.clone()),
            Delta::Deleted(deleted) => Delta::Deleted(deleted.clone()),
            Delta::Replaced(object) => Delta::Replaced(object.clone()),
            Delta::Sync(object) => Delta::Sync(object.clone()),
        }
    }
}

/// A deleted object.
#[derive(Debug, PartialEq, Eq)]
pub enum Deleted<K> {
    /// The watch told so, and gave its last state.
    FinalState(Arc<K>),
    /// The watch missed it, and a list had it no longer. This is the last state that was seen; there may have
    /// been later ones.
    FinalStateUnknown(Arc<K>),
}

impl<K> Deleted<K> {
    /// Returns the last known state.
    pub fn object(&self) -> &Arc<K> {
        match self {
            Deleted::FinalState(object) | Deleted::FinalStateUnknown(object) => object,
        }
    }

    /// Returns the last known state by value.
    pub fn into_object(self) -> Arc<K> {
        match self {
            Deleted::FinalState(object) | Deleted::FinalStateUnknown(object) => object,
        }
    }

    /// Reports whether the object may have had states that were not observed.
    pub fn is_final_state_unknown(&self) -> bool {
        matches!(self, Deleted::FinalStateUnknown(_))
    }
}

impl<K> Clone for Deleted<K> {
    fn clone(&self) -> Self {
        match self {
            Deleted::FinalState(object) => Deleted::FinalState(object.clone()),
            Deleted::FinalStateUnknown(object) => Deleted::FinalStateUnknown(object.clone()),
        }
    }
}

/// Changes of one object, oldest first. There is at least one, and a single one needs no heap allocation.
#[derive(Debug)]
pub struct Deltas<K> {
    first: Delta<K>,
    rest: Vec<Delta<K>>,
}

impl<K> Deltas<K> {
    fn new(first: Delta<K>) -> Self {
        Deltas { first, rest: Vec::new() }
    }

    /// Returns the oldest change.
    pub fn oldest(&self) -> &Delta<K> {
        &self.first
    }

    /// Returns the newest change.
    pub fn newest(&self) -> &Delta<K> {
        self.rest.last().unwrap_or(&self.first)
    }

    /// Returns all changes, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Delta<K>> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// Adds one. Of two deletions in a row one is enough: the one that knows the final state.
    fn push(&mut self, delta: Delta<K>) {
        let last = self.rest.last_mut().unwrap_or(&mut self.first);
        match (&*last, &delta) {
            (Delta::Deleted(Deleted::FinalStateUnknown(_)), Delta::Deleted(_)) => *last = delta,
            (Delta::Deleted(Deleted::FinalState(_)), Delta::Deleted(_)) => {}
            _ => self.rest.push(delta),
        }
    }
}

impl<K> Clone for Deltas<K> {
    fn clone(&self) -> Self {
        Deltas { first: self.first.clone(), rest: self.rest.clone() }
    }
}

impl<K> IntoIterator for Deltas<K> {
    type Item = Delta<K>;
    type IntoIter = std::iter::Chain<std::iter::Once<Delta<K>>, std::vec::IntoIter<Delta<K>>>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self.first).chain(self.rest)
    }
}

/// Keys known outside the queue: a relist uses them to find deletions, a resync to find all objects.
pub trait KnownObjects<K>: Send + Sync {
    /// Returns the keys of all objects.
    fn known_keys(&self) -> Vec<ObjectKey>;
    /// Returns the object of a key.
    fn known(&self, key: &ObjectKey) -> Option<Arc<K>>;
}

impl<K: Object> KnownObjects<K> for Indexer<K> {
    fn known_keys(&self) -> Vec<ObjectKey> {
        self.keys()
    }
    fn known(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.get(key)
    }
}

/// Result of processing popped changes.
#[derive(Debug)]
pub enum Processed<K> {
    /// They are dealt with.
    Done,
    /// They could not be dealt with now: they go to the end of the queue, before what has come for that key
    /// since.
    Requeue(Deltas<K>),
}

/// Queue of keys with their changes.
pub struct DeltaFifo<K> {
    state: Mutex<State<K>>,
    known: Option<Arc<dyn KnownObjects<K>>>,
    bell: Notify,
    synced: watch::Sender<bool>,
}

struct State<K> {
    items: HashMap<ObjectKey, Deltas<K>>,
    queue: VecDeque<ObjectKey>,
    /// Whether anything was ever put in.
    populated: bool,
    /// Number of objects of the first list still to be popped.
    initial: usize,
    closed: bool,
}

/// Capacity above which the queue releases its memory once empty: the first list is far larger than what follows.
const KEPT_CAPACITY: usize = 1024;

impl<K: Object> DeltaFifo<K> {
    /// Creates an empty queue. Without known objects, deletions of objects that are not queued are dropped, and there
    /// is no resync.
    pub fn new(known: Option<Arc<dyn KnownObjects<K>>>) -> Self {
        DeltaFifo {
            state: Mutex::new(State {
                items: HashMap::new(),
                queue: VecDeque::new(),
                populated: false,
                initial: 0,
                closed: false,
            }),
            known,
            bell: Notify::new(),
            synced: watch::Sender::new(false),
        }
    }

    /// Reports whether everything of the first list was popped, or something else came before any list.
    pub fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Returns a receiver that becomes true with [`DeltaFifo::has_synced`].
    pub fn synced(&self) -> watch::Receiver<bool> {
        self.synced.subscribe()
    }

    /// Returns the number of queued keys.
    pub fn len(&self) -> usize {
        self.state.lock().queue.len()
    }

    /// Reports whether nothing is queued.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the queued keys in order.
    pub fn keys(&self) -> Vec<ObjectKey> {
        self.state.lock().queue.iter().cloned().collect()
    }

    /// Returns the newest state of each queued object, in order.
    pub fn list(&self) -> Vec<Arc<K>> {
        let state = self.state.lock();
        let queued = state.queue.iter().filter_map(|key| state.items.get(key));
        queued.map(|deltas| deltas.newest().object().clone()).collect()
    }

    /// Returns the queued changes of a key without removing them.
    pub fn get(&self, key: &ObjectKey) -> Option<Deltas<K>> {
        self.get_by_text(key.as_str())
    }

    /// Returns the queued changes of a key in text form, `namespace/name`, without removing them.
    pub fn get_by_text(&self, key: &str) -> Option<Deltas<K>> {
        self.state.lock().items.get(key).cloned()
    }

    /// Closes the queue: queued changes can still be popped, then `pop` returns `None` to every consumer.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.bell.notify_one();
    }

    /// Reports whether the queue was closed.
    pub fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Queues the addition of an object.
    pub fn add(&self, key: ObjectKey, object: Arc<K>) {
        self.put(key, Delta::Added(object));
    }

    /// Queues the update of an object.
    pub fn update(&self, key: ObjectKey, object: Arc<K>) {
        self.put(key, Delta::Updated(object));
    }

    /// Queues the deletion of an object with its last state. Unknown objects are ignored.
    pub fn delete(&self, key: ObjectKey, object: Arc<K>) {
        let mut state = self.state.lock();
        self.populate(&mut state);
        let heard_of = state.items.contains_key(&key)
            || self.known.as_ref().is_some_and(|known| known.known(&key).is_some());
        if heard_of {
            state.push(key, Delta::Deleted(Deleted::FinalState(object)));
            self.bell.notify_one();
        }
    }

    /// Replaces all objects. Known objects that are missing are queued as deleted.
    pub fn replace(&self, objects: Vec<(ObjectKey, Arc<K>)>) {
        let mut state = self.state.lock();
        let mut keys = HashSet::with_capacity(objects.len());
        for (key, object) in objects {
            keys.insert(key.clone());
            state.push(key, Delta::Replaced(object));
        }
        let mut gone: Vec<(ObjectKey, Arc<K>)> = state
            .items
            .iter()
            .filter(|(key, _)| !keys.contains(*key))
            .map(|(key, deltas)| (key.clone(), deltas.newest().object().clone()))
            .collect();
        for key in self.known.iter().flat_map(|known| known.known_keys()) {
            if !keys.contains(&key)
                && !state.items.contains_key(&key)
                && let Some(object) = self.known.as_ref().and_then(|known| known.known(&key))
            {
                gone.push((key, object));
            }
        }
        gone.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let deletions = gone.len();
        for (key, object) in gone {
            state.push(key, Delta::Deleted(Deleted::FinalStateUnknown(object)));
        }
        if !state.populated {
            state.populated = true;
            state.initial = keys.len() + deletions;
            self.check_synced(&state);
        }
        self.bell.notify_one();
    }

    /// Queues every known object of which nothing is queued, as [`Delta::Sync`].
    pub fn resync(&self) {
        let Some(known) = &self.known else { return };
        let mut state = self.state.lock();
        for key in known.known_keys() {
            if !state.items.contains_key(&key)
                && let Some(object) = known.known(&key)
            {
                state.push(key, Delta::Sync(object));
            }
        }
        self.bell.notify_one();
    }

    /// Waits for something to be queued and hands it to `process`, with whether it is of the first list.
    /// `None` when the queue is closed and empty. The future can be dropped while it waits; nothing is lost.
    pub async fn pop(
        &self,
        mut process: impl FnMut(&ObjectKey, Deltas<K>, bool) -> Processed<K>,
    ) -> Option<()> {
        loop {
            let popped = self.try_pop(&mut process);
            let (more, closed) = {
                let state = self.state.lock();
                (!state.queue.is_empty(), state.closed)
            };
            // The bell rings once however much was put in, so who was woken wakes the next.
            if more || closed {
                self.bell.notify_one();
            }
            match (popped, closed) {
                (true, _) => return Some(()),
                (false, true) if !more => return None,
                (false, _) => self.bell.notified().await,
            }
        }
    }

    /// Passes the first queued object to `process`, under the queue's lock; false if the queue is empty.
    pub fn try_pop(&self, mut process: impl FnMut(&ObjectKey, Deltas<K>, bool) -> Processed<K>) -> bool {
        let mut state = self.state.lock();
        let initial = !self.has_synced();
        let Some(key) = state.queue.pop_front() else {
            if state.queue.capacity() > KEPT_CAPACITY {
                state.queue = VecDeque::new();
                state.items = HashMap::new();
            }
            return false;
        };
        let Some(deltas) = state.items.remove(&key) else { return true };
        let processed = process(&key, deltas, initial);
        match processed {
            Processed::Done => {
                state.initial = state.initial.saturating_sub(1);
                self.check_synced(&state);
            }
            Processed::Requeue(deltas) => state.put_back(key, deltas),
        }
        true
    }

    fn put(&self, key: ObjectKey, delta: Delta<K>) {
        let mut state = self.state.lock();
        self.populate(&mut state);
        state.push(key, delta);
        self.bell.notify_one();
    }

    fn populate(&self, state: &mut State<K>) {
        state.populated = true;
        self.check_synced(state);
    }

    fn check_synced(&self, state: &State<K>) {
        if state.populated && state.initial == 0 {
            self.synced.send_if_modified(|synced| !std::mem::replace(synced, true));
        }
    }
}

impl<K> State<K> {
    fn push(&mut self, key: ObjectKey, delta: Delta<K>) {
        match self.items.get_mut(&key) {
            Some(deltas) => deltas.push(delta),
            None => {
                self.queue.push_back(key.clone());
                self.items.insert(key, Deltas::new(delta));
            }
        }
    }

    fn put_back(&mut self, key: ObjectKey, mut deltas: Deltas<K>) {
        match self.items.remove(&key) {
            Some(later) => later.into_iter().for_each(|delta| deltas.push(delta)),
            None => self.queue.push_back(key.clone()),
        }
        self.items.insert(key, deltas);
    }
}

impl<K: Object> ReflectorStore<K> for DeltaFifo<K> {
    fn added(&self, key: ObjectKey, object: Arc<K>) {
        self.add(key, object);
    }
    fn modified(&self, key: ObjectKey, object: Arc<K>) {
        self.update(key, object);
    }
    fn deleted(&self, key: ObjectKey, object: Arc<K>) {
        self.delete(key, object);
    }
    fn replaced(&self, objects: Vec<(ObjectKey, Arc<K>)>) {
        self.replace(objects);
    }
    fn current(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.known.as_ref()?.known(key)
    }
    fn resync(&self) {
        DeltaFifo::resync(self);
    }
}
