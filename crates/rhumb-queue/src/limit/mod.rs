//! Rate limiters for retries.
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

/// Delays retries of items.
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
    /// Counts a failure of the item and returns its delay from now.
    fn when(&mut self, item: &T, now: Instant) -> Duration;

    /// Forgets the item's failures, because it was processed or given up.
    fn forget(&mut self, item: &T);

    /// Returns the number of failures of the item since it was last forgotten.
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

/// Returns the usual rate limiter of controllers: a per-item delay that doubles from 5 ms to 1000 s, and at most 10
/// retries per second in total after a burst of 100.
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
