//! Defaults of the group.

use rhumb_scheme::SchemeBuilder;

use super::{v1, v2, v2beta1, v2beta2};

/// The CPU utilization to aim at if there is no metric at all.
pub(super) const CPU_UTILIZATION: i32 = 80;

/// How fast pods may become more: the policies if none are given.
const UP: &[(&str, i32)] = &[("Pods", 4), ("Percent", 100)];
/// How fast pods may become fewer.
const DOWN: &[(&str, i32)] = &[("Percent", 100)];

/// Registers the functions.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder
        .defaults(autoscaler_v1)
        .defaults(autoscaler)
        .defaults(autoscaler_v2beta1)
        .defaults(autoscaler_v2beta2)
        .defaults(behavior)
        .defaults(behavior_v2beta2);
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

fn autoscaler_v2beta1(autoscaler: &mut v2beta1::HorizontalPodAutoscaler) {
    autoscaler.spec.min_replicas.get_or_insert(1);
    if autoscaler.spec.metrics.is_empty() {
        let resource = v2beta1::ResourceMetricSource {
            name: "cpu".to_owned(),
            target_average_utilization: Some(CPU_UTILIZATION),
            target_average_value: None,
        };
        autoscaler.spec.metrics.push(v2beta1::MetricSpec {
            type_: "Resource".to_owned(),
            resource: Some(Box::new(resource)),
            ..Default::default()
        });
    }
}

fn autoscaler_v2beta2(autoscaler: &mut v2beta2::HorizontalPodAutoscaler) {
    autoscaler.spec.min_replicas.get_or_insert(1);
    if autoscaler.spec.metrics.is_empty() {
        autoscaler.spec.metrics.push(cpu_utilization(CPU_UTILIZATION));
    }
}

/// A behavior that says something of one direction gets all that it leaves open filled in.
fn behavior(behavior: &mut v2::HorizontalPodAutoscalerBehavior) {
    let up = behavior.scale_up.get_or_insert_default();
    up.stabilization_window_seconds.get_or_insert(0);
    fill(&mut up.select_policy, &mut up.policies, UP);
    // The window for scaling down can be set for the whole controller, so none is written here.
    let down = behavior.scale_down.get_or_insert_default();
    fill(&mut down.select_policy, &mut down.policies, DOWN);
}

fn behavior_v2beta2(behavior: &mut v2beta2::HorizontalPodAutoscalerBehavior) {
    let up = behavior.scale_up.get_or_insert_default();
    up.stabilization_window_seconds.get_or_insert(0);
    fill(&mut up.select_policy, &mut up.policies, UP);
    let down = behavior.scale_down.get_or_insert_default();
    fill(&mut down.select_policy, &mut down.policies, DOWN);
}

fn fill(select: &mut Option<String>, policies: &mut Vec<v2::HPAScalingPolicy>, default: &[(&str, i32)]) {
    select.get_or_insert_with(|| "Max".to_owned());
    if policies.is_empty() {
        *policies = default
            .iter()
            .map(|(type_, value)| v2::HPAScalingPolicy {
                type_: (*type_).to_owned(),
                value: *value,
                period_seconds: 15,
            })
            .collect();
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
