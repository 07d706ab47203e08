//! What controllers and elections do, counted and told as Prometheus reads it, under the names that controller-runtime
//! and client-go have for it.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

/// The upper ends of the buckets for how long functions take, in milliseconds.
const BUCKETS: [u32; 40] = [
    5, 10, 25, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 800, 900, 1_000, 1_250, 1_500,
    1_750, 2_000, 2_500, 3_000, 3_500, 4_000, 4_500, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 15_000,
    20_000, 25_000, 30_000, 40_000, 50_000, 60_000,
];

/// The numbers of any number of controllers, their queues, and elections, each under its name. Copies of it are the
/// same numbers.
///
/// | name | what |
/// |---|---|
/// | `controller_runtime_active_workers` | functions that are at work |
/// | `controller_runtime_max_concurrent_reconciles` | how many may be |
/// | `controller_runtime_reconcile_errors_total` | calls that failed |
/// | `controller_runtime_reconcile_panics_total` | those of them that panicked |
/// | `controller_runtime_reconcile_time_seconds` | how long calls took |
/// | `controller_runtime_reconcile_total` | calls by result: `error`, `requeue_after`, `success` |
/// | `leader_election_master_status` | 1 for who leads, 0 for who does not |
/// | `workqueue_…` | see [`rhumb_queue::Metrics`] |
///
/// ```
/// use rhumb_client::controller::Metrics;
///
/// let metrics = Metrics::default();
/// // `Controller::metrics(&metrics, "pods")` and `Election::metrics(&metrics, "lease")` fill it.
/// let text = metrics.render();
/// assert!(text.contains("# TYPE controller_runtime_reconcile_total counter\n"));
/// ```
#[derive(Clone, Default)]
pub struct Metrics {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    queues: rhumb_queue::Metrics,
    controllers: Mutex<BTreeMap<String, Arc<Calls>>>,
    elections: Mutex<BTreeMap<String, Arc<Leadership>>>,
}

/// The numbers of the controllers of one name.
pub(super) struct Calls {
    workers: AtomicI64,
    active: AtomicI64,
    errors: AtomicU64,
    requeues: AtomicU64,
    successes: AtomicU64,
    panics: AtomicU64,
    buckets: [AtomicU64; BUCKETS.len() + 1],
    nanoseconds: AtomicU64,
}

/// How a call of a function ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallResult {
    Error,
    RequeueAfter,
    Success,
}

/// Whether an election of a name is won.
#[derive(Default)]
pub(super) struct Leadership(AtomicI64);

impl Metrics {
    /// The numbers of queues, for those that no controller has.
    pub fn queues(&self) -> &rhumb_queue::Metrics {
        &self.shared.queues
    }

    pub(super) fn calls(&self, name: &str) -> Arc<Calls> {
        Arc::clone(self.shared.controllers.lock().entry(name.to_owned()).or_default())
    }

    pub(super) fn leadership(&self, name: &str) -> Arc<Leadership> {
        Arc::clone(self.shared.elections.lock().entry(name.to_owned()).or_default())
    }

    /// Everything as text.
    pub fn render(&self) -> String {
        let mut out = self.queues().render();
        let controllers = self.shared.controllers.lock();
        let mut numbers = |name: &str, kind: &str, help: &str, of: &dyn Fn(&Calls) -> String| {
            let name = format!("controller_runtime_{name}");
            head(&mut out, &name, kind, help);
            for (controller, calls) in controllers.iter() {
                let _ = writeln!(out, "{name}{{controller=\"{}\"}} {}", escaped(controller), of(calls));
            }
        };
        numbers("active_workers", "gauge", "Functions that are at work.", &|calls| {
            calls.active.load(Ordering::Relaxed).to_string()
        });
        numbers("max_concurrent_reconciles", "gauge", "Functions that may be at work.", &|calls| {
            calls.workers.load(Ordering::Relaxed).to_string()
        });
        numbers("reconcile_errors_total", "counter", "Calls that failed.", &|calls| {
            calls.of(CallResult::Error).to_string()
        });
        numbers("reconcile_panics_total", "counter", "Calls that panicked.", &|calls| {
            calls.panics.load(Ordering::Relaxed).to_string()
        });
        let (time, total) =
            ("controller_runtime_reconcile_time_seconds", "controller_runtime_reconcile_total");
        head(&mut out, time, "histogram", "How long calls took.");
        for (controller, calls) in controllers.iter() {
            calls.render_times(&mut out, time, &escaped(controller));
        }
        head(&mut out, total, "counter", "Calls by result.");
        for (controller, calls) in controllers.iter() {
            let controller = escaped(controller);
            for result in [CallResult::Error, CallResult::RequeueAfter, CallResult::Success] {
                let (name, count) = (result.name(), calls.of(result));
                let _ = writeln!(out, "{total}{{controller=\"{controller}\",result=\"{name}\"}} {count}");
            }
        }
        let status = "leader_election_master_status";
        head(&mut out, status, "gauge", "[ALPHA] 1 for who leads, 0 for who does not.");
        for (name, leadership) in self.shared.elections.lock().iter() {
            let leads = leadership.0.load(Ordering::Relaxed);
            let _ = writeln!(out, "{status}{{name=\"{}\"}} {leads}", escaped(name));
        }
        out
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics")
            .field("queues", &self.shared.queues)
            .field("controllers", &self.shared.controllers.lock().keys())
            .field("elections", &self.shared.elections.lock().keys())
            .finish()
    }
}

impl CallResult {
    fn name(self) -> &'static str {
        match self {
            CallResult::Error => "error",
            CallResult::RequeueAfter => "requeue_after",
            CallResult::Success => "success",
        }
    }
}

impl Default for Calls {
    fn default() -> Self {
        Calls {
            workers: AtomicI64::new(0),
            active: AtomicI64::new(0),
            errors: AtomicU64::new(0),
            requeues: AtomicU64::new(0),
            successes: AtomicU64::new(0),
            panics: AtomicU64::new(0),
            buckets: [const { AtomicU64::new(0) }; BUCKETS.len() + 1],
            nanoseconds: AtomicU64::new(0),
        }
    }
}

impl Calls {
    /// So many functions may be at work.
    pub(super) fn set_workers(&self, workers: usize) {
        self.workers.store(i64::try_from(workers).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// A function is at work until what this gives is dropped, also when it is dropped itself.
    pub(super) fn begin(self: &Arc<Self>) -> AtWork {
        self.active.fetch_add(1, Ordering::Relaxed);
        AtWork(Arc::clone(self))
    }

    /// A call ended so, after so much time.
    pub(super) fn ended(&self, result: CallResult, panicked: bool, took: Duration) {
        self.counter(result).fetch_add(1, Ordering::Relaxed);
        self.panics.fetch_add(u64::from(panicked), Ordering::Relaxed);
        let place = BUCKETS.partition_point(|end| Duration::from_millis(u64::from(*end)) < took);
        if let Some(bucket) = self.buckets.get(place) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    fn of(&self, result: CallResult) -> u64 {
        self.counter(result).load(Ordering::Relaxed)
    }

    fn counter(&self, result: CallResult) -> &AtomicU64 {
        match result {
            CallResult::Error => &self.errors,
            CallResult::RequeueAfter => &self.requeues,
            CallResult::Success => &self.successes,
        }
    }

    fn render_times(&self, out: &mut String, metric: &str, controller: &str) {
        let mut total = 0u64;
        let ends =
            BUCKETS.iter().map(|end| (f64::from(*end) / 1000.0).to_string()).chain(["+Inf".to_owned()]);
        for (count, end) in self.buckets.iter().zip(ends) {
            total = total.saturating_add(count.load(Ordering::Relaxed));
            let _ = writeln!(out, "{metric}_bucket{{controller=\"{controller}\",le=\"{end}\"}} {total}");
        }
        let seconds = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)).as_secs_f64();
        let _ = writeln!(out, "{metric}_sum{{controller=\"{controller}\"}} {seconds}");
        let _ = writeln!(out, "{metric}_count{{controller=\"{controller}\"}} {total}");
    }
}

/// A function at work.
pub(super) struct AtWork(Arc<Calls>);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.active.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Leadership {
    pub(super) fn set(&self, leads: bool) {
        self.0.store(i64::from(leads), Ordering::Relaxed);
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
