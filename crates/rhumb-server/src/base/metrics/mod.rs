//! `/metrics`: what the server counts about itself, under the names that dashboards for Kubernetes look for.
//!
//! A request costs a hash and a few atomic additions; texts are made when somebody asks.

mod process;
mod reloads;

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::RwLock;
use rhumb_metrics::{Histogram, Kind, Text, labels};

use super::version;
pub use reloads::Reloads;

/// The upper ends of the buckets of durations, in seconds.
const BUCKETS: &[f64] = &[
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0,
    20.0, 30.0, 45.0, 60.0,
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
    authentication_config: Reloads,
}

impl Metrics {
    /// Counts a request that was answered.
    pub fn record(&self, labels: RequestLabels<'_>, code: u16, duration: Duration) {
        let answered = self.answered.entry(labels);
        answered.count(code);
        answered.took.observe_duration(duration);
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

    /// The file of `--authentication-config`.
    pub fn authentication_config(&self) -> &Reloads {
        &self.authentication_config
    }

    /// Everything as text.
    pub fn render(&self) -> String {
        let mut text = Text::with_capacity(16 * 1024);
        self.authentication_config.render("apiserver_authentication_config_controller", &mut text);
        self.render_requests(&mut text);
        self.render_objects(&mut text);
        let build = labels(&[
            ("build_date", ""),
            ("compiler", "rustc"),
            ("git_commit", ""),
            ("git_tree_state", ""),
            ("git_version", version::GIT_VERSION),
            ("go_version", ""),
            ("major", "1"),
            ("minor", "36"),
            ("platform", &version::platform()),
        ]);
        let help = "[BETA] The version that is spoken, as labels.";
        text.family("kubernetes_build_info", Kind::Gauge, help).sample(&build, 1);
        process::render(&mut text);
        text.into_string()
    }

    fn render_requests(&self, text: &mut Text) {
        let help = "[STABLE] Requests that are being answered.";
        let mut family = text.family("apiserver_current_inflight_requests", Kind::Gauge, help);
        for (kind, count) in [("mutating", &self.mutating), ("readOnly", &self.reading)] {
            family.sample(&labels(&[("request_kind", kind)]), count.load(Ordering::Relaxed));
        }
        let help = "[STABLE] Requests without an end of their own, such as watches.";
        let mut family = text.family("apiserver_longrunning_requests", Kind::Gauge, help);
        for (labels, count) in self.long_running.sorted() {
            family.sample(&labels.text(None, Dry::Untold), count.load(Ordering::Relaxed));
        }
        let help = "[STABLE] How long requests took to answer.";
        let mut family = text.family("apiserver_request_duration_seconds", Kind::Histogram, help);
        let answered = self.answered.sorted();
        for (labels, answered) in &answered {
            family.histogram(&labels.text(None, Dry::Told), &answered.took);
        }
        let help = "[STABLE] Requests that were answered.";
        let mut family = text.family("apiserver_request_total", Kind::Counter, help);
        for (labels, answered) in &answered {
            for (code, count) in answered.counts() {
                family.sample(&labels.text(Some(code), Dry::Told), count);
            }
        }
    }

    fn render_objects(&self, text: &mut Text) {
        let counts = self.objects.read().as_ref().map(|count| count()).unwrap_or_default();
        let help = "[ALPHA] How many objects are stored.";
        let mut family = text.family("apiserver_resource_objects", Kind::Gauge, help);
        for (group, resource, count) in &counts {
            family.sample(&labels(&[("group", group), ("resource", resource)]), count);
        }
        let help = "[STABLE] How many objects are stored, under the older name.";
        let mut family = text.family("apiserver_storage_objects", Kind::Gauge, help);
        for (group, resource, count) in &counts {
            let dot = if group.is_empty() { "" } else { "." };
            family.sample(&labels(&[("resource", &format!("{resource}{dot}{group}"))]), count);
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
        let all = [
            ("code", code.as_deref()),
            ("component", Some(self.component.as_str())),
            ("dry_run", (dry == Dry::Told).then_some(self.dry_run.as_str())),
            ("group", Some(&self.group)),
            ("resource", Some(&self.resource)),
            ("scope", Some(&self.scope)),
            ("subresource", Some(&self.subresource)),
            ("verb", Some(&self.verb)),
            ("version", Some(&self.version)),
        ];
        let told: Vec<_> = all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        labels(&told)
    }
}

/// The requests of a series that were answered.
struct Answered {
    took: Histogram,
    /// How many were answered with each status.
    codes: RwLock<Vec<(u16, AtomicU64)>>,
}

impl Default for Answered {
    fn default() -> Self {
        Answered { took: Histogram::new(BUCKETS), codes: RwLock::default() }
    }
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
