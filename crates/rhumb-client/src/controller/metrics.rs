//! Metrics of controllers and elections in the Prometheus text format, named as in controller-runtime and client-go.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rhumb_metrics::{Histogram, Kind, Text, labels};

/// Upper bounds of the buckets for durations of reconciliations, in seconds.
const BUCKETS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25,
    1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0,
    50.0, 60.0,
];

/// Metrics of any number of controllers, queues and elections, by name. Clones share their values.
///
/// | name | what |
/// |---|---|
/// | `controller_runtime_active_workers` | functions that are at work |
/// | `controller_runtime_max_concurrent_reconciles` | how many may be |
/// | `controller_runtime_reconcile_errors_total` | calls that failed |
/// | `controller_runtime_reconcile_panics_total` | those of them that panicked |
/// | `controller_runtime_reconcile_time_seconds` | how long calls took |
/// | `controller_runtime_reconcile_total` | calls by result: `error`, `requeue_after`, `success` |
/// | `controller_runtime_terminal_reconcile_errors_total` | calls that failed for good |
/// | `leader_election_master_status` | 1 for who leads, 0 for who does not |
/// | `leader_election_slowpath_total` | renewals that had to read the lease first |
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

/// Metrics of the controllers of one name.
pub(super) struct Calls {
    workers: AtomicI64,
    active: AtomicI64,
    errors: AtomicU64,
    requeues: AtomicU64,
    successes: AtomicU64,
    panics: AtomicU64,
    terminal: AtomicU64,
    times: Histogram,
}

/// Result of a reconciliation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallResult {
    Error,
    RequeueAfter,
    Success,
}

/// Whether an election is won, and how often the lease had to be read before it was renewed.
#[derive(Default)]
pub(super) struct Leadership {
    leads: AtomicI64,
    slow_paths: AtomicU64,
}

impl Metrics {
    /// Returns the metrics of queues, for queues without a controller.
    pub fn queues(&self) -> &rhumb_queue::Metrics {
        &self.shared.queues
    }

    pub(super) fn calls(&self, name: &str) -> Arc<Calls> {
        Arc::clone(self.shared.controllers.lock().entry(name.to_owned()).or_default())
    }

    pub(super) fn leadership(&self, name: &str) -> Arc<Leadership> {
        Arc::clone(self.shared.elections.lock().entry(name.to_owned()).or_default())
    }

    /// Formats all metrics.
    pub fn render(&self) -> String {
        let mut text = Text::from(self.queues().render());
        let controllers = self.shared.controllers.lock();
        let mut numbers = |name: &str, kind: Kind, help: &str, of: &dyn Fn(&Calls) -> String| {
            let name = format!("controller_runtime_{name}");
            let mut family = text.family(&name, kind, help);
            for (controller, calls) in controllers.iter() {
                family.sample(&labels(&[("controller", controller)]), of(calls));
            }
        };
        numbers("active_workers", Kind::Gauge, "Functions that are at work.", &|calls| {
            calls.active.load(Ordering::Relaxed).to_string()
        });
        numbers("max_concurrent_reconciles", Kind::Gauge, "Functions that may be at work.", &|calls| {
            calls.workers.load(Ordering::Relaxed).to_string()
        });
        numbers("reconcile_errors_total", Kind::Counter, "Calls that failed.", &|calls| {
            calls.of(CallResult::Error).to_string()
        });
        numbers("reconcile_panics_total", Kind::Counter, "Calls that panicked.", &|calls| {
            calls.panics.load(Ordering::Relaxed).to_string()
        });
        numbers("terminal_reconcile_errors_total", Kind::Counter, "Calls that failed for good.", &|calls| {
            calls.terminal.load(Ordering::Relaxed).to_string()
        });
        let time = "controller_runtime_reconcile_time_seconds";
        let mut family = text.family(time, Kind::Histogram, "How long calls took.");
        for (controller, calls) in controllers.iter() {
            family.histogram(&labels(&[("controller", controller)]), &calls.times);
        }
        let total = "controller_runtime_reconcile_total";
        let mut family = text.family(total, Kind::Counter, "Calls by result.");
        for (controller, calls) in controllers.iter() {
            for result in [CallResult::Error, CallResult::RequeueAfter, CallResult::Success] {
                let labels = labels(&[("controller", controller), ("result", result.name())]);
                family.sample(&labels, calls.of(result));
            }
        }
        let elections = self.shared.elections.lock();
        let status = "leader_election_master_status";
        let mut family = text.family(status, Kind::Gauge, "[ALPHA] 1 for who leads, 0 for who does not.");
        for (name, leadership) in elections.iter() {
            family.sample(&labels(&[("name", name)]), leadership.leads.load(Ordering::Relaxed));
        }
        let slow = "leader_election_slowpath_total";
        let mut family =
            text.family(slow, Kind::Counter, "[ALPHA] Renewals that had to read the lease first.");
        for (name, leadership) in elections.iter() {
            family.sample(&labels(&[("name", name)]), leadership.slow_paths.load(Ordering::Relaxed));
        }
        text.into_string()
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
            terminal: AtomicU64::new(0),
            times: Histogram::new(BUCKETS),
        }
    }
}

impl Calls {
    /// Sets the maximum number of concurrent reconciliations.
    pub(super) fn set_workers(&self, workers: usize) {
        self.workers.store(i64::try_from(workers).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// Records a running reconciliation until the guard is dropped, also on cancellation.
    pub(super) fn begin(self: &Arc<Self>) -> AtWork {
        self.active.fetch_add(1, Ordering::Relaxed);
        AtWork(Arc::clone(self))
    }

    /// Records the result and duration of a reconciliation.
    pub(super) fn ended(&self, result: CallResult, panicked: bool, took: Duration) {
        self.counter(result).fetch_add(1, Ordering::Relaxed);
        self.panics.fetch_add(u64::from(panicked), Ordering::Relaxed);
        self.times.observe_duration(took);
    }

    /// Records a terminal error.
    pub(super) fn was_terminal(&self) {
        self.terminal.fetch_add(1, Ordering::Relaxed);
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
}

/// Guard of a running reconciliation.
pub(super) struct AtWork(Arc<Calls>);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.active.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Leadership {
    pub(super) fn set(&self, leads: bool) {
        self.leads.store(i64::from(leads), Ordering::Relaxed);
    }

    /// Records that the lease had to be read before it was renewed.
    pub(super) fn took_slow_path(&self) {
        self.slow_paths.fetch_add(1, Ordering::Relaxed);
    }
}
