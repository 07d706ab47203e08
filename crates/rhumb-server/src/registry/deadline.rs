//! How long reads wait for the watch cache.

use std::future::Future;
use std::time::Duration;

use rhumb_store::cache::{At, Cache};

use super::storage::Objects;

/// How long a read waits for a revision that has not been seen yet.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long a read of the newest state waits for the cache before it asks the store itself.
const SHORT_PATIENCE: Duration = Duration::from_millis(250);

/// What ends the waiting of a read. One that is not filled yet has nothing to answer with, so it gets its time.
pub(crate) fn deadline_of(cache: &Cache<Objects>, at: At) -> impl Future<Output = ()> + use<> {
    let short = at == At::Newest && cache.revision().is_some();
    tokio::time::sleep(if short { SHORT_PATIENCE } else { PATIENCE })
}

/// What ends the waiting for a revision.
pub(crate) fn deadline() -> impl Future<Output = ()> {
    tokio::time::sleep(PATIENCE)
}
