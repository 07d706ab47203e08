//! Defaults of the group.

use rhumb_scheme::SchemeBuilder;

use super::{v1, v2};

/// The CPU utilization to aim at if there is no metric at all.
pub(super) const CPU_UTILIZATION: i32 = 80;

/// Registers the functions.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder.defaults(autoscaler_v1).defaults(autoscaler).defaults(behavior);
}

/// The default metric of v1 is applied in its conversion, which alone sees the metrics in annotations.
fn autoscaler_v1(autoscaler: &mut v1::HorizontalPodAutoscaler) {
    autoscaler.spec.min_replicas.get_or_insert(1);
}

fn autoscaler(autoscaler: &mut v2::HorizontalPodAutoscaler) {
    autoscaler.spec.min_replicas.get_or_insert(1);
    if autoscaler.spec.metrics.is_empty() {
        autoscaler.spec.metrics.push(cpu_utilization(CPU_UTILIZATION));
    }
}

/// A behavior that says something of one direction gets all that it leaves open filled in.
fn behavior(behavior: &mut v2::HorizontalPodAutoscalerBehavior) {
    let up = behavior.scale_up.get_or_insert_default();
    up.stabilization_window_seconds.get_or_insert(0);
    fill(up, &[("Pods", 4), ("Percent", 100)]);
    // The window for scaling down can be set for the whole controller, so none is written here.
    fill(behavior.scale_down.get_or_insert_default(), &[("Percent", 100)]);
}

fn fill(rules: &mut v2::HPAScalingRules, policies: &[(&str, i32)]) {
    rules.select_policy.get_or_insert_with(|| "Max".to_owned());
    if rules.policies.is_empty() {
        let policy = |(type_, value): &(&str, i32)| v2::HPAScalingPolicy {
            type_: (*type_).to_owned(),
            value: *value,
            period_seconds: 15,
        };
        rules.policies = policies.iter().map(policy).collect();
    }
}

/// The metric that aims at a CPU utilization.
pub(super) fn cpu_utilization(utilization: i32) -> v2::MetricSpec {
    let target = v2::MetricTarget {
        type_: "Utilization".to_owned(),
        average_utilization: Some(utilization),
        ..Default::default()
    };
    let resource = v2::ResourceMetricSource { name: "cpu".to_owned(), target };
    v2::MetricSpec { type_: "Resource".to_owned(), resource: Some(Box::new(resource)), ..Default::default() }
}
