//! `/metrics`: what the server counts about itself, under the names that dashboards for Kubernetes look for.
//!
//! A request costs a hash and a few atomic additions; texts are made when somebody asks.

mod process;

use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::RwLock;

use super::version;

/// The upper ends of the buckets of durations, in milliseconds, and how they are written.
const BUCKETS: [(u64, &str); 23] = [
    (5, "0.005"),
    (25, "0.025"),
    (50, "0.05"),
    (100, "0.1"),
    (200, "0.2"),
    (400, "0.4"),
    (600, "0.6"),
    (800, "0.8"),
    (1_000, "1"),
    (1_250, "1.25"),
    (1_500, "1.5"),
    (2_000, "2"),
    (3_000, "3"),
    (4_000, "4"),
    (5_000, "5"),
    (6_000, "6"),
    (8_000, "8"),
    (10_000, "10"),
    (15_000, "15"),
    (20_000, "20"),
    (30_000, "30"),
    (45_000, "45"),
    (60_000, "60"),
];

/// What a request is counted under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RequestLabels<'a> {
    /// The verb as metrics write it: `GET`, `LIST`, `WATCH`, `POST`, `PUT`, `PATCH`, `APPLY`, `DELETE`, …
    pub verb: &'a str,
    /// The group; empty for the core group.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The resource.
    pub resource: &'a str,
    /// The subresource, or the path of something that is no resource.
    pub subresource: &'a str,
    /// What it reaches: `resource` for one object, `namespace`, `cluster`, or empty.
    pub scope: &'a str,
    /// `All` for a dry run.
    pub dry_run: &'a str,
    /// Which part of the server answered: `apiserver`, or empty for paths that are no API.
    pub component: &'a str,
}

/// How many objects a resource has: its group, its name, their number.
pub type ObjectCounts = Vec<(String, String, usize)>;
type CountObjects = Box<dyn Fn() -> ObjectCounts + Send + Sync>;

/// Whether a request changes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// It reads.
    ReadOnly,
    /// It may change something.
    Mutating,
}

/// Everything that is counted.
#[derive(Default)]
pub struct Metrics {
    answered: Table<Answered>,
    long_running: Table<AtomicI64>,
    reading: Arc<AtomicI64>,
    mutating: Arc<AtomicI64>,
    objects: RwLock<Option<CountObjects>>,
}

impl Metrics {
    /// Counts a request that was answered.
    pub fn record(&self, labels: RequestLabels<'_>, code: u16, duration: Duration) {
        let answered = self.answered.entry(labels);
        answered.count(code);
        answered.took.observe(duration);
    }

    /// Counts a request that goes on until somebody ends it, such as a watch, for as long as what this gives lives.
    pub fn begin_long_running(&self, labels: RequestLabels<'_>) -> Gauge {
        Gauge::begin(self.long_running.entry(labels))
    }

    /// Counts a request for as long as what this gives lives.
    pub fn begin(&self, kind: RequestKind) -> Gauge {
        Gauge::begin(Arc::clone(match kind {
            RequestKind::ReadOnly => &self.reading,
            RequestKind::Mutating => &self.mutating,
        }))
    }

    /// Says how to count the objects of every resource.
    pub fn count_objects_by(&self, count: impl Fn() -> ObjectCounts + Send + Sync + 'static) {
        *self.objects.write() = Some(Box::new(count));
    }

    /// Everything as text.
    pub fn render(&self) -> String {
        let mut out = String::with_capacity(16 * 1024);
        self.render_requests(&mut out);
        self.render_objects(&mut out);
        head(&mut out, "kubernetes_build_info", "gauge", "[BETA] The version that is spoken, as labels.");
        let _ = writeln!(
            out,
            "kubernetes_build_info{{build_date=\"\",compiler=\"rustc\",git_commit=\"\",git_tree_state=\"\",\
             git_version=\"{}\",go_version=\"\",major=\"1\",minor=\"36\",platform=\"{}\"}} 1",
            version::GIT_VERSION,
            version::platform()
        );
        process::render(&mut out);
        out
    }

    fn render_requests(&self, out: &mut String) {
        head(
            out,
            "apiserver_current_inflight_requests",
            "gauge",
            "[STABLE] Requests that are being answered.",
        );
        for (kind, count) in [("mutating", &self.mutating), ("readOnly", &self.reading)] {
            let count = count.load(Ordering::Relaxed);
            let _ = writeln!(out, "apiserver_current_inflight_requests{{request_kind=\"{kind}\"}} {count}");
        }
        head(
            out,
            "apiserver_longrunning_requests",
            "gauge",
            "[STABLE] Requests without an end of their own, such as watches.",
        );
        for (labels, count) in self.long_running.sorted() {
            let labels = labels.text(None, Dry::Untold);
            let _ =
                writeln!(out, "apiserver_longrunning_requests{{{labels}}} {}", count.load(Ordering::Relaxed));
        }
        head(
            out,
            "apiserver_request_duration_seconds",
            "histogram",
            "[STABLE] How long requests took to answer.",
        );
        let answered = self.answered.sorted();
        for (labels, answered) in &answered {
            answered.took.render(out, &labels.text(None, Dry::Told));
        }
        head(out, "apiserver_request_total", "counter", "[STABLE] Requests that were answered.");
        for (labels, answered) in &answered {
            for (code, count) in answered.counts() {
                let labels = labels.text(Some(code), Dry::Told);
                let _ = writeln!(out, "apiserver_request_total{{{labels}}} {count}");
            }
        }
    }

    fn render_objects(&self, out: &mut String) {
        let counts = self.objects.read().as_ref().map(|count| count()).unwrap_or_default();
        head(out, "apiserver_resource_objects", "gauge", "[ALPHA] How many objects are stored.");
        for (group, resource, count) in &counts {
            let (group, resource) = (escaped(group), escaped(resource));
            let _ = writeln!(
                out,
                "apiserver_resource_objects{{group=\"{group}\",resource=\"{resource}\"}} {count}"
            );
        }
        head(
            out,
            "apiserver_storage_objects",
            "gauge",
            "[STABLE] How many objects are stored, under the older name.",
        );
        for (group, resource, count) in &counts {
            let dot = if group.is_empty() { "" } else { "." };
            let _ = writeln!(
                out,
                "apiserver_storage_objects{{resource=\"{}{dot}{}\"}} {count}",
                escaped(resource),
                escaped(group)
            );
        }
    }
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

/// Something that is going on and is counted until this is dropped.
#[derive(Debug)]
pub struct Gauge {
    count: Arc<AtomicI64>,
}

impl Gauge {
    fn begin(count: Arc<AtomicI64>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Gauge { count }
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The labels of a series, in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Labels {
    component: String,
    dry_run: String,
    group: String,
    resource: String,
    scope: String,
    subresource: String,
    verb: String,
    version: String,
}

impl From<RequestLabels<'_>> for Labels {
    fn from(labels: RequestLabels<'_>) -> Self {
        Labels {
            component: labels.component.to_owned(),
            dry_run: labels.dry_run.to_owned(),
            group: labels.group.to_owned(),
            resource: labels.resource.to_owned(),
            scope: labels.scope.to_owned(),
            subresource: labels.subresource.to_owned(),
            verb: labels.verb.to_owned(),
            version: labels.version.to_owned(),
        }
    }
}

/// Whether the label about dry runs is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dry {
    Told,
    Untold,
}

impl Labels {
    fn is(&self, other: RequestLabels<'_>) -> bool {
        let own = RequestLabels {
            verb: &self.verb,
            group: &self.group,
            version: &self.version,
            resource: &self.resource,
            subresource: &self.subresource,
            scope: &self.scope,
            dry_run: &self.dry_run,
            component: &self.component,
        };
        own == other
    }

    fn text(&self, code: Option<u16>, dry: Dry) -> String {
        let code = code.map(|code| code.to_string());
        [
            ("code", code.as_deref()),
            ("component", Some(self.component.as_str())),
            ("dry_run", (dry == Dry::Told).then_some(self.dry_run.as_str())),
            ("group", Some(&self.group)),
            ("resource", Some(&self.resource)),
            ("scope", Some(&self.scope)),
            ("subresource", Some(&self.subresource)),
            ("verb", Some(&self.verb)),
            ("version", Some(&self.version)),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}=\"{}\"", escaped(value?))))
        .collect::<Vec<_>>()
        .join(",")
    }
}

/// The requests of a series that were answered.
#[derive(Default)]
struct Answered {
    took: Histogram,
    /// How many were answered with each status.
    codes: RwLock<Vec<(u16, AtomicU64)>>,
}

impl Answered {
    fn count(&self, code: u16) {
        let add = |codes: &[(u16, AtomicU64)]| {
            let known = codes.iter().find(|(known, _)| *known == code);
            known.map(|(_, count)| count.fetch_add(1, Ordering::Relaxed)).is_some()
        };
        if add(&self.codes.read()) {
            return;
        }
        let mut codes = self.codes.write();
        if !add(&codes) {
            codes.push((code, AtomicU64::new(1)));
        }
    }

    /// The statuses with their counts, in order.
    fn counts(&self) -> Vec<(u16, u64)> {
        let load = |(code, count): &(u16, AtomicU64)| (*code, count.load(Ordering::Relaxed));
        let mut counts: Vec<(u16, u64)> = self.codes.read().iter().map(load).collect();
        counts.sort_unstable();
        counts
    }
}

/// How long requests took.
#[derive(Default)]
struct Histogram {
    /// How many fell into each bucket, and behind the last.
    counts: [AtomicU64; BUCKETS.len() + 1],
    nanoseconds: AtomicU64,
}

impl Histogram {
    fn observe(&self, duration: Duration) {
        let place = BUCKETS
            .iter()
            .position(|(end, _)| duration <= Duration::from_millis(*end))
            .unwrap_or(BUCKETS.len());
        if let Some(count) = self.counts.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.nanoseconds.fetch_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn render(&self, out: &mut String, labels: &str) {
        let mut total = 0u64;
        let ends = BUCKETS.iter().map(|(_, end)| *end).chain(["+Inf"]);
        for (count, end) in self.counts.iter().zip(ends) {
            total = total.saturating_add(count.load(Ordering::Relaxed));
            let _ =
                writeln!(out, "apiserver_request_duration_seconds_bucket{{{labels},le=\"{end}\"}} {total}");
        }
        let seconds = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)).as_secs_f64();
        let _ = writeln!(out, "apiserver_request_duration_seconds_sum{{{labels}}} {seconds}");
        let _ = writeln!(out, "apiserver_request_duration_seconds_count{{{labels}}} {total}");
    }
}

/// Series by the hash of their labels.
type Series<V> = HashMap<u64, Vec<(Labels, Arc<V>)>>;

/// Series by their labels. They are found by the hash of borrowed ones, so that only the first request of a series
/// allocates.
struct Table<V> {
    hasher: RandomState,
    series: RwLock<Series<V>>,
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Table { hasher: RandomState::new(), series: RwLock::default() }
    }
}

impl<V: Default> Table<V> {
    fn entry(&self, labels: RequestLabels<'_>) -> Arc<V> {
        let hash = self.hasher.hash_one(labels);
        let find = |series: &Series<V>| {
            series.get(&hash)?.iter().find(|(kept, _)| kept.is(labels)).map(|(_, value)| Arc::clone(value))
        };
        if let Some(found) = find(&self.series.read()) {
            return found;
        }
        let mut series = self.series.write();
        if let Some(found) = find(&series) {
            return found;
        }
        let value = Arc::new(V::default());
        series.entry(hash).or_default().push((Labels::from(labels), Arc::clone(&value)));
        value
    }

    fn sorted(&self) -> Vec<(Labels, Arc<V>)> {
        let mut all: Vec<_> = self.series.read().values().flatten().cloned().collect();
        all.sort_by(|(left, _), (right, _)| left.cmp(right));
        all
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_in_buckets_and_in_total() {
        let metrics = Metrics::default();
        let labels = RequestLabels {
            verb: "GET",
            version: "v1",
            resource: "pods",
            scope: "resource",
            component: "apiserver",
            ..RequestLabels::default()
        };
        metrics.record(labels, 200, Duration::from_millis(5));
        metrics.record(labels, 200, Duration::from_secs(100));
        metrics.record(labels, 404, Duration::from_millis(30));
        let watch = metrics.begin_long_running(RequestLabels { verb: "WATCH", ..labels });
        metrics.count_objects_by(|| vec![("apps".to_owned(), "deployments".to_owned(), 3)]);
        let text = metrics.render();
        let series = "component=\"apiserver\",dry_run=\"\",group=\"\",resource=\"pods\",scope=\"resource\",\
                      subresource=\"\",verb=\"GET\",version=\"v1\"";
        for line in [
            format!("apiserver_request_total{{code=\"200\",{series}}} 2"),
            format!("apiserver_request_total{{code=\"404\",{series}}} 1"),
            format!("apiserver_request_duration_seconds_bucket{{{series},le=\"0.005\"}} 1"),
            format!("apiserver_request_duration_seconds_bucket{{{series},le=\"0.05\"}} 2"),
            format!("apiserver_request_duration_seconds_bucket{{{series},le=\"+Inf\"}} 3"),
            format!("apiserver_request_duration_seconds_sum{{{series}}} 100.035"),
            "apiserver_storage_objects{resource=\"deployments.apps\"} 3".to_owned(),
            "apiserver_resource_objects{group=\"apps\",resource=\"deployments\"} 3".to_owned(),
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\nis not in\n{text}");
        }
        assert!(text.contains("verb=\"WATCH\",version=\"v1\"} 1\n"));
        drop(watch);
        assert!(metrics.render().contains("verb=\"WATCH\",version=\"v1\"} 0\n"));
    }
}
