//! Histograms of durations.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Metric of the time that items wait.
pub(super) const WAITED: &str = "workqueue_queue_duration_seconds";
/// Metric of the time that items are processed.
pub(super) const WORKED: &str = "workqueue_work_duration_seconds";

/// Upper bounds of buckets in nanoseconds, and in seconds as Go prints its products of ten.
const BUCKETS: [(u64, &str); 12] = [
    (10, "1e-08"),
    (100, "1e-07"),
    (1_000, "1e-06"),
    (10_000, "9.999999999999999e-06"),
    (100_000, "9.999999999999999e-05"),
    (1_000_000, "0.001"),
    (10_000_000, "0.01"),
    (100_000_000, "0.1"),
    (1_000_000_000, "1"),
    (10_000_000_000, "10"),
    (100_000_000_000, "100"),
    (1_000_000_000_000, "1000"),
];

/// Counts per bucket and their sum.
#[derive(Default)]
pub(super) struct Histogram {
    counts: [AtomicU64; BUCKETS.len() + 1],
    nanoseconds: AtomicU64,
}

impl Histogram {
    pub(super) fn observe(&self, duration: Duration) {
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        let place = BUCKETS.partition_point(|(end, _)| *end < nanoseconds);
        if let Some(count) = self.counts.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    pub(super) fn render(&self, out: &mut String, metric: &str, name: &str) {
        let mut total = 0u64;
        let ends = BUCKETS.iter().map(|(_, end)| *end).chain(["+Inf"]);
        for (count, end) in self.counts.iter().zip(ends) {
            total = total.saturating_add(count.load(Ordering::Relaxed));
            let _ = writeln!(out, "{metric}_bucket{{name=\"{name}\",le=\"{end}\"}} {total}");
        }
        let seconds = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)).as_secs_f64();
        let _ = writeln!(out, "{metric}_sum{{name=\"{name}\"}} {seconds}");
        let _ = writeln!(out, "{metric}_count{{name=\"{name}\"}} {total}");
    }
}
