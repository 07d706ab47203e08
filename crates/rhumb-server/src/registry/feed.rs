//! Follows a prefix of the store, from the beginning and for as long as anybody listens.

use std::sync::Arc;
use std::time::Duration;

use rhumb_store::{Entry, Event, Key, Range, Revision, Store, StoreError, Watched};
use tokio::sync::mpsc;

use super::Registry;
use crate::base::tasks::Tasks;

/// How long to wait before a store that failed is asked again.
const PAUSE: Duration = Duration::from_secs(1);
/// How many entries are read at once.
const PAGE: usize = 500;
/// How many pieces of news may wait.
const WAITING: usize = 16;

/// What is told.
#[derive(Debug)]
pub(crate) enum News {
    /// What was told before may have gaps: all is told anew.
    Anew,
    /// Some of what there is.
    There(Vec<Entry>),
    /// That was all there is; changes follow.
    Complete,
    /// Changes.
    Changes(Vec<Event>),
}

/// How much is told of what is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    /// All of it.
    Beginning,
    /// Nothing: only what happens from now on.
    Now,
}

/// Follows a prefix of a store. The task behind it ends with the server, or when the receiver goes.
fn follow(store: &Arc<dyn Store>, tasks: &Tasks, prefix: Key, from: From) -> mpsc::Receiver<News> {
    let (tell, hear) = mpsc::channel(WAITING);
    let store = Arc::clone(store);
    tasks.spawn(async move {
        loop {
            match round(&*store, &prefix, from, &tell).await {
                Err(StoreError::Closed) => return,
                Ok(()) if tell.is_closed() => return,
                // Being too late is no fault of the store's.
                Ok(()) | Err(StoreError::Compacted { .. }) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    });
    hear
}

/// Tells what there is and then what changes, until something is in the way.
async fn round(
    store: &dyn Store,
    prefix: &Key,
    from: From,
    tell: &mpsc::Sender<News>,
) -> Result<(), StoreError> {
    // When nobody listens any more, there is nothing left to do.
    if tell.send(News::Anew).await.is_err() {
        return Ok(());
    }
    let revision = match from {
        From::Now => store.revision().await?,
        From::Beginning => {
            let Some(revision) = read(store, prefix, tell).await? else { return Ok(()) };
            revision
        }
    };
    if tell.send(News::Complete).await.is_err() {
        return Ok(());
    }
    let mut watch = store.watch(prefix.clone(), revision.next()).await?;
    while let Some(seen) = watch.next().await {
        if let Watched::Events(events) = seen?
            && tell.send(News::Changes(events)).await.is_err()
        {
            break;
        }
    }
    Ok(())
}

/// Tells what there is, and as of when; `None` if nobody listens.
async fn read(
    store: &dyn Store,
    prefix: &Key,
    tell: &mpsc::Sender<News>,
) -> Result<Option<Revision>, StoreError> {
    let mut range = Range { limit: PAGE, ..Range::all(prefix.clone()) };
    loop {
        let page = store.range(range.clone()).await?;
        range.at = Some(page.revision);
        if let Some(last) = page.entries.last() {
            // The first key behind the last one is that with a zero byte at its end.
            range.start = [last.key.as_ref(), b"\0"].concat().into();
        }
        if tell.send(News::There(page.entries)).await.is_err() {
            return Ok(None);
        }
        if !page.more {
            return Ok(Some(page.revision));
        }
    }
}

impl Registry {
    /// Follows a prefix of the store. The task behind it ends with the server, or when the receiver goes.
    pub(crate) fn follow(&self, prefix: Key, from: From) -> mpsc::Receiver<News> {
        follow(&self.store, &self.tasks, prefix, from)
    }
}
