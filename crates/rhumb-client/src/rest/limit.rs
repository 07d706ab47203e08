//! Client-side rate limit.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// Token bucket. Each request takes a token; if there is none, it reserves the next one and waits, so that requests
/// keep their order.
pub(crate) struct Limiter {
    per_second: f64,
    burst: f64,
    state: Mutex<State>,
}

struct State {
    /// Below zero if requests are waiting.
    tokens: f64,
    /// Time of the last refill.
    at: Option<Instant>,
}

impl Limiter {
    /// Creates a full bucket. None if the rate is no positive number: then there is no limit.
    pub(crate) fn new(per_second: f64, burst: u32) -> Option<Self> {
        let burst = f64::from(burst.max(1));
        let state = Mutex::new(State { tokens: burst, at: None });
        (per_second > 0.0 && per_second.is_finite()).then_some(Limiter { per_second, burst, state })
    }

    /// Takes a token; comes back when it is there.
    pub(crate) async fn take(&self) {
        let wait = self.reserve(Instant::now());
        if wait.is_zero() {
            return;
        }
        let mut returning = Returning { limiter: self, armed: true };
        tokio::time::sleep(wait).await;
        returning.armed = false;
    }

    fn reserve(&self, now: Instant) -> Duration {
        let mut state = self.state.lock();
        let passed = state.at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        state.tokens = (state.tokens + passed.as_secs_f64() * self.per_second).min(self.burst) - 1.0;
        state.at = Some(now);
        let missing = (-state.tokens).max(0.0);
        Duration::try_from_secs_f64(missing / self.per_second).unwrap_or(Duration::MAX)
    }
}

/// Guard that returns the token if its waiter is dropped.
struct Returning<'a> {
    limiter: &'a Limiter,
    armed: bool,
}

impl Drop for Returning<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.limiter.state.lock().tokens += 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_goes_at_once_and_the_rest_at_the_rate() {
        let limiter = Limiter::new(5.0, 3).unwrap();
        let start = Instant::now();
        let mut at = Vec::new();
        for _ in 0..6 {
            limiter.take().await;
            at.push((Instant::now() - start).as_millis() / 10 * 10);
        }
        assert_eq!(at, [0, 0, 0, 200, 400, 600]);
        tokio::time::sleep(Duration::from_secs(60)).await;
        let start = Instant::now();
        for _ in 0..3 {
            limiter.take().await;
        }
        assert_eq!(start, Instant::now(), "the bucket is full again, and no fuller than the burst");
        limiter.take().await;
        assert!(Instant::now() - start >= Duration::from_millis(199));
    }

    #[tokio::test(start_paused = true)]
    async fn who_goes_away_gives_the_token_back() {
        let limiter = Limiter::new(1.0, 1).unwrap();
        limiter.take().await;
        for _ in 0..10 {
            let _ = tokio::time::timeout(Duration::from_millis(1), limiter.take()).await;
        }
        let start = Instant::now();
        limiter.take().await;
        assert!(Instant::now() - start <= Duration::from_secs(1));
    }

    #[test]
    fn a_rate_that_is_none_is_no_limit() {
        assert!(Limiter::new(0.0, 10).is_none());
        assert!(Limiter::new(-1.0, 10).is_none());
        assert!(Limiter::new(f64::NAN, 10).is_none());
    }
}
