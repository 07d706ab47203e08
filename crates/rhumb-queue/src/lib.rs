//! Work queues for controllers: each item is processed once, in order.
//!
//! There is one kind of queue, [`Queue`]. An item that is added several times before it is worked on is worked on
//! once; an item that is added while it is worked on comes back once, and never is worked on twice at a time. Items
//! can be added for later, at a pace that a [`RateLimiter`] sets, and with a priority. Nothing here knows what the
//! items are: a controller puts the keys of its objects in, not the objects.
//!
//! ```
//! use rhumb_queue::Queue;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let queue = Queue::new();
//! queue.add("default/web");
//! queue.add("default/db");
//! queue.add("default/web"); // It is waiting already.
//!
//! let worker = tokio::spawn({
//!     let queue = queue.clone();
//!     async move {
//!         let mut seen = Vec::new();
//!         while let Some(item) = queue.get().await {
//!             seen.push(*item);
//!             // Dropping the item gives it back.
//!         }
//!         seen
//!     }
//! });
//! queue.shut_down_with_drain().await;
//! assert_eq!(worker.await.unwrap(), ["default/web", "default/db"]);
//! # }
//! ```
//!
//! # How it is made
//!
//! All rules stand in a state machine without locks, clocks or tasks (`state`), which is handed the time and says
//! whom to wake. [`Queue`] is that machine behind a lock. There is no background task: whoever waits in
//! [`Queue::get`] longest also waits for the next delayed item to fall due, and hands that duty on when it leaves.
//!
//! The unit tests of this crate are models: one walks every order in which a few actors can act on the state
//! machine and compares each step with a naive queue; the other runs the whole queue under `loom`, which tries
//! every interleaving of two threads, and of three every one with up to two interruptions. What needs a runtime is
//! tested from outside, in `tests/`.

mod limit;
mod metrics;
mod queue;
mod state;
mod sync;

#[cfg(test)]
mod model;

pub use limit::{Exponential, FastSlow, MaxOf, RateLimiter, TokenBucket, WithMaxWait, default_limiter};
pub use metrics::Metrics;
pub use queue::{Builder, Item, Queue, Taken, When};
