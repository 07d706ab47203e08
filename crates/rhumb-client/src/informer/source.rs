//! `ListerWatcher`: source of an informer's objects, usually an [`Api`].

use futures_core::future::BoxFuture;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, stream};
use rhumb_meta::v1::ListOptions;

use crate::{Api, Error, List, Readable, WatchEvent};

/// Stream of watch events. It ends when the server ends it or after an error. Objects are boxed because they are moved
/// several times.
pub type EventStream<K> = BoxStream<'static, Result<WatchEvent<Box<K>>, Error>>;

/// Lists and watches one resource: of a server, or of a test.
pub trait ListerWatcher<K>: Send + Sync + 'static {
    /// Returns a list, or a page of it.
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<List<K>, Error>>;
    /// Returns a stream of what changes from the revision in the options on.
    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<EventStream<K>, Error>>;
}

impl<K: Readable> ListerWatcher<K> for Api<K> {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<List<K>, Error>> {
        Box::pin(async move { Api::list(self, &options).await })
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<EventStream<K>, Error>> {
        Box::pin(async move {
            let mut events = Api::watch(self, &options).await?;
            Ok(stream::poll_fn(move |cx| events.poll_boxed(cx)).boxed())
        })
    }
}
