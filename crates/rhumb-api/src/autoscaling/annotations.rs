//! The autoscaler between v1 or v2beta1 and the hub. What v1 has no field for stands in annotations as JSON
//! while an object is in v1, so that nothing is lost on the way there and back; in the hub and in v2 there
//! are no such annotations.

use rhumb_meta::Quantity;
use rhumb_meta::v1::{ObjectMeta, TypeMeta};
use rhumb_schema::{Described, Schema, Shape, Value, from_tree, text};
use rhumb_scheme::{Convert, ConvertError, Scope};
use serde_json::Value as Json;

use super::{defaults, v1, v2, v2beta1};

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
/// Tolerances have been part of the behavior since before anything wrote them on their own, but are not let through.
const TOLERANCES: [&str; 2] = [
    "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
    "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
];

/// Annotations that v1 left behind mean nothing in v2.
pub(super) fn hub_form(autoscaler: &mut v2::HorizontalPodAutoscaler) -> Result<(), ConvertError> {
    drop_all(&mut autoscaler.metadata);
    Ok(())
}

fn drop_all(metadata: &mut ObjectMeta) {
    if !metadata.annotations.is_empty() {
        for key in [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR].iter().chain(&TOLERANCES) {
            metadata.annotations.remove(*key);
        }
    }
}

impl Convert<v2::HorizontalPodAutoscaler> for v1::HorizontalPodAutoscaler {
    fn convert(self, scope: &Scope) -> Result<v2::HorizontalPodAutoscaler, ConvertError> {
        let v1::HorizontalPodAutoscaler { type_meta: _, mut metadata, spec, status } = self;
        let others: Option<Vec<v1::MetricSpec>> = read(&metadata, METRICS);
        let mut metrics: Vec<v2::MetricSpec> = convert_all(others.unwrap_or_default(), scope)?;
        metrics.extend(spec.target_cpu_utilization_percentage.map(defaults::cpu_utilization));
        // The default of v2 applies here and not among the defaults of v1, because only now all metrics are known.
        if metrics.is_empty() {
            metrics.push(defaults::cpu_utilization(defaults::CPU_UTILIZATION));
        }
        let behavior = read_behavior(&metadata, scope)?;
        let current_metrics = match read::<Vec<v1::MetricStatus>>(&metadata, CURRENT_METRICS) {
            Some(statuses) => convert_all(statuses, scope)?,
            None => status.current_cpu_utilization_percentage.map(cpu_status).into_iter().collect(),
        };
        let conditions = read(&metadata, CONDITIONS).unwrap_or_default();
        drop_all(&mut metadata);
        Ok(v2::HorizontalPodAutoscaler {
            type_meta: TypeMeta::default(),
            metadata,
            spec: v2::HorizontalPodAutoscalerSpec {
                scale_target_ref: spec.scale_target_ref.convert(scope)?,
                min_replicas: spec.min_replicas,
                max_replicas: spec.max_replicas,
                metrics,
                behavior,
            },
            status: v2::HorizontalPodAutoscalerStatus {
                observed_generation: status.observed_generation,
                last_scale_time: status.last_scale_time,
                current_replicas: status.current_replicas,
                desired_replicas: status.desired_replicas,
                current_metrics,
                conditions,
            },
        })
    }
}

impl Convert<v1::HorizontalPodAutoscaler> for v2::HorizontalPodAutoscaler {
    fn convert(self, scope: &Scope) -> Result<v1::HorizontalPodAutoscaler, ConvertError> {
        let v2::HorizontalPodAutoscaler { type_meta: _, mut metadata, spec, status } = self;
        drop_all(&mut metadata);
        let (cpu, others): (Vec<_>, Vec<_>) =
            spec.metrics.into_iter().partition(|metric| utilization_of(metric).is_some());
        let current_cpu = status.current_metrics.iter().filter_map(current_utilization_of).next_back();
        let others: Vec<v1::MetricSpec> = convert_all(others, scope)?;
        // The status is kept even where v1 has a field for it, because that has no room for the raw value.
        let statuses: Vec<v1::MetricStatus> = convert_all(status.current_metrics, scope)?;
        if !others.is_empty() {
            write(&mut metadata, METRICS, &others);
        }
        if !statuses.is_empty() {
            write(&mut metadata, CURRENT_METRICS, &statuses);
        }
        write_behavior(&mut metadata, spec.behavior, scope)?;
        if !status.conditions.is_empty() {
            write(&mut metadata, CONDITIONS, &status.conditions);
        }
        Ok(v1::HorizontalPodAutoscaler {
            type_meta: TypeMeta::default(),
            metadata,
            spec: v1::HorizontalPodAutoscalerSpec {
                scale_target_ref: spec.scale_target_ref.convert(scope)?,
                min_replicas: spec.min_replicas,
                max_replicas: spec.max_replicas,
                target_cpu_utilization_percentage: cpu.first().and_then(utilization_of),
            },
            status: v1::HorizontalPodAutoscalerStatus {
                observed_generation: status.observed_generation,
                last_scale_time: status.last_scale_time,
                current_replicas: status.current_replicas,
                desired_replicas: status.desired_replicas,
                current_cpu_utilization_percentage: current_cpu,
            },
        })
    }
}

/// The CPU utilization that a metric aims at, if that is what it does: the one thing that v1 has a field for.
fn utilization_of(metric: &v2::MetricSpec) -> Option<i32> {
    let resource = metric.resource.as_ref().filter(|_| metric.type_ == "Resource")?;
    resource.target.average_utilization.filter(|_| resource.name == "cpu")
}

fn current_utilization_of(metric: &v2::MetricStatus) -> Option<i32> {
    let resource = metric.resource.as_ref().filter(|_| metric.type_ == "Resource")?;
    resource.current.average_utilization.filter(|_| resource.name == "cpu")
}

fn cpu_status(utilization: i32) -> v2::MetricStatus {
    let current = v2::MetricValueStatus { average_utilization: Some(utilization), ..Default::default() };
    let resource = v2::ResourceMetricStatus { name: "cpu".to_owned(), current };
    v2::MetricStatus {
        type_: "Resource".to_owned(),
        resource: Some(Box::new(resource)),
        ..Default::default()
    }
}

type HubBehavior = Option<Box<v2::HorizontalPodAutoscalerBehavior>>;

/// The behavior that the annotations hold; one without any rules is none.
fn read_behavior(metadata: &ObjectMeta, scope: &Scope) -> Result<HubBehavior, ConvertError> {
    let behavior: Option<Behavior> = read(metadata, BEHAVIOR);
    let behavior = behavior.filter(|behavior| *behavior != Behavior::default());
    Ok(behavior.map(|behavior| behavior.convert(scope)).transpose()?.map(Box::new))
}

fn write_behavior(
    metadata: &mut ObjectMeta,
    behavior: HubBehavior,
    scope: &Scope,
) -> Result<(), ConvertError> {
    if let Some(behavior) = behavior {
        let behavior: Behavior = (*behavior).convert(scope)?;
        write(metadata, BEHAVIOR, &behavior);
    }
    Ok(())
}

/// In v2beta1 it is only the behavior that there is no field for.
impl Convert<v2::HorizontalPodAutoscaler> for v2beta1::HorizontalPodAutoscaler {
    fn convert(self, scope: &Scope) -> Result<v2::HorizontalPodAutoscaler, ConvertError> {
        let v2beta1::HorizontalPodAutoscaler { type_meta: _, mut metadata, spec, status } = self;
        let mut spec: v2::HorizontalPodAutoscalerSpec = spec.convert(scope)?;
        spec.behavior = read_behavior(&metadata, scope)?;
        drop_all(&mut metadata);
        let status = status.convert(scope)?;
        Ok(v2::HorizontalPodAutoscaler { type_meta: TypeMeta::default(), metadata, spec, status })
    }
}

impl Convert<v2beta1::HorizontalPodAutoscaler> for v2::HorizontalPodAutoscaler {
    fn convert(self, scope: &Scope) -> Result<v2beta1::HorizontalPodAutoscaler, ConvertError> {
        let v2::HorizontalPodAutoscaler { type_meta: _, mut metadata, mut spec, status } = self;
        drop_all(&mut metadata);
        write_behavior(&mut metadata, spec.behavior.take(), scope)?;
        let (spec, status) = (spec.convert(scope)?, status.convert(scope)?);
        Ok(v2beta1::HorizontalPodAutoscaler { type_meta: TypeMeta::default(), metadata, spec, status })
    }
}

fn convert_all<A: Convert<B>, B>(all: Vec<A>, scope: &Scope) -> Result<Vec<B>, ConvertError> {
    all.into_iter().map(|one| one.convert(scope)).collect()
}

fn write(metadata: &mut ObjectMeta, key: &str, value: &dyn Value) {
    let mut json = Vec::new();
    text::encode(value, &mut json);
    metadata.annotations.insert(key.to_owned(), String::from_utf8_lossy(&json).into_owned());
}

/// What an annotation holds; nothing if it can't be read, as anyone can write what they like there.
fn read<T: Described>(metadata: &ObjectMeta, key: &str) -> Option<T> {
    let mut tree: Json = serde_json::from_str(metadata.annotations.get(key)?).ok()?;
    fold_keys(&mut tree, &T::SHAPE);
    let mut value = T::default();
    from_tree(&tree, &mut value).ok()?;
    Some(value)
}

/// Gives keys the case of the fields they stand for: annotations were always read without regard to case.
fn fold_keys(tree: &mut Json, shape: &Shape) {
    match (tree, shape) {
        (tree, Shape::Option(inner)) => fold_keys(tree, inner),
        (Json::Array(items), Shape::List(inner)) => items.iter_mut().for_each(|item| fold_keys(item, inner)),
        (Json::Object(map), Shape::Map(inner)) => map.values_mut().for_each(|value| fold_keys(value, inner)),
        (Json::Object(map), Shape::Struct(desc)) => {
            for (key, mut value) in std::mem::take(map) {
                let exact = desc().fields.iter().find(|field| field.json == key);
                let field = exact.or_else(|| {
                    desc().fields.iter().find(|field| field.json.eq_ignore_ascii_case(&key) && !field.inline)
                });
                match field {
                    Some(field) => {
                        fold_keys(&mut value, &field.shape);
                        map.insert(field.json.to_owned(), value);
                    }
                    None => _ = map.insert(key, value),
                }
            }
        }
        _ => {}
    }
}

/// A behavior as the annotation has it: under the names that the fields have in Kubernetes' Go code, none left out.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v2::HorizontalPodAutoscalerBehavior)]
struct Behavior {
    #[field(0, json = "ScaleUp", shown)]
    scale_up: Option<Box<ScalingRules>>,
    #[field(0, json = "ScaleDown", shown)]
    scale_down: Option<Box<ScalingRules>>,
}

/// The rules for one direction.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v2::HPAScalingRules)]
struct ScalingRules {
    #[field(0, json = "StabilizationWindowSeconds", shown)]
    stabilization_window_seconds: Option<i32>,
    #[field(0, json = "SelectPolicy", shown)]
    select_policy: Option<String>,
    #[field(0, json = "Policies", shown)]
    policies: Vec<ScalingPolicy>,
    #[field(0, json = "Tolerance", shown)]
    tolerance: Option<Quantity>,
}

/// A bound on how fast the number of pods may change.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v2::HPAScalingPolicy)]
struct ScalingPolicy {
    #[field(0, json = "Type", shown)]
    type_: String,
    #[field(0, json = "Value", shown)]
    value: i32,
    #[field(0, json = "PeriodSeconds", shown)]
    period_seconds: i32,
}
