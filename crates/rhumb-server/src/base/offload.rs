//! `Offload`: how a request moves itself to the pool for long work, which the filters have.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::Poll;

/// From how many bytes on work is moved. Moving costs some 30 µs; a create of so many bytes takes a millisecond.
pub(crate) const LARGE: usize = 64 << 10;

const ASYNC: u8 = 0;
pub(crate) const ASKED: u8 = 1;
pub(crate) const MOVED: u8 = 2;

/// A request's way to the pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offload {
    /// None where there is no pool: the server asks itself.
    state: Option<Arc<AtomicU8>>,
}

impl Offload {
    pub(crate) fn new() -> Self {
        Offload { state: Some(Arc::new(AtomicU8::new(ASYNC))) }
    }

    pub(crate) fn is(&self, wanted: u8) -> bool {
        self.state.as_ref().is_some_and(|state| state.load(Ordering::Acquire) == wanted)
    }

    pub(crate) fn set(&self, next: u8) {
        if let Some(state) = &self.state {
            state.store(next, Ordering::Release);
        }
    }

    /// Goes on on the pool if there is work on so many bytes ahead.
    pub(crate) async fn of(&self, bytes: usize) {
        if bytes < LARGE || !self.is(ASYNC) {
            return;
        }
        self.set(ASKED);
        // Whoever polls the request sees that, and polls it again on the pool.
        std::future::poll_fn(|_| if self.is(MOVED) { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}
