//! All objects of a cache at one revision, with their indexes. Taking one is a step, and nothing changes it any more.

use std::sync::Arc;

use crate::cache::cached::{Cached, Indexed, keys_of};
use crate::cache::rope::{Rope, Run, Walk};
use crate::entry::Key;

/// Whether an object is wanted.
pub type Predicate<T> = Arc<dyn Fn(&Cached<T>) -> bool + Send + Sync>;

/// An index and a key in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexKey {
    /// The name of the index.
    pub index: String,
    /// The key.
    pub key: String,
}

/// Which objects are wanted: those for which all that is given holds.
pub struct Selection<T> {
    /// What their keys begin with, for example those of one namespace. Empty for all.
    pub prefix: Key,
    /// What they are found by in an index.
    pub index: Option<IndexKey>,
    /// Anything else.
    pub predicate: Option<Predicate<T>>,
}

impl<T> Default for Selection<T> {
    fn default() -> Self {
        Selection { prefix: Key::new(), index: None, predicate: None }
    }
}

impl<T> Clone for Selection<T> {
    fn clone(&self) -> Self {
        Selection {
            prefix: self.prefix.clone(),
            index: self.index.clone(),
            predicate: self.predicate.clone(),
        }
    }
}

impl<T> std::fmt::Debug for Selection<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Selection")
            .field("prefix", &self.prefix)
            .field("index", &self.index)
            .field("predicate", &self.predicate.is_some())
            .finish()
    }
}

impl<T: Indexed> Selection<T> {
    /// Whether an object is one of them.
    pub fn matches(&self, object: &Cached<T>) -> bool {
        object.key().starts_with(&self.prefix)
            && self.index.as_ref().is_none_or(|wanted| {
                let mut found = false;
                object.object().index_keys(&wanted.index, &mut |key| found |= key == wanted.key);
                found
            })
            && self.predicate.as_ref().is_none_or(|predicate| predicate(object))
    }
}

/// An object under one of its keys in an index. An index has them by that key, then in the order of the objects.
pub(super) struct Posting<T> {
    key: Arc<str>,
    object: Arc<Cached<T>>,
}

impl<T> Clone for Posting<T> {
    fn clone(&self) -> Self {
        Posting { key: Arc::clone(&self.key), object: Arc::clone(&self.object) }
    }
}

/// The objects in the order of their keys.
pub(super) type Objects<T> = Rope<Arc<Cached<T>>>;

/// One object that came, changed or went.
pub(super) struct Replacement<'a, T> {
    pub(super) previous: Option<&'a Arc<Cached<T>>>,
    pub(super) current: Option<&'a Arc<Cached<T>>>,
}

/// All objects at one revision.
pub struct Snapshot<T> {
    pub(super) objects: Objects<T>,
    names: Arc<[String]>,
    indexes: Vec<Rope<Posting<T>>>,
}

impl<T> Clone for Snapshot<T> {
    fn clone(&self) -> Self {
        Snapshot {
            objects: self.objects.clone(),
            names: Arc::clone(&self.names),
            indexes: self.indexes.clone(),
        }
    }
}

impl<T> std::fmt::Debug for Snapshot<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("names", &self.names).finish_non_exhaustive()
    }
}

impl<T: Indexed> Snapshot<T> {
    /// A snapshot of objects that stand in the order of their keys.
    pub(super) fn of(objects: Objects<T>, names: Arc<[String]>) -> Self {
        let indexes = names.iter().map(|_| Rope::default()).collect();
        let mut snapshot = Snapshot { objects, names, indexes };
        for object in snapshot.objects.walk(0, snapshot.objects.len()) {
            snapshot.index(None, Some(&object));
        }
        snapshot
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The object of a key.
    pub fn get(&self, key: &[u8]) -> Option<&Arc<Cached<T>>> {
        let place = self.objects.place(|object| object.key() < key);
        self.objects.get(place).filter(|object| object.key() == key)
    }

    /// All objects in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = Arc<Cached<T>>> + use<T> {
        self.objects.walk(0, self.objects.len())
    }

    /// Takes a change in.
    pub(super) fn apply(&mut self, change: &Replacement<'_, T>) {
        let Some(key) = change.current.or(change.previous).map(|object| object.key()) else { return };
        let place = self.objects.place(|object| object.key() < key);
        let there = self.objects.get(place).is_some_and(|object| object.key() == key);
        match (change.current, there) {
            (Some(object), true) => drop(self.objects.replace(place, Arc::clone(object))),
            (Some(object), false) => self.objects.insert(place, Arc::clone(object)),
            (None, true) => drop(self.objects.remove(place)),
            (None, false) => {}
        }
        self.index(change.previous, change.current);
    }

    /// Changes the indexes; those keys that stay point to the new object from now on.
    fn index(&mut self, previous: Option<&Arc<Cached<T>>>, current: Option<&Arc<Cached<T>>>) {
        for (name, postings) in self.names.iter().zip(&mut self.indexes) {
            let keys = current.map_or_else(Vec::new, |object| keys_of(object.object(), name));
            if let Some(previous) = previous {
                for key in keys_of(previous.object(), name) {
                    if keys.binary_search(&key).is_err() {
                        remove(postings, &key, previous.key());
                    }
                }
            }
            if let Some(object) = current {
                for key in &keys {
                    put(postings, key, object);
                }
            }
        }
    }

    /// The places of what is selected, from a key on, and the sequence that they are in; `None` if there is no such
    /// index. What the predicate says is not looked at.
    pub(super) fn find(&self, selection: &Selection<T>, start: &[u8]) -> Option<Found<T>> {
        let prefix = selection.prefix.as_ref();
        let start = start.max(prefix);
        let within = |key: &Key| key.as_ref() < prefix || key.starts_with(prefix);
        let Some(wanted) = &selection.index else {
            let from = self.objects.place(|object| object.key() < start);
            let to = self.objects.place(|object| within(object.key()));
            return Some(Found { from, to: to.max(from), source: Source::Objects(self.objects.clone()) });
        };
        let index = self.names.iter().position(|name| *name == wanted.index)?;
        let postings = self.indexes.get(index)?;
        let key = wanted.key.as_str();
        let from = postings.place(|posting| before(posting, key, start));
        let to = postings.place(|posting| {
            posting.key.as_ref() < key || (posting.key.as_ref() == key && within(posting.object.key()))
        });
        Some(Found { from, to: to.max(from), source: Source::Postings(postings.clone()) })
    }
}

fn before<T>(posting: &Posting<T>, key: &str, object: &[u8]) -> bool {
    (posting.key.as_ref(), posting.object.key().as_ref()) < (key, object)
}

fn remove<T>(postings: &mut Rope<Posting<T>>, key: &str, object: &Key) {
    let place = postings.place(|posting| before(posting, key, object));
    if postings.get(place).is_some_and(|posting| *posting.key == *key && posting.object.key() == object) {
        postings.remove(place);
    }
}

fn put<T>(postings: &mut Rope<Posting<T>>, key: &str, object: &Arc<Cached<T>>) {
    let place = postings.place(|posting| before(posting, key, object.key()));
    let next = postings.get(place).filter(|posting| *posting.key == *key);
    let there = next.is_some_and(|posting| posting.object.key() == object.key());
    // Neighbours share the key: an index has few of them and many objects for each.
    let neighbour = next.or_else(|| postings.get(place.checked_sub(1)?).filter(|left| *left.key == *key));
    let key = neighbour.map_or_else(|| Arc::from(key), |posting| Arc::clone(&posting.key));
    let posting = Posting { key, object: Arc::clone(object) };
    if there {
        postings.replace(place, posting);
    } else {
        postings.insert(place, posting);
    }
}

/// Where selected objects are.
pub(super) struct Found<T> {
    pub(super) from: usize,
    pub(super) to: usize,
    source: Source<T>,
}

enum Source<T> {
    Objects(Objects<T>),
    Postings(Rope<Posting<T>>),
}

impl<T> Found<T> {
    /// The object at a place.
    pub(super) fn get(&self, place: usize) -> Option<&Arc<Cached<T>>> {
        match &self.source {
            Source::Objects(objects) => objects.get(place),
            Source::Postings(postings) => postings.get(place).map(|posting| &posting.object),
        }
    }

    /// The objects up to a place.
    pub(super) fn walk(&self, to: usize) -> FoundWalk<T> {
        match &self.source {
            Source::Objects(objects) => {
                FoundWalk::Objects(objects.walk(self.from, to).approaching(|object| object.approach()))
            }
            Source::Postings(postings) => FoundWalk::Postings(postings.walk(self.from, to)),
        }
    }
}

/// Goes through selected objects.
pub(super) enum FoundWalk<T> {
    Objects(Walk<Arc<Cached<T>>>),
    Postings(Walk<Posting<T>>),
}

impl<T> FoundWalk<T> {
    /// The place of the next object.
    pub(super) fn position(&self) -> usize {
        match self {
            FoundWalk::Objects(walk) => walk.position(),
            FoundWalk::Postings(walk) => walk.position(),
        }
    }

    /// The objects that come next, if they are kept together and so many at least.
    pub(super) fn run(&mut self, least: usize) -> Option<Run<Arc<Cached<T>>>> {
        match self {
            FoundWalk::Objects(walk) => walk.run(least),
            FoundWalk::Postings(_) => None,
        }
    }
}

impl<T> Iterator for FoundWalk<T> {
    type Item = Arc<Cached<T>>;

    fn next(&mut self) -> Option<Arc<Cached<T>>> {
        match self {
            FoundWalk::Objects(walk) => walk.next(),
            FoundWalk::Postings(walk) => walk.next().map(|posting| posting.object),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            FoundWalk::Objects(walk) => walk.size_hint(),
            FoundWalk::Postings(walk) => walk.size_hint(),
        }
    }
}
