//! Workers of a controller.

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_core::future::BoxFuture;
use rhumb_queue::{Queue, Taken};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::builder::{ControllerError, OnError};
use super::feed::Source;
use super::{Action, TerminalError};
use crate::controller::metrics::{CallResult, Calls};
use crate::controller::shutdown::Shutdown;
use crate::informer::{ObjectKey, Registration};

/// Result of a reconciliation.
type Reconciled = Result<Action, Box<dyn StdError + Send + Sync>>;

/// The reconcile function.
pub(super) type Work = Arc<dyn Fn(ObjectKey) -> BoxFuture<'static, Reconciled> + Send + Sync>;

/// Workers of a controller and their shared state.
pub(super) struct Staff {
    pub(super) worker: Worker,
    pub(super) workers: usize,
    pub(super) grace: Duration,
}

/// State of one worker.
#[derive(Clone)]
pub(super) struct Worker {
    pub(super) queue: Queue<ObjectKey>,
    pub(super) work: Work,
    pub(super) on_error: Option<OnError>,
    pub(super) calls: Option<Arc<Calls>>,
}

/// Error: the reconcile function panicked. All workers continue.
#[derive(Debug)]
struct Panicked(String);

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the reconciler panicked: {}", self.0)
    }
}

impl StdError for Panicked {}

/// Registered handlers, removed on drop.
struct Registrations(Vec<Registration>);

impl Drop for Registrations {
    fn drop(&mut self) {
        self.0.drain(..).for_each(Registration::remove);
    }
}

impl Staff {
    pub(super) async fn run(
        self,
        sources: &[&dyn Source],
        shutdown: &Shutdown,
    ) -> Result<(), ControllerError> {
        let mut registrations = Registrations(Vec::with_capacity(sources.len()));
        for source in sources {
            registrations.0.push(source.start(&self.worker.queue)?);
        }
        // Before the copies are complete a function would see things missing that are there.
        for registration in &registrations.0 {
            tokio::select! {
                biased;
                () = shutdown.begun() => return Ok(()),
                synced = registration.synced() => if !synced {
                    return Err(ControllerError::InformerEnded);
                },
            }
        }
        if let Some(calls) = &self.worker.calls {
            calls.set_workers(self.workers);
        }
        let stop = Shutdown::new();
        let mut workers = JoinSet::new();
        for _ in 0..self.workers {
            let (worker, shutdown, stop) = (self.worker.clone(), shutdown.clone(), stop.clone());
            workers.spawn(async move { worker.work_off(&shutdown, &stop).await });
        }
        // A copy that nobody brings up to date any more is nothing to go by.
        let outcome = tokio::select! {
            biased;
            () = shutdown.begun() => Ok(()),
            () = any_ended(sources) => Err(ControllerError::InformerEnded),
        };
        stop.begin();
        drop(registrations);
        self.worker.queue.shut_down();
        let ended = timeout(self.grace, async { while workers.join_next().await.is_some() {} }).await;
        if ended.is_err() {
            let left = workers.len();
            workers.shutdown().await;
            return Err(ControllerError::GraceExceeded { workers: left });
        }
        outcome
    }
}

/// Waits until one of them feeds nothing any more.
async fn any_ended(sources: &[&dyn Source]) {
    let mut ends: Vec<BoxFuture<'_, ()>> = sources.iter().map(|source| source.ended()).collect();
    poll_fn(|cx| match ends.iter_mut().any(|end| end.as_mut().poll(cx).is_ready()) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}

impl Worker {
    /// Takes one object after the other until the end is asked for.
    async fn work_off(&self, shutdown: &Shutdown, stop: &Shutdown) {
        loop {
            let taken = tokio::select! {
                biased;
                () = shutdown.begun() => return,
                () = stop.begun() => return,
                taken = self.queue.get() => taken,
            };
            let Some(taken) = taken else { return };
            self.look_at(taken).await;
        }
    }

    async fn look_at(&self, taken: Taken<ObjectKey>) {
        let begun = self.calls.as_ref().map(|calls| (calls.begin(), Instant::now()));
        let reconciled = unwinding(|| (self.work)(taken.clone())).await;
        if let (Some((_at_work, since)), Some(calls)) = (begun, &self.calls) {
            let result = match &reconciled {
                Ok(action) if action.after().is_some() => CallResult::RequeueAfter,
                Ok(_) => CallResult::Success,
                Err(_) => CallResult::Error,
            };
            let panicked = reconciled.as_ref().is_err_and(|error| error.is::<Panicked>());
            calls.ended(result, panicked, since.elapsed());
            if reconciled.as_ref().is_err_and(|error| TerminalError::is_behind(&**error)) {
                calls.was_terminal();
            }
        }
        match reconciled {
            Ok(action) => match action.after() {
                Some(delay) => taken.retry_after(delay),
                None => taken.finish(),
            },
            Err(error) => {
                if let Some(on_error) = &self.on_error {
                    // Should it panic, the object still comes back and the worker still works.
                    let _ = catch_unwind(AssertUnwindSafe(|| on_error(&taken, &*error)));
                }
                match TerminalError::is_behind(&*error) {
                    // It is given up, and so its failures don't count any more.
                    true => taken.finish(),
                    false => taken.retry(),
                }
            }
        }
    }
}

/// Turns a panic into an error, so that a worker survives it.
async fn unwinding(begin: impl FnOnce() -> BoxFuture<'static, Reconciled>) -> Reconciled {
    let mut future = catch_unwind(AssertUnwindSafe(begin)).map_err(panicked)?;
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| Pin::new(&mut future).poll(cx))) {
        Ok(poll) => poll,
        Err(panic) => Poll::Ready(Err(panicked(panic))),
    })
    .await
}

fn panicked(panic: Box<dyn Any + Send>) -> Box<dyn StdError + Send + Sync> {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    Box::new(Panicked(text))
}
