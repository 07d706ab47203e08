//! Periodic resync of a reflector's store.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::options::ShouldResync;
use super::{Position, ReflectorStore};

/// Resyncs a store periodically once it is filled.
pub(super) struct Resync<K, S> {
    pub(super) store: Arc<S>,
    pub(super) position: Position,
    pub(super) every: Duration,
    pub(super) wanted: Option<ShouldResync>,
    pub(super) of: PhantomData<fn() -> K>,
}

impl<K, S: ReflectorStore<K>> Resync<K, S> {
    /// Goes on for as long as it is polled.
    pub(super) async fn run(self) {
        loop {
            let Some(next) = Instant::now().checked_add(self.every) else {
                return std::future::pending().await;
            };
            sleep_until(next).await;
            let is_filled = !self.position.get().is_empty();
            if is_filled && self.wanted.as_ref().is_none_or(|wanted| wanted()) {
                self.store.resync();
            }
        }
    }
}
