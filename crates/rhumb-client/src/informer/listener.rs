//! Listener task: takes events from a handler's queue and calls the handler.
//!
//! A handler may block or panic, so it is called on the runtime's blocking pool, a batch at a time: an idle
//! handler holds no thread, and one that blocks holds only its own.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::vec;

use tokio::sync::{mpsc, watch};

use super::handler::{Event, Handler, call};
use super::reflector::{Report, Reporter};

/// Entry in a listener's queue.
pub(crate) enum Notice<K> {
    /// Something changed.
    Event(Event<K>),
    /// Everything of the initial list stands before this.
    Synced,
}

/// A handler with its queue.
pub(crate) struct Listener<K> {
    pub(crate) queue: mpsc::UnboundedReceiver<Notice<K>>,
    pub(crate) worker: Worker<K>,
}

pub(crate) struct Worker<K> {
    pub(crate) handler: Box<dyn Handler<K>>,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) synced: watch::Sender<bool>,
    pub(crate) reporter: Option<Reporter>,
}

/// How far a batch was processed.
enum Outcome {
    Finished,
    Panicked,
    Stopped,
}

/// Maximum number of events per batch.
const BATCH: usize = 256;
/// Pause after a panic, so that a handler that always panics doesn't flood a log.
const PAUSE_AFTER_PANIC: Duration = Duration::from_secs(1);

impl<K: Send + Sync + 'static> Listener<K> {
    /// Calls the handler until its queue is closed or it is told to stop.
    pub(crate) async fn run(mut self) {
        let mut worker = self.worker;
        let mut batch = Vec::new();
        while self.queue.recv_many(&mut batch, BATCH).await > 0 {
            let mut notices = std::mem::take(&mut batch).into_iter();
            loop {
                let work = tokio::task::spawn_blocking(move || worker.work(notices));
                // A pool that no longer takes work belongs to a runtime that is ending.
                let Ok((returned, rest, outcome)) = work.await else { return };
                (worker, notices) = (returned, rest);
                match outcome {
                    Outcome::Finished => break,
                    Outcome::Stopped => return,
                    Outcome::Panicked => tokio::time::sleep(PAUSE_AFTER_PANIC).await,
                }
            }
        }
    }
}

impl<K: 'static> Worker<K> {
    fn work(mut self, mut notices: vec::IntoIter<Notice<K>>) -> (Self, vec::IntoIter<Notice<K>>, Outcome) {
        while let Some(notice) = notices.next() {
            if self.stop.load(Ordering::Acquire) {
                return (self, notices, Outcome::Stopped);
            }
            let event = match notice {
                Notice::Event(event) => event,
                Notice::Synced => {
                    self.synced.send_replace(true);
                    continue;
                }
            };
            // Whatever state the handler is left in is its own.
            let called = catch_unwind(AssertUnwindSafe(|| call(&mut *self.handler, event)));
            if let Err(panic) = called {
                if let Some(reporter) = &self.reporter {
                    reporter(Report::HandlerPanicked { message: message(&*panic) });
                }
                return (self, notices, Outcome::Panicked);
            }
        }
        (self, notices, Outcome::Finished)
    }
}

/// Returns a panic's message, if it is text.
pub(crate) fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
