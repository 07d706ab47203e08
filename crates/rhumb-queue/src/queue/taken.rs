//! `Taken`: an item being processed.

use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use super::{Item, Queue, When};

/// An item taken by a worker. No other worker gets the item before it is dropped, which also happens when the worker
/// panics or is aborted.
///
/// ```
/// use rhumb_queue::Queue;
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let queue = Queue::new();
/// queue.add("web");
/// let item = queue.get().await.unwrap();
/// item.retry(); // It failed, and comes back a little later.
/// let item = queue.get().await.unwrap();
/// assert_eq!(queue.num_requeues(&item), 1);
/// item.finish(); // It went well, and its failures are forgotten.
/// assert_eq!(queue.num_requeues(&"web"), 0);
/// # }
/// ```
#[must_use = "the item is given back when this is dropped"]
pub struct Taken<T: Item> {
    queue: Queue<T>,
    item: T,
    priority: i32,
}

impl<T: Item> Taken<T> {
    pub(super) fn new(queue: Queue<T>, item: T, priority: i32) -> Self {
        Taken { queue, item, priority }
    }

    /// Returns the highest priority with which the item was added.
    pub fn priority(&self) -> i32 {
        self.priority
    }

    /// Returns the item's queue.
    pub fn queue(&self) -> &Queue<T> {
        &self.queue
    }

    /// Gives the item back, like dropping it.
    pub fn done(self) {}

    /// Gives the item back and forgets its failures, after success.
    pub fn finish(self) {
        self.queue.forget(&self.item);
    }

    /// Gives the item back and adds it again with its priority, after the rate limiter's delay.
    pub fn retry(self) {
        self.queue.add_with(self.item.clone(), When::RateLimited, self.priority);
    }

    /// Gives the item back, forgets its failures, and adds it again with its priority after a delay.
    pub fn retry_after(self, delay: Duration) {
        self.queue.forget(&self.item);
        self.queue.add_with(self.item.clone(), When::After(delay), self.priority);
    }
}

impl<T: Item> Deref for Taken<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item
    }
}

impl<T: Item> Drop for Taken<T> {
    fn drop(&mut self) {
        let shared = &self.queue.shared;
        let now = shared.clock.now();
        shared.change(|state| state.done(&self.item, now));
    }
}

impl<T: Item + fmt::Debug> fmt::Debug for Taken<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Taken").field("item", &self.item).field("priority", &self.priority).finish()
    }
}
