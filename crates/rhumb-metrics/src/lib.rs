//! Metrics as Prometheus reads them: [`Histogram`]s, and the [`Text`] of everything that is counted.
//!
//! Who counts keeps atomic numbers of its own, in whatever finds them fastest on the way of a request; here is what
//! all of them share. The crate `prometheus-client` is not used for two reasons. It writes OpenMetrics, which differs
//! in what scrapers and dashboards compare: buckets end at `1.0` and not at `1`, and the text needs a mark at its end.
//! And it finds a series by labels of its own, which for each request of an API server would be eight new strings.
//!
//! ```
//! use rhumb_metrics::{Kind, Text, labels};
//!
//! let mut text = Text::default();
//! let mut depth = text.family("workqueue_depth", Kind::Gauge, "Items that wait.");
//! depth.sample(&labels(&[("name", "pods")]), 3);
//! assert_eq!(
//!     text.into_string(),
//!     "# HELP workqueue_depth Items that wait.\n# TYPE workqueue_depth gauge\nworkqueue_depth{name=\"pods\"} 3\n"
//! );
//! ```

mod histogram;
mod text;

pub use histogram::Histogram;
pub use text::{Family, Kind, Text, labels};
