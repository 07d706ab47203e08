//! Workers, from the first object to the last.

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
use tokio::time::timeout;

use super::Action;
use super::builder::{ControllerError, OnError};
use super::feed::Source;
use crate::controller::shutdown::Shutdown;
use crate::informer::{ObjectKey, Registration};

/// How an object was looked at.
type Reconciled = Result<Action, Box<dyn StdError + Send + Sync>>;

/// The function that looks at an object.
pub(super) type Work = Arc<dyn Fn(ObjectKey) -> BoxFuture<'static, Reconciled> + Send + Sync>;

/// Those who work for a controller, and what they need.
pub(super) struct Staff {
    pub(super) queue: Queue<ObjectKey>,
    pub(super) work: Work,
    pub(super) on_error: Option<OnError>,
    pub(super) workers: usize,
    pub(super) grace: Duration,
}

/// The function panicked. The others go on, and so does this one, with its next object.
#[derive(Debug)]
struct Panicked(String);

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the reconciler panicked: {}", self.0)
    }
}

impl StdError for Panicked {}

/// Handlers at informers, which go when this is dropped.
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
            registrations.0.push(source.start(&self.queue)?);
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
        let mut workers = JoinSet::new();
        for _ in 0..self.workers {
            let (queue, work, on_error) = (self.queue.clone(), Arc::clone(&self.work), self.on_error.clone());
            let shutdown = shutdown.clone();
            workers.spawn(async move { work_off(&queue, &work, on_error.as_ref(), &shutdown).await });
        }
        shutdown.begun().await;
        drop(registrations);
        self.queue.shut_down();
        let ended = timeout(self.grace, async { while workers.join_next().await.is_some() {} }).await;
        if ended.is_err() {
            let left = workers.len();
            workers.shutdown().await;
            return Err(ControllerError::GraceExceeded { workers: left });
        }
        Ok(())
    }
}

/// Takes one object after the other until the end is asked for.
async fn work_off(queue: &Queue<ObjectKey>, work: &Work, on_error: Option<&OnError>, shutdown: &Shutdown) {
    loop {
        let taken = tokio::select! {
            biased;
            () = shutdown.begun() => return,
            taken = queue.get() => taken,
        };
        let Some(taken) = taken else { return };
        look_at(taken, work, on_error).await;
    }
}

async fn look_at(taken: Taken<ObjectKey>, work: &Work, on_error: Option<&OnError>) {
    match unwinding(|| work(taken.clone())).await {
        Ok(action) => match action.after() {
            Some(delay) => taken.retry_after(delay),
            None => taken.finish(),
        },
        Err(error) => {
            if let Some(on_error) = on_error {
                on_error(&taken, &*error);
            }
            taken.retry();
        }
    }
}

/// Makes a panic an error, so that a worker outlives it.
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
