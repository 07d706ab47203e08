//! Work pool: for requests whose work takes long: threads beside the async workers.
//!
//! The async workers take connections, read, write and answer what is small. A request begins there. As soon as it
//! knows that it has much to decode, patch, check or encode (its body, or the object that it changes, is large), it
//! asks to be moved ([`Offload::of`]): its future goes on on a thread of the pool and comes back with the answer.
//! Small requests never ask, and pay for a flag.
//!
//! ```text
//!            Offload::of(large)          a slot is free
//!   Async ──────────────────────▶ Asked ────────────────▶ Moved ──▶ answered
//!     │                             │                       │
//!     ▼ answered                    ▼ too many wait: 429    ▼ stopped: budget is used up, client is gone, shutdown
//! ```
//!
//! There are as many slots as processors. Users get them in turns, and none has more than half of them, so that nobody
//! keeps others from theirs.
//!
//! Wherever a request is, its [`Budget`] is in scope: little that is sent may stand for much (defaults, aliases), and
//! who takes more memory than there is gets no further. While it is on the pool, the budget is stopped when the client
//! hangs up, the request's time is over or the server ends; whatever loops sees that and returns, and nothing is
//! stored any more (`Storage` asks [`rhumb_schema::budget::settle`] right before).

use crate::base::offload::{ASKED, MOVED, Offload};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::Response;
use rhumb_schema::budget::Budget;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::base::response::Body;
use crate::base::shutdown::Shutdown;
use crate::filters::Guard;
use crate::filters::flow_control::fair_queue::{Share, Turn, Turns};

/// How much memory a request may take beyond what the length of its input bounds.
const MEMORY: usize = 64 << 20;

/// How a request ended that may have been moved.
pub(crate) enum Ended {
    /// With an answer.
    Answered(Response<Body>),
    /// It broke.
    Broken,
    /// Too many wait for the pool.
    Overload,
    /// It took more memory than it may.
    TooLarge,
    /// The server ends.
    ShuttingDown,
}

/// The pool.
#[derive(Clone, Debug)]
pub(crate) struct WorkPool {
    turns: Turns,
    shutdown: Shutdown,
}

/// Stops a request's work when nobody waits for it any more.
struct StopOnDrop(Arc<Budget>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A request that is polled with its budget in scope.
struct Scoped {
    budget: Arc<Budget>,
    guard: Guard,
}

impl Future for Scoped {
    type Output = Option<Response<Body>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Scoped { budget, guard } = &mut *self;
        budget.scope(|| guard.poll(context))
    }
}

impl WorkPool {
    /// The pool of a server on so many processors.
    pub(crate) fn new(processors: usize, shutdown: Shutdown) -> Self {
        let slots = processors.max(2);
        WorkPool { turns: Turns::new(slots, Share::Half), shutdown }
    }

    /// What a request needs to be moved.
    pub(crate) fn offload() -> Offload {
        Offload::new()
    }

    /// Answers a user's request, on the pool once it asks for that.
    pub(crate) async fn run(&self, user: &str, offload: &Offload, mut guard: Guard) -> Ended {
        let budget = Budget::new(MEMORY);
        let here = std::future::poll_fn(|context| match budget.scope(|| guard.poll(context)) {
            Poll::Ready(answer) => Poll::Ready(Some(answer)),
            Poll::Pending if offload.is(ASKED) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        });
        match here.await {
            Some(_) if budget.is_overdrawn() => Ended::TooLarge,
            Some(answer) => answer.map_or(Ended::Broken, Ended::Answered),
            None => self.moved(user, offload, budget, guard).await,
        }
    }

    async fn moved(&self, user: &str, offload: &Offload, budget: Arc<Budget>, guard: Guard) -> Ended {
        let turn = tokio::select! {
            turn = self.turns.take(user) => turn,
            () = self.shutdown.requested() => return Ended::ShuttingDown,
        };
        let Some(turn) = turn else { return Ended::Overload };
        offload.set(MOVED);
        let _stop = StopOnDrop(Arc::clone(&budget));
        let mut answer = on_thread(Scoped { budget: Arc::clone(&budget), guard }, turn);
        let answer = tokio::select! {
            answer = &mut answer => answer,
            () = self.shutdown.requested() => {
                budget.stop();
                answer.await
            }
        };
        match answer {
            // What a stopped request says is thrown away, even if it says that all is well.
            _ if budget.is_overdrawn() => Ended::TooLarge,
            _ if budget.is_stopped() => Ended::ShuttingDown,
            Ok(Some(answer)) => Ended::Answered(answer),
            Ok(None) | Err(_) => Ended::Broken,
        }
    }
}

/// Has a thread work on a request until it is answered or nobody waits for it any more.
fn on_thread(work: Scoped, turn: Turn) -> oneshot::Receiver<Option<Response<Body>>> {
    let (mut sender, receiver) = oneshot::channel();
    let runtime = Handle::current();
    runtime.clone().spawn_blocking(move || {
        let answer = runtime.block_on(async {
            tokio::select! {
                answer = work => Some(answer),
                () = sender.closed() => None,
            }
        });
        drop(turn);
        if let Some(answer) = answer {
            // Whoever asked may have gone in this moment.
            let _ = sender.send(answer);
        }
    });
    receiver
}
