//! Columns of autoscalers and scales.

use rhumb_api::autoscaling::v1::Scale;
use rhumb_api::autoscaling::v2::{
    HorizontalPodAutoscaler, MetricSpec, MetricStatus, MetricTarget, MetricValueStatus,
};
use rhumb_meta::Quantity;
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::{NONE, UNSET};

/// Maximum number of metrics shown.
const SHOWN: usize = 2;
const UNKNOWN: &str = "<unknown>";

impl Printed for HorizontalPodAutoscaler {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Reference", "What is scaled."),
        Column::text("Targets", "The metrics: their present values and those they should have."),
        Column::text("MinPods", "How many pods there are at least."),
        Column::text("MaxPods", "How many pods there are at most."),
        Column::text("Replicas", "How many pods there are."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let target = &self.spec.scale_target_ref;
        cells![
            self.metadata.name.as_str(),
            format!("{}/{}", target.kind, target.name),
            metrics(&self.spec.metrics, &self.status.current_metrics),
            self.spec.min_replicas.map_or_else(|| UNSET.to_owned(), |least| least.to_string()),
            self.spec.max_replicas,
            self.status.current_replicas,
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

fn metrics(specs: &[MetricSpec], statuses: &[MetricStatus]) -> String {
    if specs.is_empty() {
        return NONE.to_owned();
    }
    let none = MetricStatus::default();
    // The statuses stand in the order of the metrics, as far as they are known.
    let statuses = statuses.iter().chain(std::iter::repeat(&none));
    let shown: Vec<String> =
        specs.iter().zip(statuses).take(SHOWN).map(|(spec, status)| metric(spec, status)).collect();
    let text = shown.join(", ");
    match specs.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{text} + {more} more..."),
        _ => text,
    }
}

fn metric(spec: &MetricSpec, status: &MetricStatus) -> String {
    match spec.type_.as_str() {
        "External" => {
            let current = status.external.as_ref().map(|status| &status.current);
            spec.external.as_ref().map(|metric| value_or_average(&metric.target, current))
        }
        "Object" => {
            let current = status.object.as_ref().map(|status| &status.current);
            spec.object.as_ref().map(|metric| value_or_average(&metric.target, current))
        }
        "Pods" => {
            let current = status.pods.as_ref().map(|status| average(&status.current));
            let current = current.unwrap_or_else(|| UNKNOWN.to_owned());
            spec.pods.as_ref().map(|metric| format!("{current}/{}", shown(&metric.target.average_value)))
        }
        "Resource" => {
            let current = status.resource.as_ref().map(|status| &status.current);
            spec.resource.as_ref().map(|metric| resource(&metric.name, &metric.target, current))
        }
        "ContainerResource" => {
            let current = status.container_resource.as_ref().map(|status| &status.current);
            spec.container_resource.as_ref().map(|metric| resource(&metric.name, &metric.target, current))
        }
        _ => None,
    }
    .unwrap_or_else(|| "<unknown type>".to_owned())
}

/// Returns a metric whose target is either one value or an average over the pods.
fn value_or_average(target: &MetricTarget, current: Option<&MetricValueStatus>) -> String {
    if target.average_value.is_some() {
        let current = current.and_then(|current| current.average_value.as_ref());
        let current = current.map_or_else(|| UNKNOWN.to_owned(), Quantity::to_string);
        return format!("{current}/{} (avg)", shown(&target.average_value));
    }
    let current = current.map_or_else(|| UNKNOWN.to_owned(), |current| shown(&current.value));
    format!("{current}/{}", shown(&target.value))
}

/// A metric of a resource, whose target is either an amount or a share of what was requested.
fn resource(name: &str, target: &MetricTarget, current: Option<&MetricValueStatus>) -> String {
    if target.average_value.is_some() {
        let current = current.map_or_else(|| UNKNOWN.to_owned(), average);
        return format!("{name}: {current}/{}", shown(&target.average_value));
    }
    let percent = |share: Option<i32>, instead: &str| {
        share.map_or_else(|| instead.to_owned(), |share| format!("{share}%"))
    };
    let current = current.and_then(|current| current.average_utilization);
    format!("{name}: {}/{}", percent(current, UNKNOWN), percent(target.average_utilization, "<auto>"))
}

fn average(current: &MetricValueStatus) -> String {
    shown(&current.average_value)
}

/// Returns a quantity that may be absent. Go's printer writes a pointer to nothing so.
fn shown(quantity: &Option<Quantity>) -> String {
    quantity.as_ref().map_or_else(|| "<nil>".to_owned(), Quantity::to_string)
}

impl Printed for Scale {
    const COLUMNS: &'static [Column] = &[
        Column::text("Name", "The name of the object."),
        Column::integer("Desired", "How many pods there should be."),
        Column::integer("Available", "How many pods there are."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.spec.replicas,
            self.status.replicas,
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}
