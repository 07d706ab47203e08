//! Values counted in buckets.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often values fell into each bucket, and their sum.
#[derive(Debug)]
pub struct Histogram {
    /// The upper ends of the buckets; all that is above falls into one more.
    ends: &'static [f64],
    counts: Box<[AtomicU64]>,
    /// The bits of the sum.
    sum: AtomicU64,
}

impl Histogram {
    /// A histogram with buckets that have these upper ends, the lowest first.
    pub fn new(ends: &'static [f64]) -> Self {
        let counts = (0..=ends.len()).map(|_| AtomicU64::new(0)).collect();
        Histogram { ends, counts, sum: AtomicU64::new(0f64.to_bits()) }
    }

    /// Counts a value.
    pub fn observe(&self, value: f64) {
        let place = self.ends.partition_point(|end| *end < value);
        if let Some(count) = self.counts.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let add = |bits| Some((f64::from_bits(bits) + value).to_bits());
        // It can't fail: there always is a next value.
        let _ = self.sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Counts a duration, in seconds.
    pub fn observe_duration(&self, duration: Duration) {
        self.observe(duration.as_secs_f64());
    }

    /// How many values are not above the end of each bucket; the last is without end and has all of them.
    pub(crate) fn cumulated(&self) -> impl Iterator<Item = (f64, u64)> {
        let ends = self.ends.iter().copied().chain([f64::INFINITY]);
        let counts = self.counts.iter().scan(0u64, |total, count| {
            *total = total.saturating_add(count.load(Ordering::Relaxed));
            Some(*total)
        });
        ends.zip(counts)
    }

    pub(crate) fn sum(&self) -> f64 {
        f64::from_bits(self.sum.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Text};

    #[test]
    fn values_fall_into_buckets_by_their_upper_ends() {
        let histogram = Histogram::new(&[0.25, 1.0, 10.0]);
        for value in [0.25, 0.5, 1.0, 10.0, 11.0] {
            histogram.observe(value);
        }
        let mut text = Text::default();
        text.family("m", Kind::Histogram, "h").histogram("a=\"b\"", &histogram);
        let out = text.into_string();
        let out = out.strip_prefix("# HELP m h\n# TYPE m histogram\n").unwrap();
        let expect = "m_bucket{a=\"b\",le=\"0.25\"} 1\nm_bucket{a=\"b\",le=\"1\"} 3\nm_bucket{a=\"b\",le=\"10\"} 4\n\
                      m_bucket{a=\"b\",le=\"+Inf\"} 5\nm_sum{a=\"b\"} 22.75\nm_count{a=\"b\"} 5\n";
        assert_eq!(out, expect);
    }

    #[test]
    fn durations_count_in_seconds() {
        let histogram = Histogram::new(&[0.005]);
        histogram.observe_duration(Duration::from_millis(5));
        histogram.observe_duration(Duration::from_secs(100));
        assert_eq!(histogram.cumulated().collect::<Vec<_>>(), [(0.005, 1), (f64::INFINITY, 2)]);
        assert_eq!(histogram.sum(), 100.005);
    }
}
