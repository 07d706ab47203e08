//! Backoff between attempts.

use std::time::Duration;

use tokio::time::Instant;

/// Exponential backoff with a cap and jitter, so that clients don't reconnect at the same time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BackoffPolicy {
    /// The first wait.
    pub first: Duration,
    /// Waits don't grow beyond this. With jitter they may still be longer.
    pub longest: Duration,
    /// Factor by which each delay grows.
    pub factor: f64,
    /// A wait is made longer by a random part of itself, up to this.
    pub jitter: f64,
    /// Time without delays after which the backoff restarts.
    pub reset_after: Duration,
}

impl Default for BackoffPolicy {
    /// Returns the default: 0.8 s to 30 s, doubling, with up to 100 % jitter, reset after two minutes.
    fn default() -> Self {
        BackoffPolicy {
            first: Duration::from_millis(800),
            longest: Duration::from_secs(30),
            factor: 2.0,
            jitter: 1.0,
            reset_after: Duration::from_secs(120),
        }
    }
}

/// State of a [`BackoffPolicy`].
#[derive(Debug)]
pub(crate) struct Backoff {
    policy: BackoffPolicy,
    next: Duration,
    last: Option<Instant>,
}

impl Backoff {
    pub(crate) fn new(policy: BackoffPolicy) -> Self {
        Backoff { next: policy.first, policy, last: None }
    }

    /// Returns the next delay.
    pub(crate) fn step(&mut self, now: Instant, chance: &mut fastrand::Rng) -> Duration {
        if self.last.is_some_and(|last| now.duration_since(last) > self.policy.reset_after) {
            self.next = self.policy.first;
        }
        self.last = Some(now);
        let base = self.next.min(self.policy.longest);
        self.next = scaled(base, self.policy.factor.max(1.0)).min(self.policy.longest);
        scaled(base, 1.0 + chance.f64() * self.policy.jitter.max(0.0))
    }
}

/// Returns a duration times a factor, bounded where it would not fit.
fn scaled(duration: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_double_up_to_the_bound_and_begin_anew_after_quiet() {
        let mut chance = fastrand::Rng::with_seed(1);
        let mut backoff = Backoff::new(BackoffPolicy { jitter: 0.0, ..BackoffPolicy::default() });
        let mut now = Instant::now();
        let mut waits = Vec::new();
        for _ in 0..8 {
            let wait = backoff.step(now, &mut chance);
            now += wait;
            waits.push(wait.as_millis());
        }
        assert_eq!(waits, [800, 1600, 3200, 6400, 12800, 25600, 30000, 30000]);
        now += Duration::from_secs(121);
        assert_eq!(backoff.step(now, &mut chance).as_millis(), 800);
    }

    #[tokio::test(start_paused = true)]
    async fn jitter_makes_a_wait_up_to_twice_as_long() {
        let mut chance = fastrand::Rng::with_seed(7);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..100 {
            let wait = Backoff::new(BackoffPolicy::default()).step(Instant::now(), &mut chance);
            assert!((800..=1600).contains(&wait.as_millis()), "{wait:?}");
            seen.insert(wait);
        }
        assert!(seen.len() > 50);
    }
}
