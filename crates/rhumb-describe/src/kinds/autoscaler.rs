//! HorizontalPodAutoscalers, in both versions.

use rhumb_api::autoscaling::v2::{
    HPAScalingRules, MetricSpec, MetricStatus, MetricTarget, MetricValueStatus,
};
use rhumb_api::autoscaling::{v1, v2};
use rhumb_schema::text::quoted;

use super::{creation, heading};
use crate::Lines;
use crate::go_text::quantity;
use crate::parts::{Events, events};

const UNKNOWN: &str = "<unknown>";

/// Describes an autoscaler of `autoscaling/v2`.
pub fn autoscaler(out: &mut Lines, scaler: &v2::HorizontalPodAutoscaler, shown_events: Events<'_>) {
    let v2::HorizontalPodAutoscaler { metadata, spec, status, .. } = scaler;
    let target = &spec.scale_target_ref;
    heading(out, metadata);
    creation(out, metadata);
    out.field(0, "Reference", format_args!("{}/{}", target.kind, target.name));
    out.field(0, "Metrics", "( current / target )");
    for (index, metric) in spec.metrics.iter().enumerate() {
        let line = metric_text(metric, status.current_metrics.get(index));
        out.line(1, line);
    }
    replicas(out, spec.min_replicas, spec.max_replicas);
    if let Some(behavior) = &spec.behavior {
        out.line(0, "Behavior:");
        scaling_rules(out, "Scale Up", behavior.scale_up.as_deref());
        scaling_rules(out, "Scale Down", behavior.scale_down.as_deref());
    }
    pods(out, &target.kind, status.current_replicas, status.desired_replicas);
    if !status.conditions.is_empty() {
        out.line(0, "Conditions:");
        out.row(1, &[&"Type", &"Status", &"Reason", &"Message"]);
        out.row(1, &[&"----", &"------", &"------", &"-------"]);
    }
    for condition in &status.conditions {
        out.row(1, &[&condition.type_, &condition.status, &condition.reason, &condition.message]);
    }
    events(out, shown_events);
}

fn replicas(out: &mut Lines, least: Option<i32>, most: i32) {
    match least {
        Some(least) => out.field(0, "Min replicas", least),
        None => out.field(0, "Min replicas", "<unset>"),
    }
    out.field(0, "Max replicas", most);
}

fn pods(out: &mut Lines, kind: &str, current: i32, desired: i32) {
    out.field(0, &format!("{kind} pods"), format_args!("{current} current / {desired} desired"));
}

/// Returns a metric: what it is, what it is now, and what it is to be.
fn metric_text(metric: &MetricSpec, status: Option<&MetricStatus>) -> String {
    match metric.type_.as_str() {
        "External" => {
            let source = metric.external.as_deref().cloned().unwrap_or_default();
            let current = status.and_then(|status| status.external.as_ref()).map(|status| &status.current);
            let name = quoted(&source.metric.name);
            if source.target.average_value.is_some() {
                // Only here a missing value is unknown, and not written as Go does.
                let current = current.filter(|current| current.average_value.is_some());
                let (current, target) = averages(current, &source.target);
                format!("{name} (target average value):\t{current} / {target}")
            } else {
                let (current, target) = values(current, &source.target);
                format!("{name} (target value):\t{current} / {target}")
            }
        }
        "Pods" => {
            let source = metric.pods.as_deref().cloned().unwrap_or_default();
            let current = status.and_then(|status| status.pods.as_ref()).map(|status| &status.current);
            let (current, target) = averages(current, &source.target);
            format!("{} on pods:\t{current} / {target}", quoted(&source.metric.name))
        }
        "Object" => {
            let source = metric.object.as_deref().cloned().unwrap_or_default();
            let current = status.and_then(|status| status.object.as_ref()).map(|status| &status.current);
            let described = &source.described_object;
            let subject = format!("\"{}\" on {}/{}", source.metric.name, described.kind, described.name);
            if source.target.type_ == "AverageValue" {
                let (current, target) = averages(current, &source.target);
                format!("{subject} (target average value):\t{current} / {target}")
            } else {
                let (current, target) = values(current, &source.target);
                format!("{subject} (target value):\t{current} / {target}")
            }
        }
        "Resource" => {
            let source = metric.resource.as_deref().cloned().unwrap_or_default();
            let current = status.and_then(|status| status.resource.as_ref()).map(|status| &status.current);
            format!("resource {} on pods{}", source.name, resource_values(current, &source.target))
        }
        "ContainerResource" => {
            let source = metric.container_resource.as_deref().cloned().unwrap_or_default();
            let status = status.and_then(|status| status.container_resource.as_ref());
            let values = resource_values(status.map(|status| &status.current), &source.target);
            format!("resource {} of container \"{}\" on pods{values}", source.name, source.container)
        }
        other => format!("<unknown metric type {}>", quoted(other)),
    }
}

fn averages(current: Option<&MetricValueStatus>, target: &MetricTarget) -> (String, String) {
    let current = current.map(|current| quantity(current.average_value.as_ref()));
    (current.unwrap_or(UNKNOWN.to_owned()), quantity(target.average_value.as_ref()))
}

fn values(current: Option<&MetricValueStatus>, target: &MetricTarget) -> (String, String) {
    let current = current.map(|current| quantity(current.value.as_ref()));
    (current.unwrap_or(UNKNOWN.to_owned()), quantity(target.value.as_ref()))
}

fn resource_values(current: Option<&MetricValueStatus>, target: &MetricTarget) -> String {
    if target.average_value.is_some() {
        let (current, target) = averages(current, target);
        return format!(":\t{current} / {target}");
    }
    let current = current.and_then(|current| {
        let average = quantity(current.average_value.as_ref());
        Some(format!("{}% ({average})", current.average_utilization?))
    });
    let target = target.average_utilization.map(|percent| format!("{percent}%"));
    let (current, target) = (current.unwrap_or(UNKNOWN.to_owned()), target.unwrap_or("<auto>".to_owned()));
    // The second part of the line is indented once more.
    format!("  (as a percentage of request):\t{current} / {target}")
}

fn scaling_rules(out: &mut Lines, direction: &str, rules: Option<&HPAScalingRules>) {
    let Some(rules) = rules else { return };
    out.line(1, format_args!("{direction}:"));
    if let Some(seconds) = rules.stabilization_window_seconds {
        out.line(2, format_args!("Stabilization Window: {seconds} seconds"));
    }
    if rules.policies.is_empty() {
        return;
    }
    out.line(2, format_args!("Select Policy: {}", rules.select_policy.as_deref().unwrap_or("Max")));
    out.line(2, "Policies:");
    for policy in &rules.policies {
        let (kind, value, period) = (&policy.type_, policy.value, policy.period_seconds);
        out.line(3, format_args!("- Type: {kind}\tValue: {value}\tPeriod: {period} seconds"));
    }
}

/// Describes an autoscaler of `autoscaling/v1`.
pub fn autoscaler_v1(out: &mut Lines, scaler: &v1::HorizontalPodAutoscaler, shown_events: Events<'_>) {
    let v1::HorizontalPodAutoscaler { metadata, spec, status, .. } = scaler;
    let target = &spec.scale_target_ref;
    heading(out, metadata);
    creation(out, metadata);
    out.field(0, "Reference", format_args!("{}/{}", target.kind, target.name));
    if let Some(percent) = spec.target_cpu_utilization_percentage {
        out.field(0, "Target CPU utilization", format_args!("{percent}%"));
        let current = status.current_cpu_utilization_percentage;
        let current = current.map_or(UNKNOWN.to_owned(), |percent| percent.to_string());
        out.field(0, "Current CPU utilization", format_args!("{current}%"));
    }
    replicas(out, spec.min_replicas, spec.max_replicas);
    pods(out, &target.kind, status.current_replicas, status.desired_replicas);
    events(out, shown_events);
}
