//! How fast items may come back.
//!
//! A limiter is handed the time and keeps no lock; the queue has it behind one.

mod bucket;
mod combined;
mod per_item;

use std::time::Duration;

use tokio::time::Instant;

use crate::queue::Item;
pub use bucket::TokenBucket;
pub use combined::{MaxOf, WithMaxWait};
pub use per_item::{Exponential, FastSlow};

/// Says how long an item has to wait before it may be added again.
///
/// ```
/// use rhumb_queue::{Queue, RateLimiter};
/// use std::time::Duration;
/// use tokio::time::Instant;
///
/// struct Always(Duration);
///
/// impl<T> RateLimiter<T> for Always {
///     fn when(&mut self, _: &T, _: Instant) -> Duration {
///         self.0
///     }
///     fn forget(&mut self, _: &T) {}
///     fn num_requeues(&self, _: &T) -> u32 {
///         0
///     }
/// }
///
/// let queue = Queue::builder().limiter(Always(Duration::from_secs(5))).build();
/// queue.add_rate_limited("a");
/// assert!(queue.is_empty());
/// ```
pub trait RateLimiter<T>: Send + 'static {
    /// How long the item has to wait from now. It counts as one more failure.
    fn when(&mut self, item: &T, now: Instant) -> Duration;

    /// The item was worked on, or given up: its failures don't count any more.
    fn forget(&mut self, item: &T);

    /// How often the item has failed since it was last forgotten.
    fn num_requeues(&self, item: &T) -> u32;
}

impl<T: 'static> RateLimiter<T> for Box<dyn RateLimiter<T>> {
    fn when(&mut self, item: &T, now: Instant) -> Duration {
        (**self).when(item, now)
    }

    fn forget(&mut self, item: &T) {
        (**self).forget(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        (**self).num_requeues(item)
    }
}

/// What controllers usually have: each item waits twice as long with every failure, from 5 ms to 1000 s, and all
/// together come back no faster than 10 per second after the first 100.
///
/// ```
/// use rhumb_queue::{RateLimiter, default_limiter};
/// use std::time::Duration;
/// use tokio::time::Instant;
///
/// let now = Instant::now();
/// let mut limiter = default_limiter();
/// assert_eq!(limiter.when(&"a", now), Duration::from_millis(5));
/// assert_eq!(limiter.when(&"a", now), Duration::from_millis(10));
/// assert_eq!(limiter.when(&"b", now), Duration::from_millis(5));
/// ```
pub fn default_limiter<T: Item>() -> MaxOf<T> {
    MaxOf::new()
        .and(Exponential::new(Duration::from_millis(5), Duration::from_secs(1000)))
        .and(TokenBucket::new(10.0, 100))
}
