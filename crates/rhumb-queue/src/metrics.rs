//! Queue metrics in the Prometheus text format, named as in client-go.

mod histogram;

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;

use histogram::Histogram;

/// Metrics of any number of queues by name. Clones share their values.
///
/// | name | what |
/// |---|---|
/// | `workqueue_adds_total` | items added, without those that were waiting already |
/// | `workqueue_depth` | items that wait |
/// | `workqueue_longest_running_processor_seconds` | how long the item that was taken first has been worked on |
/// | `workqueue_queue_duration_seconds` | how long items waited |
/// | `workqueue_retries_total` | items added for later, or rate limited |
/// | `workqueue_unfinished_work_seconds` | how long all items that are taken have been worked on |
/// | `workqueue_work_duration_seconds` | how long items were worked on |
///
/// ```
/// use rhumb_queue::{Metrics, Queue};
///
/// let metrics = Metrics::default();
/// let queue = Queue::builder().metrics(&metrics, "pods").build();
/// queue.add("a");
/// queue.add("b");
/// queue.add("a");
/// let text = metrics.render();
/// assert!(text.contains("# TYPE workqueue_adds_total counter\nworkqueue_adds_total{name=\"pods\"} 2\n"));
/// ```
#[derive(Clone, Default)]
pub struct Metrics {
    queues: Arc<Mutex<BTreeMap<String, Arc<Series>>>>,
}

impl Metrics {
    /// Returns the numbers of the queues of one name. They stay when the queues are gone.
    pub(crate) fn series(&self, name: &str) -> Arc<Series> {
        let mut queues = self.queues.lock();
        match queues.get(name) {
            Some(series) => Arc::clone(series),
            None => Arc::clone(queues.entry(name.to_owned()).or_default()),
        }
    }

    /// Formats all metrics.
    pub fn render(&self) -> String {
        // The queues are asked without the lock, because they take their own.
        let queues: Vec<(String, Arc<Series>)> =
            self.queues.lock().iter().map(|(name, series)| (escaped(name), Arc::clone(series))).collect();
        let unfinished: Vec<(Duration, Duration)> =
            queues.iter().map(|(_, series)| series.unfinished()).collect();
        let mut out = String::with_capacity(queues.len() * 4096);
        let mut numbers = |name: &str, kind: &str, help: &str, value: &dyn Fn(usize, &Series) -> String| {
            head(&mut out, name, kind, help);
            for (place, (queue, series)) in queues.iter().enumerate() {
                let _ = writeln!(out, "{name}{{name=\"{queue}\"}} {}", value(place, series));
            }
        };
        let seconds = |of: fn(&(Duration, Duration)) -> Duration, place: usize| {
            unfinished.get(place).map(of).unwrap_or_default().as_secs_f64().to_string()
        };
        numbers("workqueue_adds_total", "counter", "[BETA] Items that were added.", &|_, series| {
            series.adds.load(Ordering::Relaxed).to_string()
        });
        numbers("workqueue_depth", "gauge", "[BETA] Items that wait.", &|_, series| {
            series.depth.load(Ordering::Relaxed).to_string()
        });
        numbers(
            "workqueue_longest_running_processor_seconds",
            "gauge",
            "[BETA] How long the item that was taken first has been worked on.",
            &|place, _| seconds(|(_, longest)| *longest, place),
        );
        numbers(
            "workqueue_retries_total",
            "counter",
            "[BETA] Items that were added for later.",
            &|_, series| series.retries.load(Ordering::Relaxed).to_string(),
        );
        numbers(
            "workqueue_unfinished_work_seconds",
            "gauge",
            "[BETA] How long all items that are taken have been worked on. If it grows without end, workers hang.",
            &|place, _| seconds(|(total, _)| *total, place),
        );
        head(&mut out, histogram::WAITED, "histogram", "[BETA] How long items waited.");
        for (name, series) in &queues {
            series.waited.render(&mut out, histogram::WAITED, name);
        }
        head(&mut out, histogram::WORKED, "histogram", "[BETA] How long items were worked on.");
        for (name, series) in &queues {
            series.worked.render(&mut out, histogram::WORKED, name);
        }
        out
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("queues", &self.queues.lock().keys()).finish()
    }
}

/// Reports how long taken items have been processed: the total and the longest.
pub(crate) trait Unfinished: Send + Sync {
    fn unfinished(&self) -> (Duration, Duration);
}

/// Metrics of the queues of one name.
#[derive(Default)]
pub(crate) struct Series {
    depth: AtomicI64,
    adds: AtomicU64,
    retries: AtomicU64,
    waited: Histogram,
    worked: Histogram,
    queues: Mutex<Vec<Weak<dyn Unfinished>>>,
}

impl Series {
    /// Registers a queue for its unfinished work.
    pub(crate) fn watch(&self, queue: Weak<dyn Unfinished>) {
        let mut queues = self.queues.lock();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(queue);
    }

    pub(crate) fn added(&self) {
        self.adds.fetch_add(1, Ordering::Relaxed);
        self.depth.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn handed_out(&self, waited: Duration) {
        self.depth.fetch_sub(1, Ordering::Relaxed);
        self.waited.observe(waited);
    }

    pub(crate) fn worked(&self, worked: Duration) {
        self.worked.observe(worked);
    }

    pub(crate) fn retried(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    fn unfinished(&self) -> (Duration, Duration) {
        let queues: Vec<Arc<dyn Unfinished>> = self.queues.lock().iter().filter_map(Weak::upgrade).collect();
        queues.iter().map(|queue| queue.unfinished()).fold(
            Default::default(),
            |(total, longest), (sum, max)| {
                (Duration::saturating_add(total, sum), Duration::max(longest, max))
            },
        )
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
