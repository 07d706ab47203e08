//! Combined limiters.

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use super::RateLimiter;

/// The longest delay of several limiters, each of which counts all failures.
///
/// ```
/// use rhumb_queue::{Exponential, MaxOf, RateLimiter, TokenBucket};
/// use std::time::Duration;
/// use tokio::time::Instant;
///
/// let now = Instant::now();
/// let mut limiter = MaxOf::new()
///     .and(Exponential::new(Duration::from_secs(1), Duration::from_secs(60)))
///     .and(TokenBucket::new(0.1, 1));
/// assert_eq!(limiter.when(&"a", now), Duration::from_secs(1));
/// assert_eq!(limiter.when(&"b", now), Duration::from_secs(10));
/// ```
pub struct MaxOf<T> {
    limiters: Vec<Box<dyn RateLimiter<T>>>,
}

impl<T: 'static> MaxOf<T> {
    /// Creates a limiter without members, which delays nothing.
    pub fn new() -> Self {
        MaxOf { limiters: Vec::new() }
    }

    /// Adds a limiter.
    #[must_use]
    pub fn and(mut self, limiter: impl RateLimiter<T>) -> Self {
        self.limiters.push(Box::new(limiter));
        self
    }
}

impl<T: 'static> RateLimiter<T> for MaxOf<T> {
    fn when(&mut self, item: &T, now: Instant) -> Duration {
        self.limiters.iter_mut().map(|limiter| limiter.when(item, now)).max().unwrap_or_default()
    }

    fn forget(&mut self, item: &T) {
        self.limiters.iter_mut().for_each(|limiter| limiter.forget(item));
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.limiters.iter().map(|limiter| limiter.num_requeues(item)).max().unwrap_or(0)
    }
}

impl<T: 'static> Default for MaxOf<T> {
    fn default() -> Self {
        MaxOf::new()
    }
}

impl<T> fmt::Debug for MaxOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaxOf").field("limiters", &self.limiters.len()).finish()
    }
}

/// Limits the delay of another limiter.
///
/// ```
/// use rhumb_queue::{RateLimiter, TokenBucket, WithMaxWait};
/// use std::time::Duration;
/// use tokio::time::Instant;
///
/// let now = Instant::now();
/// let mut limiter = WithMaxWait::new(TokenBucket::new(0.001, 1), Duration::from_secs(30));
/// assert_eq!(limiter.when(&"a", now), Duration::ZERO);
/// assert_eq!(limiter.when(&"b", now), Duration::from_secs(30));
/// ```
#[derive(Clone, Debug)]
pub struct WithMaxWait<L> {
    limiter: L,
    max: Duration,
}

impl<L> WithMaxWait<L> {
    /// Limits the delays of `limiter` to `max`.
    pub fn new(limiter: L, max: Duration) -> Self {
        WithMaxWait { limiter, max }
    }
}

impl<T, L: RateLimiter<T>> RateLimiter<T> for WithMaxWait<L> {
    fn when(&mut self, item: &T, now: Instant) -> Duration {
        self.limiter.when(item, now).min(self.max)
    }

    fn forget(&mut self, item: &T) {
        self.limiter.forget(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.limiter.num_requeues(item)
    }
}
