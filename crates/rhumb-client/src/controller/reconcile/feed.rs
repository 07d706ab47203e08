//! Event sources: map changes of objects to reconcile requests.

use std::sync::Arc;

use futures_core::future::BoxFuture;
use rhumb_meta::{Object, Scope};
use rhumb_queue::{Queue, When};

use crate::informer::{Deleted, Event, Handler, InformerEnded, ObjectKey, Registration, SharedInformer};

/// Priority of requests without a change: the initial list and resyncs. Changes go first.
const ROUTINE: i32 = -100;

/// Maps a changed object to the objects to reconcile.
pub(super) type Map<W> = Arc<dyn Fn(&W) -> Vec<ObjectKey> + Send + Sync>;

/// Filter of changes.
pub(super) type Predicate<W> = Arc<dyn Fn(&Event<W>) -> bool + Send + Sync>;

/// Feeds a queue.
pub(super) trait Source: Send + Sync {
    /// Begins to feed the queue, and to follow the server.
    fn start(&self, queue: &Queue<ObjectKey>) -> Result<Registration, InformerEnded>;

    /// Waits until it feeds nothing any more.
    fn ended(&self) -> BoxFuture<'_, ()>;
}

/// An informer with its filter and mapping.
pub(super) struct Watched<W: Object> {
    pub(super) informer: SharedInformer<W>,
    pub(super) map: Map<W>,
    pub(super) predicates: Vec<Predicate<W>>,
}

impl<W: Object> Source for Watched<W> {
    fn start(&self, queue: &Queue<ObjectKey>) -> Result<Registration, InformerEnded> {
        let feed =
            Feed { queue: queue.clone(), map: Arc::clone(&self.map), predicates: self.predicates.clone() };
        let registration = self.informer.add_handler(feed)?;
        self.informer.start();
        Ok(registration)
    }

    fn ended(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.informer.ended())
    }
}

struct Feed<W> {
    queue: Queue<ObjectKey>,
    map: Map<W>,
    predicates: Vec<Predicate<W>>,
}

impl<W: Object> Feed<W> {
    fn matters(&self, event: &Event<W>) -> bool {
        self.predicates.iter().all(|matters| matters(event))
    }

    fn add(&self, keys: Vec<ObjectKey>, priority: i32) {
        for key in keys {
            self.queue.add_with(key, When::Now, priority);
        }
    }
}

impl<W: Object> Handler<W> for Feed<W> {
    fn on_add(&mut self, object: Arc<W>, is_in_initial_list: bool) {
        if self.matters(&Event::Added { object: Arc::clone(&object), is_in_initial_list }) {
            self.add((self.map)(&object), if is_in_initial_list { ROUTINE } else { 0 });
        }
    }

    fn on_update(&mut self, old: Arc<W>, new: Arc<W>) {
        if !self.matters(&Event::Updated { old: Arc::clone(&old), new: Arc::clone(&new) }) {
            return;
        }
        let is_resync = old.identity().resource_version == new.identity().resource_version;
        let priority = if is_resync { ROUTINE } else { 0 };
        // It may have concerned another object before, which has to learn that it no longer does. Each is added once:
        // a quick worker could be done with it in between.
        let mut keys = (self.map)(&old);
        for key in (self.map)(&new) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        self.add(keys, priority);
    }

    fn on_delete(&mut self, object: Deleted<W>) {
        if self.matters(&Event::Deleted(object.clone())) {
            self.add((self.map)(object.object()), 0);
        }
    }
}

/// Kind of the controller's objects, as owner references name it.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) scope: Scope,
}

impl Owner {
    /// Returns the object of this kind that controls another, if one does.
    pub(super) fn of(&self, owned: &dyn Object) -> Option<ObjectKey> {
        let metadata = owned.metadata()?;
        let owner = metadata.owner_references.iter().find(|owner| {
            let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
            owner.controller == Some(true) && owner.kind == self.kind && group == self.group
        })?;
        let namespace = if self.scope == Scope::Namespaced { metadata.namespace.as_str() } else { "" };
        Some(ObjectKey::new(namespace, &owner.name))
    }
}
