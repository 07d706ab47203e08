//! What a server sends of many objects: lists and watch events, generic over the type of the objects.

use rhumb_meta::ListMeta;
use rhumb_meta::v1::Status;

/// A list of objects, or one page of it.
#[derive(Clone, Debug, Default)]
pub struct List<K> {
    /// The revision it was read at, and how to go on if there is more.
    pub metadata: ListMeta,
    /// The objects.
    pub items: Vec<K>,
}

/// What happened to an object that is watched.
#[derive(Clone, Debug)]
pub enum WatchEvent<K> {
    /// It came into being, or came to match the selectors.
    Added(K),
    /// It was changed.
    Modified(K),
    /// It went, or no longer matches the selectors; this is its last state.
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
