//! `autoscaling/v2`: HorizontalPodAutoscalers, which scale by metrics of many kinds.

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;

/// Scale by what one container of each pod uses of a resource.
#[derive(Clone, Default, Schema)]
pub struct ContainerResourceMetricSource {
    /// The resource: cpu or memory.
    #[field(1, required)]
    pub name: String,
    /// What to aim for.
    #[field(2, required)]
    pub target: MetricTarget,
    /// The container.
    #[field(3, required)]
    pub container: String,
}

/// What one container of each pod uses of a resource.
#[derive(Clone, Default, Schema)]
pub struct ContainerResourceMetricStatus {
    /// The resource.
    #[field(1, required)]
    pub name: String,
    /// The measured value.
    #[field(2, required)]
    pub current: MetricValueStatus,
    /// The container.
    #[field(3, required)]
    pub container: String,
}

/// An object in the same namespace.
#[derive(Clone, Default, Schema)]
pub struct CrossVersionObjectReference {
    /// Its kind.
    #[field(1, required)]
    pub kind: String,
    /// Its name.
    #[field(2, required)]
    pub name: String,
    /// Its group and version.
    #[field(3)]
    pub api_version: String,
}

/// Scale by a metric from outside the cluster, such as the length of a queue.
#[derive(Clone, Default, Schema)]
pub struct ExternalMetricSource {
    /// The metric.
    #[field(1, required)]
    pub metric: MetricIdentifier,
    /// What to aim for.
    #[field(2, required)]
    pub target: MetricTarget,
}

/// A metric from outside the cluster.
#[derive(Clone, Default, Schema)]
pub struct ExternalMetricStatus {
    /// The metric.
    #[field(1, required)]
    pub metric: MetricIdentifier,
    /// The measured value.
    #[field(2, required)]
    pub current: MetricValueStatus,
}

/// How many pods may be added or removed in a period.
#[derive(Clone, Default, Schema)]
pub struct HPAScalingPolicy {
    /// Whether value counts Pods, or is a Percent of those there are.
    #[field(1, required)]
    pub type_: String,
    /// How many; above 0.
    #[field(2, required)]
    pub value: i32,
    /// The period, in seconds: 1 to 1800.
    #[field(3, required)]
    pub period_seconds: i32,
}

/// How fast to scale in one direction.
#[derive(Clone, Default, Schema)]
pub struct HPAScalingRules {
    /// Seconds to look back for a more cautious choice, so that counts don't flap. Defaults to 0 upwards and
    /// 300 downwards.
    #[field(3)]
    pub stabilization_window_seconds: Option<i32>,
    /// Which policy counts: the one that allows most (Max, the default), least (Min), or none (Disabled), so
    /// that it never scales this way.
    #[field(1)]
    pub select_policy: Option<String>,
    /// The policies. By default up by 4 pods or 100% in 15 seconds, and down by 100% in 15 seconds.
    #[field(2, list = "atomic")]
    pub policies: Vec<HPAScalingPolicy>,
    /// How far the metric may be off before anything is done, as in 0.05 for 5%. Defaults to the cluster's
    /// setting, mostly 10%.
    #[field(4)]
    pub tolerance: Option<Quantity>,
}

/// Scales a Deployment or the like up and down, to keep metrics near their targets.
#[derive(Clone, Default, Schema, Object)]
pub struct HorizontalPodAutoscaler {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What to scale, between which limits, and by which metrics.
    #[field(2, required_omitempty)]
    pub spec: HorizontalPodAutoscalerSpec,
    /// What it measured and did.
    #[field(3)]
    pub status: HorizontalPodAutoscalerStatus,
}

/// How fast to scale.
#[derive(Clone, Default, Schema)]
pub struct HorizontalPodAutoscalerBehavior {
    /// The rules for adding pods.
    #[field(1)]
    pub scale_up: Option<Box<HPAScalingRules>>,
    /// The rules for removing pods.
    #[field(2)]
    pub scale_down: Option<Box<HPAScalingRules>>,
}

/// An aspect of an autoscaler's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct HorizontalPodAutoscalerCondition {
    /// Which aspect: ScalingActive, AbleToScale, ScalingLimited or ScaledToZero.
    #[field(1, required)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(2, required)]
    pub status: String,
    /// When the status last changed from one value to another.
    #[field(3)]
    pub last_transition_time: Time,
    /// One CamelCase word for why the status is what it is, for programs.
    #[field(4)]
    pub reason: String,
    /// What happened, for people.
    #[field(5)]
    pub message: String,
}

/// A list of HorizontalPodAutoscaler objects.
#[derive(Clone, Default, Schema, Object)]
pub struct HorizontalPodAutoscalerList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<HorizontalPodAutoscaler>,
}

/// What to scale, between which limits, and by which metrics.
#[derive(Clone, Default, Schema)]
pub struct HorizontalPodAutoscalerSpec {
    /// What to scale: any object that has a scale subresource.
    #[field(1, required)]
    pub scale_target_ref: CrossVersionObjectReference,
    /// The fewest pods to have. Defaults to 1; 0 needs an alpha feature and an object or external metric.
    #[field(2)]
    pub min_replicas: Option<i32>,
    /// The most pods to have.
    #[field(3, required)]
    pub max_replicas: i32,
    /// The metrics. The one that calls for the most pods wins. Defaults to CPU at 80% of requests.
    #[field(4, list = "atomic")]
    pub metrics: Vec<MetricSpec>,
    /// How fast to scale.
    #[field(5)]
    pub behavior: Option<Box<HorizontalPodAutoscalerBehavior>>,
}

/// What an autoscaler measured and did.
#[derive(Clone, Default, Schema)]
pub struct HorizontalPodAutoscalerStatus {
    /// The generation that the controller has seen; the rest of the status is about it.
    #[field(1)]
    pub observed_generation: Option<i64>,
    /// When it last changed the number of pods.
    #[field(2)]
    pub last_scale_time: Option<Time>,
    /// How many pods there were when it last looked.
    #[field(3)]
    pub current_replicas: i32,
    /// How many pods it last asked for.
    #[field(4, required)]
    pub desired_replicas: i32,
    /// The metrics as last measured.
    #[field(5, shown, list = "atomic")]
    pub current_metrics: Vec<MetricStatus>,
    /// Aspects of its state, one entry per type.
    #[field(6, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<HorizontalPodAutoscalerCondition>,
}

/// A metric, by its name and labels.
#[derive(Clone, Default, Schema)]
pub struct MetricIdentifier {
    /// Its name.
    #[field(1, required)]
    pub name: String,
    /// Narrows it down by its labels, for metrics servers that can.
    #[field(2)]
    pub selector: Option<Box<LabelSelector>>,
}

/// A metric to scale by. The field that type names is set.
#[derive(Clone, Default, Schema)]
pub struct MetricSpec {
    /// Object, Pods, Resource, ContainerResource or External.
    #[field(1, required)]
    pub type_: String,
    /// A metric of one object, such as the requests per second of an Ingress.
    #[field(2)]
    pub object: Option<Box<ObjectMetricSource>>,
    /// A metric of each pod, averaged.
    #[field(3)]
    pub pods: Option<Box<PodsMetricSource>>,
    /// What the pods use of CPU or memory.
    #[field(4)]
    pub resource: Option<Box<ResourceMetricSource>>,
    /// What one container of each pod uses of CPU or memory.
    #[field(7)]
    pub container_resource: Option<Box<ContainerResourceMetricSource>>,
    /// A metric from outside the cluster.
    #[field(5)]
    pub external: Option<Box<ExternalMetricSource>>,
}

/// A metric as last measured. The field that type names is set.
#[derive(Clone, Default, Schema)]
pub struct MetricStatus {
    /// Object, Pods, Resource, ContainerResource or External.
    #[field(1, required)]
    pub type_: String,
    /// A metric of one object.
    #[field(2)]
    pub object: Option<Box<ObjectMetricStatus>>,
    /// A metric of each pod, averaged.
    #[field(3)]
    pub pods: Option<Box<PodsMetricStatus>>,
    /// What the pods use of CPU or memory.
    #[field(4)]
    pub resource: Option<Box<ResourceMetricStatus>>,
    /// What one container of each pod uses of CPU or memory.
    #[field(7)]
    pub container_resource: Option<Box<ContainerResourceMetricStatus>>,
    /// A metric from outside the cluster.
    #[field(5)]
    pub external: Option<Box<ExternalMetricStatus>>,
}

/// The value that a metric should have. The field that type names is set.
#[derive(Clone, Default, Schema)]
pub struct MetricTarget {
    /// Utilization, Value or AverageValue.
    #[field(1, required)]
    pub type_: String,
    /// The value as a whole.
    #[field(2)]
    pub value: Option<Quantity>,
    /// The value per pod.
    #[field(3)]
    pub average_value: Option<Quantity>,
    /// The percentage of the pods' requests, on average. For resources only, and needs requests to be set.
    #[field(4)]
    pub average_utilization: Option<i32>,
}

/// The value that a metric has.
#[derive(Clone, Default, Schema)]
pub struct MetricValueStatus {
    /// The value as a whole.
    #[field(1)]
    pub value: Option<Quantity>,
    /// The value per pod.
    #[field(2)]
    pub average_value: Option<Quantity>,
    /// The percentage of the pods' requests, on average.
    #[field(3)]
    pub average_utilization: Option<i32>,
}

/// Scale by a metric of one object.
#[derive(Clone, Default, Schema)]
pub struct ObjectMetricSource {
    /// The object.
    #[field(1, required)]
    pub described_object: CrossVersionObjectReference,
    /// What to aim for.
    #[field(2, required)]
    pub target: MetricTarget,
    /// The metric.
    #[field(3, required)]
    pub metric: MetricIdentifier,
}

/// A metric of one object.
#[derive(Clone, Default, Schema)]
pub struct ObjectMetricStatus {
    /// The metric.
    #[field(1, required)]
    pub metric: MetricIdentifier,
    /// The measured value.
    #[field(2, required)]
    pub current: MetricValueStatus,
    /// The object.
    #[field(3, required)]
    pub described_object: CrossVersionObjectReference,
}

/// Scale by a metric of each pod, averaged.
#[derive(Clone, Default, Schema)]
pub struct PodsMetricSource {
    /// The metric.
    #[field(1, required)]
    pub metric: MetricIdentifier,
    /// What to aim for, as an average value.
    #[field(2, required)]
    pub target: MetricTarget,
}

/// A metric of each pod, averaged.
#[derive(Clone, Default, Schema)]
pub struct PodsMetricStatus {
    /// The metric.
    #[field(1, required)]
    pub metric: MetricIdentifier,
    /// The measured value.
    #[field(2, required)]
    pub current: MetricValueStatus,
}

/// Scale by what the pods use of a resource, all containers taken together.
#[derive(Clone, Default, Schema)]
pub struct ResourceMetricSource {
    /// The resource: cpu or memory.
    #[field(1, required)]
    pub name: String,
    /// What to aim for.
    #[field(2, required)]
    pub target: MetricTarget,
}

/// What the pods use of a resource.
#[derive(Clone, Default, Schema)]
pub struct ResourceMetricStatus {
    /// The resource.
    #[field(1, required)]
    pub name: String,
    /// The measured value.
    #[field(2, required)]
    pub current: MetricValueStatus,
}
