//! Per-item limiters.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::RateLimiter;
use crate::queue::Item;

/// Failures by item.
#[derive(Clone, Debug)]
struct Failures<T>(HashMap<T, u32>);

impl<T: Item> Failures<T> {
    /// Counts one more, and says how many there were before.
    fn count(&mut self, item: &T) -> u32 {
        match self.0.get_mut(item) {
            Some(count) => {
                let before = *count;
                *count = before.saturating_add(1);
                before
            }
            None => {
                self.0.insert(item.clone(), 1);
                0
            }
        }
    }

    fn of(&self, item: &T) -> u32 {
        self.0.get(item).copied().unwrap_or(0)
    }
}

/// Exponential backoff per item, up to a maximum.
///
/// ```
/// use rhumb_queue::{Exponential, RateLimiter};
/// use std::time::Duration;
/// use tokio::time::Instant;
///
/// let now = Instant::now();
/// let mut limiter = Exponential::new(Duration::from_millis(1), Duration::from_millis(3));
/// let waits: Vec<u128> = (0..4).map(|_| limiter.when(&"a", now).as_millis()).collect();
/// assert_eq!(waits, [1, 2, 3, 3]);
/// ```
#[derive(Clone, Debug)]
pub struct Exponential<T> {
    base: Duration,
    max: Duration,
    failures: Failures<T>,
}

impl<T: Item> Exponential<T> {
    /// Creates a limiter whose delays start at `base` and end at `max`.
    pub fn new(base: Duration, max: Duration) -> Self {
        Exponential { base, max, failures: Failures(HashMap::new()) }
    }
}

impl<T: Item> RateLimiter<T> for Exponential<T> {
    fn when(&mut self, item: &T, _: Instant) -> Duration {
        let failures = self.failures.count(item);
        // Where this can't be computed it is more than anybody waits.
        let nanos = self.base.as_nanos().saturating_mul(2u128.saturating_pow(failures));
        u64::try_from(nanos).map_or(self.max, Duration::from_nanos).min(self.max)
    }

    fn forget(&mut self, item: &T) {
        self.failures.0.remove(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.failures.of(item)
    }
}

/// A short delay for an item's first failures, and a long one for others.
///
/// ```
/// use rhumb_queue::{FastSlow, RateLimiter};
/// use std::time::Duration;
/// use tokio::time::Instant;
///
/// let now = Instant::now();
/// let mut limiter = FastSlow::new(Duration::from_secs(1), Duration::from_secs(60), 2);
/// let waits: Vec<u64> = (0..4).map(|_| limiter.when(&"a", now).as_secs()).collect();
/// assert_eq!(waits, [1, 1, 60, 60]);
/// ```
#[derive(Clone, Debug)]
pub struct FastSlow<T> {
    fast: Duration,
    slow: Duration,
    fast_attempts: u32,
    failures: Failures<T>,
}

impl<T: Item> FastSlow<T> {
    /// Creates a limiter with a delay of `fast` for the first `fast_attempts` failures and `slow` for others.
    pub fn new(fast: Duration, slow: Duration, fast_attempts: u32) -> Self {
        FastSlow { fast, slow, fast_attempts, failures: Failures(HashMap::new()) }
    }
}

impl<T: Item> RateLimiter<T> for FastSlow<T> {
    fn when(&mut self, item: &T, _: Instant) -> Duration {
        if self.failures.count(item) < self.fast_attempts { self.fast } else { self.slow }
    }

    fn forget(&mut self, item: &T) {
        self.failures.0.remove(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.failures.of(item)
    }
}
