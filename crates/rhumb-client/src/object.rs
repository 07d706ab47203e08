//! Lists and watch events, generic over the type of the objects.

use rhumb_meta::ListMeta;
use rhumb_meta::v1::Status;

/// Annotation of the bookmark that ends the initial events of a watch.
pub(crate) const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// A list of objects, or one page of it.
#[derive(Clone, Debug)]
pub struct List<K> {
    /// The revision it was read at, and how to go on if there is more.
    pub metadata: ListMeta,
    /// The objects.
    pub items: Vec<K>,
}

impl<K> List<K> {
    /// Returns the continue token of the next page, if there is one.
    pub fn next_page(&self) -> Option<&str> {
        Some(self.metadata.continue_.as_str()).filter(|token| !token.is_empty())
    }

    /// Returns the revision of the list, from which a watch can continue.
    pub fn resource_version(&self) -> &str {
        &self.metadata.resource_version
    }
}

impl<K> Default for List<K> {
    fn default() -> Self {
        List { metadata: ListMeta::default(), items: Vec::new() }
    }
}

impl<K> IntoIterator for List<K> {
    type Item = K;
    type IntoIter = std::vec::IntoIter<K>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, K> IntoIterator for &'a List<K> {
    type Item = &'a K;
    type IntoIter = std::slice::Iter<'a, K>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

/// A watch event.
#[derive(Clone, Debug)]
pub enum WatchEvent<K> {
    /// The object was created or came to match the selectors.
    Added(K),
    /// The object was updated.
    Modified(K),
    /// The object was deleted or no longer matches the selectors; this is its last state.
    Deleted(K),
    /// Everything up to this resource version has been sent.
    Bookmark {
        /// The resource version to go on from.
        resource_version: String,
        /// Whether this ends the objects that were there when the watch began.
        initial_events_end: bool,
    },
    /// The server can't go on. The stream ends after it.
    Error(Box<Status>),
}

impl<K> WatchEvent<K> {
    /// Returns the event's object, if it has one.
    pub fn object(&self) -> Option<&K> {
        match self {
            WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object) => {
                Some(object)
            }
            WatchEvent::Bookmark { .. } | WatchEvent::Error(_) => None,
        }
    }

    /// Maps the event's object.
    pub fn map<T>(self, change: impl FnOnce(K) -> T) -> WatchEvent<T> {
        match self {
            WatchEvent::Added(object) => WatchEvent::Added(change(object)),
            WatchEvent::Modified(object) => WatchEvent::Modified(change(object)),
            WatchEvent::Deleted(object) => WatchEvent::Deleted(change(object)),
            WatchEvent::Bookmark { resource_version, initial_events_end } => {
                WatchEvent::Bookmark { resource_version, initial_events_end }
            }
            WatchEvent::Error(status) => WatchEvent::Error(status),
        }
    }
}
