//! Prometheus histograms.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of values per bucket, and their sum.
pub(crate) struct Histogram {
    /// The upper ends of the buckets; all that is above falls into one more.
    ends: &'static [f64],
    counts: Box<[AtomicU64]>,
    /// The bits of the sum.
    sum: AtomicU64,
}

impl Histogram {
    pub(crate) fn new(ends: &'static [f64]) -> Self {
        let counts = (0..=ends.len()).map(|_| AtomicU64::new(0)).collect();
        Histogram { ends, counts, sum: AtomicU64::new(0f64.to_bits()) }
    }

    pub(crate) fn observe(&self, value: f64) {
        let place = self.ends.partition_point(|end| *end < value);
        if let Some(count) = self.counts.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let add = |bits| Some((f64::from_bits(bits) + value).to_bits());
        // It can't fail: there always is a next value.
        let _ = self.sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Writes the lines of a series with its labels, `name="value",…`.
    pub(crate) fn render(&self, out: &mut String, metric: &str, labels: &str) {
        let mut total = 0u64;
        let ends = self.ends.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
        for (count, end) in self.counts.iter().zip(ends) {
            total = total.saturating_add(count.load(Ordering::Relaxed));
            let _ = writeln!(out, "{metric}_bucket{{{labels},le=\"{end}\"}} {total}");
        }
        let sum = f64::from_bits(self.sum.load(Ordering::Relaxed));
        let _ = writeln!(out, "{metric}_sum{{{labels}}} {sum}");
        let _ = writeln!(out, "{metric}_count{{{labels}}} {total}");
    }
}

/// Writes the two header lines of a metric.
pub(crate) fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// Returns a label's value as it stands between quotes.
pub(crate) fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fall_into_buckets_by_their_upper_ends() {
        let histogram = Histogram::new(&[0.25, 1.0, 10.0]);
        for value in [0.25, 0.5, 1.0, 10.0, 11.0] {
            histogram.observe(value);
        }
        let mut out = String::new();
        histogram.render(&mut out, "m", "a=\"b\"");
        let expect = "m_bucket{a=\"b\",le=\"0.25\"} 1\nm_bucket{a=\"b\",le=\"1\"} 3\nm_bucket{a=\"b\",le=\"10\"} 4\n\
                      m_bucket{a=\"b\",le=\"+Inf\"} 5\nm_sum{a=\"b\"} 22.75\nm_count{a=\"b\"} 5\n";
        assert_eq!(out, expect);
    }
}
