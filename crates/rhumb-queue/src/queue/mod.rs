//! `Queue`: the state machine behind a lock, and its handles.

mod builder;
mod taken;

use std::fmt;
use std::future::poll_fn;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::limit::RateLimiter;
use crate::state::{State, Take, Ticket};
use crate::sync::{Clock, Mutex};
pub use builder::Builder;
pub use taken::Taken;

/// Items of a queue: anything that can be compared and sent to workers. They are cloned freely, so use a key or an
/// `Arc`.
pub trait Item: Clone + Eq + Hash + Send + 'static {}

impl<T: Clone + Eq + Hash + Send + 'static> Item for T {}

/// When an item is added.
///
/// ```
/// use rhumb_queue::{Queue, When};
/// use std::time::Duration;
///
/// let queue = Queue::new();
/// queue.add_with("a", When::After(Duration::from_secs(3600)), 0);
/// queue.add_with("b", When::Now, -100);
/// assert_eq!(queue.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At once.
    Now,
    /// After a delay.
    After(Duration),
    /// After the delay of the queue's [`RateLimiter`].
    RateLimited,
}

/// Work queue, shared by producers and workers: clones are the same queue.
///
/// - An item that is added again before a worker took it is there once.
/// - An item that a worker has is given to nobody else. If it is added meanwhile it comes back once, when the worker
///   is done.
/// - Items of higher priority come first. Within a priority the order is that of adding, or of falling due. An item
///   that is added again with a higher priority is raised to it.
/// - Workers are served in the order in which they asked.
///
/// ```
/// use rhumb_queue::Queue;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let queue = Queue::new();
/// queue.add("web");
/// let web = queue.get().await.unwrap();
/// queue.add("web");
/// assert_eq!(queue.len(), 0); // One worker at a time.
/// drop(web);
/// assert_eq!(queue.len(), 1);
/// # }
/// ```
pub struct Queue<T: Item> {
    shared: Arc<Shared<T>>,
}

struct Shared<T: Item> {
    state: Mutex<State<T, Waker>>,
    limiter: Mutex<Box<dyn RateLimiter<T>>>,
    clock: Clock,
}

impl<T: Item> Shared<T> {
    /// Changes the state and then, outside the lock, wakes those whom the change concerns.
    fn change<R>(&self, change: impl FnOnce(&mut State<T, Waker>) -> R) -> R {
        let (answer, to_ring) = {
            let mut state = self.state.lock();
            let answer = change(&mut state);
            (answer, state.take_bells())
        };
        to_ring.into_iter().for_each(Waker::wake);
        answer
    }
}

impl<T: Item> Queue<T> {
    /// Creates a queue without a name and metrics, with the [`default_limiter`](crate::default_limiter).
    pub fn new() -> Self {
        Queue::builder().build()
    }

    /// Creates a builder for a queue with a name, metrics or another limiter.
    pub fn builder() -> Builder<T> {
        Builder::default()
    }

    /// Adds an item. It has no effect if the item is waiting or the queue is shut down.
    pub fn add(&self, item: T) {
        self.add_with(item, When::Now, 0);
    }

    /// Adds an item after a delay. Of several delays of an item the earliest counts; a delayed item can be added
    /// earlier by other calls.
    ///
    /// ```
    /// # use rhumb_queue::Queue;
    /// # use std::time::Duration;
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let queue = Queue::new();
    /// queue.add_after("late", Duration::from_secs(60));
    /// queue.add_after("soon", Duration::from_secs(1));
    /// assert!(queue.is_empty());
    /// assert_eq!(*queue.get().await.unwrap(), "soon");
    /// # }
    /// ```
    pub fn add_after(&self, item: T, delay: Duration) {
        self.add_with(item, When::After(delay), 0);
    }

    /// Adds an item after the rate limiter's delay. Call [`forget`](Self::forget) when it is finally processed.
    pub fn add_rate_limited(&self, item: T) {
        self.add_with(item, When::RateLimited, 0);
    }

    /// Adds an item with a priority; other methods use priority 0.
    ///
    /// ```
    /// # use rhumb_queue::{Queue, When};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let queue = Queue::new();
    /// queue.add_with("resync", When::Now, -100);
    /// queue.add("event");
    /// assert_eq!(*queue.get().await.unwrap(), "event");
    /// assert_eq!(*queue.get().await.unwrap(), "resync");
    /// # }
    /// ```
    pub fn add_with(&self, item: T, when: When, priority: i32) {
        let now = self.shared.clock.now();
        let delay = match when {
            When::Now => return self.shared.change(|state| state.add(item, priority, now)),
            When::After(delay) => delay,
            When::RateLimited => self.shared.limiter.lock().when(&item, now),
        };
        self.shared.change(|state| state.add_after(item, delay, priority, now));
    }

    /// Forgets an item's failures in the rate limiter, because it was processed or given up.
    pub fn forget(&self, item: &T) {
        self.shared.limiter.lock().forget(item);
    }

    /// Returns the number of the item's failures in the limiter.
    pub fn num_requeues(&self, item: &T) -> u32 {
        self.shared.limiter.lock().num_requeues(item)
    }

    /// Waits for the next item. It belongs to the caller until the [`Taken`] is dropped. `None` means that the queue
    /// is shut down and empty, so the worker should end.
    ///
    /// It can be dropped while it waits; nothing is lost by that.
    pub async fn get(&self) -> Option<Taken<T>> {
        let mut place = InLine { shared: &self.shared, ticket: None };
        let mut timer = None;
        poll_fn(|cx| {
            loop {
                let until = match place.take(cx) {
                    Take::Item { item, priority } => {
                        return Poll::Ready(Some(Taken::new(self.clone(), item, priority)));
                    }
                    Take::Closed => return Poll::Ready(None),
                    Take::Wait { until, .. } => until,
                };
                let Some(until) = until else {
                    timer = None;
                    return Poll::Pending;
                };
                let sleep = match &mut timer {
                    Some(sleep) => sleep,
                    None => timer.insert(Box::pin(self.shared.clock.sleep_until(until))),
                };
                if sleep.deadline() != until {
                    *sleep = Box::pin(self.shared.clock.sleep_until(until));
                }
                match Pin::new(sleep).poll(cx) {
                    Poll::Ready(()) => timer = None,
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await
    }

    /// Returns the number of ready items, for display: it may have changed when the caller reads it.
    pub fn len(&self) -> usize {
        let now = self.shared.clock.now();
        self.shared.change(|state| state.ready(now))
    }

    /// Reports whether [`len`](Self::len) is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shuts the queue down: it accepts no items and drops delayed ones. Waiting items are still returned; after them
    /// [`get`](Self::get) returns `None`.
    pub fn shut_down(&self) {
        let now = self.shared.clock.now();
        self.shared.change(|state| state.shut_down(now));
    }

    /// Shuts down, and waits until everything that is there was handed out and given back. It needs workers that go
    /// on until [`get`](Self::get) answers `None`. A [`shut_down`](Self::shut_down) ends the waiting.
    ///
    /// ```
    /// # use rhumb_queue::Queue;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let queue = Queue::new();
    /// queue.add(1);
    /// let one = queue.get().await.unwrap();
    /// tokio::spawn(async move { drop(one) });
    /// queue.shut_down_with_drain().await;
    /// assert!(queue.get().await.is_none());
    /// # }
    /// ```
    pub async fn shut_down_with_drain(&self) {
        let now = self.shared.clock.now();
        self.shared.change(|state| state.begin_drain(now));
        let mut drain = Drain { shared: &self.shared, ticket: None };
        poll_fn(|cx| drain.poll(cx)).await;
    }

    /// Reports whether the queue is shut down.
    pub fn is_shut_down(&self) -> bool {
        self.shared.change(|state| state.is_shut_down())
    }
}

/// Guard of a caller waiting in [`Queue::get`], who leaves the line on drop.
struct InLine<'a, T: Item> {
    shared: &'a Shared<T>,
    ticket: Option<Ticket>,
}

impl<T: Item> InLine<'_, T> {
    fn take(&mut self, cx: &Context<'_>) -> Take<T> {
        let now = self.shared.clock.now();
        let take = self.shared.change(|state| state.take(self.ticket, now, cx.waker().clone()));
        self.ticket = match take {
            Take::Wait { ticket, .. } => Some(ticket),
            Take::Item { .. } | Take::Closed => None,
        };
        take
    }
}

impl<T: Item> Drop for InLine<'_, T> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.shared.change(|state| state.leave(ticket));
        }
    }
}

/// Guard of a caller waiting in [`Queue::shut_down_with_drain`].
struct Drain<'a, T: Item> {
    shared: &'a Shared<T>,
    ticket: Option<u64>,
}

impl<T: Item> Drain<'_, T> {
    fn poll(&mut self, cx: &Context<'_>) -> Poll<()> {
        let over = self.shared.change(|state| state.drain(&mut self.ticket, cx.waker().clone()));
        if over { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl<T: Item> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.shared.change(|state| state.leave_drain(ticket));
        }
    }
}

impl<T: Item> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Queue { shared: Arc::clone(&self.shared) }
    }
}

impl<T: Item> Default for Queue<T> {
    fn default() -> Self {
        Queue::new()
    }
}

impl<T: Item> fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("len", &self.len()).finish_non_exhaustive()
    }
}
