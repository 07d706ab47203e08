//! `ListerWatcher`: where an informer has its objects from. Mostly it is an [`Api`].

use futures_core::future::BoxFuture;
use futures_core::stream::BoxStream;
use rhumb_meta::v1::ListOptions;

use crate::{Api, Error, List, Readable, WatchEvent};

/// The events of a watch. It ends when the server ends it; after an error there is nothing more.
pub type EventStream<K> = BoxStream<'static, Result<WatchEvent<K>, Error>>;

/// Lists and watches one resource: a server's, or one that a test made up.
pub trait ListerWatcher<K>: Send + Sync + 'static {
    /// A list, or a page of it.
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<List<K>, Error>>;
    /// A stream of what changes from the revision in the options on.
    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<EventStream<K>, Error>>;
}

impl<K: Readable> ListerWatcher<K> for Api<K> {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<List<K>, Error>> {
        Box::pin(async move { Api::list(self, &options).await })
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<EventStream<K>, Error>> {
        Box::pin(async move { Ok(Box::pin(Api::watch(self, &options).await?) as EventStream<K>) })
    }
}
