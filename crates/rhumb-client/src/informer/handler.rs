//! Event handlers, and handlers made of closures.

use std::sync::Arc;

use super::delta_fifo::Deleted;

/// A change of the cache, in order for each object.
#[derive(Debug)]
pub enum Event<K> {
    /// The copy has an object that it had not.
    Added {
        /// The object.
        object: Arc<K>,
        /// Whether it was there before the informer began, or before the handler was added.
        is_in_initial_list: bool,
    },
    /// The copy has another state of an object. After a relist and at a resync both states may be the same,
    /// and after a gap they may be of two objects that had the name one after the other: their uids differ
    /// then.
    Updated {
        /// The previous object.
        old: Arc<K>,
        /// The current object.
        new: Arc<K>,
    },
    /// The copy no longer has an object.
    Deleted(Deleted<K>),
}

impl<K> Event<K> {
    /// Returns the object in its newest state.
    pub fn object(&self) -> &Arc<K> {
        match self {
            Event::Added { object, .. } | Event::Updated { new: object, .. } => object,
            Event::Deleted(deleted) => deleted.object(),
        }
    }
}

impl<K> Clone for Event<K> {
    fn clone(&self) -> Self {
        match self {
            Event::Added { object, is_in_initial_list } => {
                Event::Added { object: object.clone(), is_in_initial_list: *is_in_initial_list }
            }
            Event::Updated { old, new } => Event::Updated { old: old.clone(), new: new.clone() },
            Event::Deleted(deleted) => Event::Deleted(deleted.clone()),
        }
    }
}

/// Handles changes, called one after the other. It may block, as it runs on the blocking thread pool. After a panic it
/// is called with the next change.
pub trait Handler<K>: Send + 'static {
    /// Called with a new object.
    fn on_add(&mut self, object: Arc<K>, is_in_initial_list: bool) {
        let _ = (object, is_in_initial_list);
    }
    /// Called with a changed object; see [`Event::Updated`].
    fn on_update(&mut self, old: Arc<K>, new: Arc<K>) {
        let _ = (old, new);
    }
    /// Called with a deleted object.
    fn on_delete(&mut self, object: Deleted<K>) {
        let _ = object;
    }
}

/// Hands an event to the method it belongs to.
pub(crate) fn call<K: 'static>(handler: &mut dyn Handler<K>, event: Event<K>) {
    match event {
        Event::Added { object, is_in_initial_list } => handler.on_add(object, is_in_initial_list),
        Event::Updated { old, new } => handler.on_update(old, new),
        Event::Deleted(deleted) => handler.on_delete(deleted),
    }
}

type OnAdd<K> = Box<dyn FnMut(Arc<K>, bool) + Send>;
type OnUpdate<K> = Box<dyn FnMut(Arc<K>, Arc<K>) + Send>;
type OnDelete<K> = Box<dyn FnMut(Deleted<K>) + Send>;

/// Handler made of closures; missing ones ignore their events.
pub struct HandlerFuncs<K> {
    add: Option<OnAdd<K>>,
    update: Option<OnUpdate<K>>,
    delete: Option<OnDelete<K>>,
}

impl<K> Default for HandlerFuncs<K> {
    fn default() -> Self {
        HandlerFuncs::new()
    }
}

impl<K> HandlerFuncs<K> {
    /// Creates a handler that ignores all events.
    pub fn new() -> Self {
        HandlerFuncs { add: None, update: None, delete: None }
    }

    /// Sets the function for new objects, which also gets whether they are of the initial list.
    #[must_use]
    pub fn on_add(mut self, add: impl FnMut(Arc<K>, bool) + Send + 'static) -> Self {
        self.add = Some(Box::new(add));
        self
    }

    /// Sets the function for changed objects, with the old and new state.
    #[must_use]
    pub fn on_update(mut self, update: impl FnMut(Arc<K>, Arc<K>) + Send + 'static) -> Self {
        self.update = Some(Box::new(update));
        self
    }

    /// Sets the function for deleted objects.
    #[must_use]
    pub fn on_delete(mut self, delete: impl FnMut(Deleted<K>) + Send + 'static) -> Self {
        self.delete = Some(Box::new(delete));
        self
    }
}

impl<K: 'static> Handler<K> for HandlerFuncs<K> {
    fn on_add(&mut self, object: Arc<K>, is_in_initial_list: bool) {
        if let Some(add) = &mut self.add {
            add(object, is_in_initial_list);
        }
    }
    fn on_update(&mut self, old: Arc<K>, new: Arc<K>) {
        if let Some(update) = &mut self.update {
            update(old, new);
        }
    }
    fn on_delete(&mut self, object: Deleted<K>) {
        if let Some(delete) = &mut self.delete {
            delete(object);
        }
    }
}

/// Handler for objects that match a condition. An object that begins to match is added, one that no longer matches is
/// deleted.
pub struct Filtered<F, H> {
    condition: F,
    handler: H,
}

impl<F, H> Filtered<F, H> {
    /// Creates a handler with a condition.
    pub fn new(condition: F, handler: H) -> Self {
        Filtered { condition, handler }
    }
}

impl<K, F, H> Handler<K> for Filtered<F, H>
where
    F: FnMut(&K) -> bool + Send + 'static,
    H: Handler<K>,
{
    fn on_add(&mut self, object: Arc<K>, is_in_initial_list: bool) {
        if (self.condition)(&object) {
            self.handler.on_add(object, is_in_initial_list);
        }
    }
    fn on_update(&mut self, old: Arc<K>, new: Arc<K>) {
        match ((self.condition)(&old), (self.condition)(&new)) {
            (true, true) => self.handler.on_update(old, new),
            (false, true) => self.handler.on_add(new, false),
            (true, false) => self.handler.on_delete(Deleted::FinalState(old)),
            (false, false) => {}
        }
    }
    fn on_delete(&mut self, object: Deleted<K>) {
        if (self.condition)(object.object()) {
            self.handler.on_delete(object);
        }
    }
}
