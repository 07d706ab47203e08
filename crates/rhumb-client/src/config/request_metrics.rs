//! Request metrics in the Prometheus text format, named as in Kubernetes' components.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rhumb_metrics::{Histogram, Kind, Text, labels};

/// Upper bounds of the buckets for durations, in seconds.
const SECONDS: &[f64] = &[0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0];
/// Upper bounds of the buckets for sizes, in bytes.
const BYTES: &[f64] = &[
    64.0,
    256.0,
    512.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
];

/// Request metrics by verb and host, shared by any number of clients. Clones share their values;
/// [`Config::metrics`](super::Config::metrics) sets them for a client.
///
/// | name | what |
/// |---|---|
/// | `rest_client_request_duration_seconds` | how long requests took, tries and waiting included; no watches |
/// | `rest_client_rate_limiter_duration_seconds` | how long they waited for the client's rate limit |
/// | `rest_client_request_size_bytes` | how large the bodies were that were sent |
/// | `rest_client_response_size_bytes` | how large the bodies were that came, decompressed |
/// | `rest_client_requests_total` | tries by HTTP status, or `<error>` |
/// | `rest_client_request_retries_total` | those of them that were not the first |
///
/// ```
/// use rhumb_client::config::RequestMetrics;
///
/// let metrics = RequestMetrics::default();
/// assert!(metrics.render().contains("# TYPE rest_client_requests_total counter\n"));
/// ```
#[derive(Clone, Default)]
pub struct RequestMetrics(Arc<Mutex<Numbers>>);

/// Series by their labels.
#[derive(Default)]
struct Numbers {
    durations: BTreeMap<String, Histogram>,
    waits: BTreeMap<String, Histogram>,
    sent: BTreeMap<String, Histogram>,
    received: BTreeMap<String, Histogram>,
    results: BTreeMap<String, u64>,
    retries: BTreeMap<String, u64>,
}

/// Returns a verb and a host.
fn series(verb: &str, host: &str) -> String {
    labels(&[("host", host), ("verb", verb)])
}

impl RequestMetrics {
    /// Records the duration of a request.
    pub(crate) fn took(&self, verb: &str, host: &str, duration: Duration) {
        let mut numbers = self.0.lock();
        observe(&mut numbers.durations, SECONDS, series(verb, host), duration.as_secs_f64());
    }

    /// Records how long a request waited for the client's rate limit.
    pub(crate) fn waited(&self, verb: &str, host: &str, duration: Duration) {
        let mut numbers = self.0.lock();
        observe(&mut numbers.waits, SECONDS, series(verb, host), duration.as_secs_f64());
    }

    /// Records the size of a request body.
    pub(crate) fn sent(&self, verb: &str, host: &str, bytes: usize) {
        observe(&mut self.0.lock().sent, BYTES, series(verb, host), to_f64(bytes));
    }

    /// Records the size of a response body.
    pub(crate) fn received(&self, verb: &str, host: &str, bytes: usize) {
        observe(&mut self.0.lock().received, BYTES, series(verb, host), to_f64(bytes));
    }

    /// Records an attempt with its HTTP status, or without a response.
    pub(crate) fn tried(&self, verb: &str, host: &str, code: Option<u16>, is_retry: bool) {
        let code = code.map_or_else(|| "<error>".to_owned(), |code| code.to_string());
        let mut numbers = self.0.lock();
        let result = labels(&[("code", &code), ("host", host), ("method", verb)]);
        *numbers.results.entry(result).or_default() += 1;
        if is_retry {
            let retry = labels(&[("code", &code), ("host", host), ("verb", verb)]);
            *numbers.retries.entry(retry).or_default() += 1;
        }
    }

    /// Formats all metrics.
    pub fn render(&self) -> String {
        let numbers = self.0.lock();
        let mut text = Text::default();
        for (name, help, series) in [
            ("rate_limiter_duration_seconds", "How long requests waited for the rate limit.", &numbers.waits),
            ("request_duration_seconds", "How long requests took.", &numbers.durations),
            ("request_size_bytes", "How large the bodies were that were sent.", &numbers.sent),
            ("response_size_bytes", "How large the bodies were that came.", &numbers.received),
        ] {
            let name = format!("rest_client_{name}");
            let mut family = text.family(&name, Kind::Histogram, &format!("[ALPHA] {help}"));
            series.iter().for_each(|(labels, histogram)| family.histogram(labels, histogram));
        }
        for (name, help, series) in [
            ("rest_client_request_retries_total", "Tries that were not the first.", &numbers.retries),
            ("rest_client_requests_total", "Tries by HTTP status.", &numbers.results),
        ] {
            let mut family = text.family(name, Kind::Counter, &format!("[ALPHA] {help}"));
            series.iter().for_each(|(labels, count)| family.sample(labels, count));
        }
        text.into_string()
    }
}

impl fmt::Debug for RequestMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestMetrics").field("results", &self.0.lock().results).finish_non_exhaustive()
    }
}

fn observe(series: &mut BTreeMap<String, Histogram>, ends: &'static [f64], labels: String, value: f64) {
    series.entry(labels).or_insert_with(|| Histogram::new(ends)).observe(value);
}

fn to_f64(bytes: usize) -> f64 {
    u32::try_from(bytes).map_or(f64::from(u32::MAX), f64::from)
}
