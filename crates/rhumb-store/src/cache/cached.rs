//! An object as the cache holds it: once decoded, its stored bytes shared with the store, its encoded forms made once.

use std::sync::Arc;

use bytes::Bytes;

use crate::cache::forms::{Budget, FormId, Forms};
use crate::entry::{Entry, Key};
use crate::revision::Revision;

/// Makes objects of stored bytes.
pub trait Decode: Send + Sync + 'static {
    /// The object.
    type Object: Indexed + Send + Sync + 'static;

    /// Makes an object. The revision is the one that readers are to see in it; the last state of an object that was
    /// removed has the revision of the removal.
    ///
    /// This can't fail: for bytes that it doesn't understand, a decoder gives an object that says so. One that is
    /// broken must not hide the others.
    fn decode(&self, key: &Key, value: &Bytes, revision: Revision) -> Self::Object;
}

/// What an object can be found by.
pub trait Indexed {
    /// Gives the keys under which an index has the object: none, one or several. Always the same for the same object.
    fn index_keys(&self, index: &str, add: &mut dyn FnMut(&str));
}

/// The keys that an index has for an object, in order and each once.
pub(super) fn keys_of(object: &impl Indexed, index: &str) -> Vec<String> {
    let mut keys = Vec::new();
    object.index_keys(index, &mut |key| keys.push(key.to_owned()));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// An object at one revision.
#[derive(Debug)]
pub struct Cached<T> {
    key: Key,
    value: Bytes,
    created: Revision,
    revision: Revision,
    object: T,
    forms: Forms,
}

impl<T> Cached<T> {
    /// What an entry of the store is.
    pub(super) fn of(entry: &Entry, decode: &impl Decode<Object = T>, budget: &Arc<Budget>) -> Self {
        Cached {
            key: entry.key.clone(),
            value: entry.value.clone(),
            created: entry.created,
            revision: entry.modified,
            object: decode.decode(&entry.key, &entry.value, entry.modified),
            forms: Forms::new(budget),
        }
    }

    /// The same state at a later revision: the one at which it went out of sight.
    pub(super) fn departed(&self, revision: Revision, decode: &impl Decode<Object = T>) -> Self {
        Cached {
            key: self.key.clone(),
            value: self.value.clone(),
            created: self.created,
            revision,
            object: decode.decode(&self.key, &self.value, revision),
            forms: Forms::new(self.forms.budget()),
        }
    }

    /// The key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The stored bytes, shared with the store.
    pub fn value(&self) -> &Bytes {
        &self.value
    }

    /// When the key was made.
    pub fn created(&self) -> Revision {
        self.created
    }

    /// When it last changed; for the last state of an object that was removed, when it was removed.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The decoded object.
    pub fn object(&self) -> &T {
        &self.object
    }

    /// One of its encoded forms, made if it is not kept from an earlier time. Who asks while it is being made
    /// waits for it. The cache bounds how much is kept ([`Config::form_bytes`](super::Config::form_bytes)).
    pub fn encoded(&self, form: FormId, make: impl FnOnce(&T) -> Bytes) -> Bytes {
        self.forms.get(form, || make(&self.object))
    }

    /// One of its encoded forms, if it is kept.
    pub fn kept(&self, form: FormId) -> Option<Bytes> {
        self.forms.kept(form)
    }

    /// What its forms are charged to.
    pub(super) fn budget(&self) -> &Arc<Budget> {
        self.forms.budget()
    }

    /// Looks at where its forms are kept. A reader of a long list does that for some objects before it takes the first
    /// one: they are far apart in memory, and the processor fetches them at the same time as long as nothing is
    /// changed in between, as taking one does.
    pub(super) fn approach(&self) {
        self.forms.approach();
    }
}
