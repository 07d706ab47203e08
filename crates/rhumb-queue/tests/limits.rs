//! The waits that limiters give, where the examples in the docs don't show them.

use std::time::Duration;

use rhumb_queue::{Exponential, FastSlow, MaxOf, RateLimiter, TokenBucket, WithMaxWait, default_limiter};
use tokio::time::Instant;

#[test]
fn doubling_stops_at_the_limit_and_never_overflows() {
    let now = Instant::now();
    for (base, max) in [
        (Duration::from_millis(1), Duration::from_secs(1000)),
        (Duration::from_secs(1), Duration::MAX),
        (Duration::MAX, Duration::MAX),
        (Duration::MAX, Duration::from_secs(1)),
    ] {
        let mut limiter = Exponential::new(base, max);
        let mut last = Duration::ZERO;
        for failures in 1..400 {
            let wait = limiter.when(&"a", now);
            assert!(wait >= last && wait <= max, "{wait:?} after {last:?}");
            last = wait;
            assert_eq!(limiter.num_requeues(&"a"), failures);
        }
        assert_eq!(last, max);
    }
}

#[test]
fn without_a_base_nothing_waits() {
    let mut limiter = Exponential::new(Duration::ZERO, Duration::from_secs(1));
    for _ in 0..200 {
        assert_eq!(limiter.when(&"a", Instant::now()), Duration::ZERO);
    }
}

#[test]
fn each_item_has_failures_of_its_own_until_it_is_forgotten() {
    let now = Instant::now();
    let mut limiter = FastSlow::new(Duration::from_millis(5), Duration::from_secs(10), 1);
    assert_eq!(limiter.when(&"a", now), Duration::from_millis(5));
    assert_eq!(limiter.when(&"a", now), Duration::from_secs(10));
    assert_eq!(limiter.when(&"b", now), Duration::from_millis(5));
    limiter.forget(&"a");
    assert_eq!(limiter.num_requeues(&"a"), 0);
    assert_eq!(limiter.when(&"a", now), Duration::from_millis(5));
    assert_eq!(limiter.num_requeues(&"b"), 1);
}

#[test]
fn a_bucket_fills_to_its_burst_and_no_further() {
    let now = Instant::now();
    let mut limiter = TokenBucket::new(10.0, 3);
    let later = now + Duration::from_secs(3600);
    let waits: Vec<u128> = (0..6).map(|_| limiter.when(&"a", later).as_millis()).collect();
    assert_eq!(waits, [0, 0, 0, 100, 200, 300]);
    // A quarter of a second gives back two and a half of the three tokens that were taken ahead.
    assert_eq!(limiter.when(&"a", later + Duration::from_millis(250)).as_millis(), 150);
}

#[test]
fn a_bucket_without_a_rate_or_a_burst_lets_nothing_through() {
    let now = Instant::now();
    assert_eq!(TokenBucket::new(5.0, 0).when(&"a", now), Duration::MAX);
    for rate in [0.0, -1.0, f64::NAN] {
        let mut limiter = TokenBucket::new(rate, 1);
        assert_eq!(limiter.when(&"a", now), Duration::ZERO);
        assert_eq!(limiter.when(&"a", now), Duration::MAX);
    }
}

#[test]
fn a_clock_that_goes_back_gives_no_tokens() {
    let now = Instant::now() + Duration::from_secs(60);
    let mut limiter = TokenBucket::new(1.0, 1);
    assert_eq!(limiter.when(&"a", now), Duration::ZERO);
    assert_eq!(limiter.when(&"a", now - Duration::from_secs(30)), Duration::from_secs(1));
    assert_eq!(limiter.when(&"a", now), Duration::from_secs(2));
}

#[test]
fn the_longest_of_several_waits_holds_and_all_of_them_count() {
    let now = Instant::now();
    let mut limiter = MaxOf::new()
        .and(Exponential::new(Duration::from_secs(1), Duration::from_secs(100)))
        .and(FastSlow::new(Duration::from_secs(3), Duration::from_secs(5), 2));
    let waits: Vec<u64> = (0..4).map(|_| limiter.when(&"a", now).as_secs()).collect();
    assert_eq!(waits, [3, 3, 5, 8]);
    assert_eq!(limiter.num_requeues(&"a"), 4);
    limiter.forget(&"a");
    assert_eq!(limiter.num_requeues(&"a"), 0);
}

#[test]
fn a_longest_wait_cuts_another_limiter() {
    let now = Instant::now();
    let inner = Exponential::new(Duration::from_secs(1), Duration::from_secs(100));
    let mut limiter = WithMaxWait::new(inner, Duration::from_secs(3));
    let waits: Vec<u64> = (0..4).map(|_| limiter.when(&"a", now).as_secs()).collect();
    assert_eq!(waits, [1, 2, 3, 3]);
    assert_eq!(limiter.num_requeues(&"a"), 4);
}

#[test]
fn the_usual_limiter_paces_a_flood() {
    let now = Instant::now();
    let mut limiter = default_limiter();
    let waits: Vec<Duration> = (0..103).map(|item| limiter.when(&item, now)).collect();
    assert!(waits[..100].iter().all(|wait| *wait == Duration::from_millis(5)));
    assert_eq!(waits[100..], [100, 200, 300].map(Duration::from_millis));
}
