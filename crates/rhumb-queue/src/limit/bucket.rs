//! Token bucket for all items together.

use std::time::Duration;

use tokio::time::Instant;

use super::RateLimiter;

/// Delay of an item that never gets a token. The queue shortens it to what clocks can represent.
const NEVER: Duration = Duration::MAX;

/// Token bucket. Each item takes a token; if none is left, it reserves the next one and waits for it.
///
/// ```
/// use rhumb_queue::{RateLimiter, TokenBucket};
/// use std::time::Duration;
/// use tokio::time::Instant;
///
/// let now = Instant::now();
/// let mut limiter = TokenBucket::new(2.0, 1);
/// assert_eq!(limiter.when(&"a", now), Duration::ZERO);
/// assert_eq!(limiter.when(&"b", now), Duration::from_millis(500));
/// assert_eq!(limiter.when(&"c", now), Duration::from_millis(1000));
/// assert_eq!(limiter.when(&"d", now + Duration::from_secs(10)), Duration::ZERO);
/// ```
#[derive(Clone, Debug)]
pub struct TokenBucket {
    per_second: f64,
    burst: f64,
    /// Tokens at `last`; negative if future tokens are reserved.
    tokens: f64,
    last: Option<Instant>,
}

impl TokenBucket {
    /// Creates a full bucket of `burst` tokens with a refill rate of `qps` per second. Without a burst no item ever
    /// passes; with a rate of 0 or less, none after the burst.
    pub fn new(qps: f64, burst: u32) -> Self {
        let burst = f64::from(burst);
        TokenBucket { per_second: if qps > 0.0 { qps } else { 0.0 }, burst, tokens: burst, last: None }
    }

    /// Takes a token and returns how long it takes until it is available.
    pub fn reserve(&mut self, now: Instant) -> Duration {
        if self.burst < 1.0 {
            return NEVER;
        }
        self.fill(now);
        self.tokens -= 1.0;
        if self.tokens >= 0.0 {
            return Duration::ZERO;
        }
        let wait = Duration::try_from_secs_f64(-self.tokens / self.per_second).unwrap_or(NEVER);
        if wait == NEVER {
            // Nobody should wait for what never comes, nor make others wait for it.
            self.tokens += 1.0;
        }
        wait
    }

    /// Takes a token if one is available.
    ///
    /// ```
    /// use rhumb_queue::TokenBucket;
    /// use tokio::time::Instant;
    ///
    /// let now = Instant::now();
    /// let mut bucket = TokenBucket::new(1.0, 1);
    /// assert!(bucket.try_take(now));
    /// assert!(!bucket.try_take(now));
    /// ```
    pub fn try_take(&mut self, now: Instant) -> bool {
        self.fill(now);
        let there = self.tokens >= 1.0;
        if there {
            self.tokens -= 1.0;
        }
        there
    }

    fn fill(&mut self, now: Instant) {
        let since = self.last.map_or(Duration::ZERO, |last| now.saturating_duration_since(last));
        self.last = Some(self.last.map_or(now, |last| last.max(now)));
        self.tokens = (self.tokens + since.as_secs_f64() * self.per_second).min(self.burst);
    }
}

impl<T> RateLimiter<T> for TokenBucket {
    fn when(&mut self, _: &T, now: Instant) -> Duration {
        self.reserve(now)
    }

    fn forget(&mut self, _: &T) {}

    fn num_requeues(&self, _: &T) -> u32 {
        0
    }
}
