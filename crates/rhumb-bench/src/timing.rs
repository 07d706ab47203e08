//! Time of one call: the best of several rounds, because noise only adds.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Number of rounds.
const ROUNDS: usize = 12;
/// Duration of a round.
const ROUND: Duration = Duration::from_millis(60);

/// Returns the time of one call of a function, in nanoseconds.
pub(crate) fn nanoseconds<T>(mut call: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    black_box(call());
    let once = start.elapsed().max(Duration::from_nanos(20));
    let calls = (ROUND.as_nanos() / once.as_nanos()).clamp(1, 3_000_000) as u32;
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..calls {
            black_box(call());
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    best
}

/// Returns a time for people.
pub(crate) fn shown(nanoseconds: f64) -> String {
    if nanoseconds < 1_000.0 {
        format!("{nanoseconds:.0} ns")
    } else if nanoseconds < 1_000_000.0 {
        format!("{:.1} µs", nanoseconds / 1_000.0)
    } else {
        format!("{:.2} ms", nanoseconds / 1_000_000.0)
    }
}
