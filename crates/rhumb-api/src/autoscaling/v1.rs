//! `autoscaling/v1`: scaling by CPU utilization. What v2 can say beyond that is kept in annotations, in the form of
//! the metric types below, which appear nowhere else.

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use super::v2;

pub use super::v2::HorizontalPodAutoscalerCondition;

/// The values that a `MetricSourceType` has.
pub const METRIC_SOURCE_TYPES: &[&str] = &["Object", "Pods", "Resource", "ContainerResource", "External"];

/// Scale by what one container of every pod uses of a resource.
#[derive(Clone, Default, Schema)]
pub struct ContainerResourceMetricSource {
    /// The resource, such as `cpu`.
    #[field(1, required)]
    pub name: String,
    /// The use to aim at, in percent of what the pods request, averaged over the pods.
    #[field(2)]
    pub target_average_utilization: Option<i32>,
    /// The value to aim at, averaged over the pods.
    #[field(3)]
    pub target_average_value: Option<Quantity>,
    /// The name of the container.
    #[field(5, required)]
    pub container: String,
}

/// What one container of every pod uses of a resource.
#[derive(Clone, Default, Schema)]
pub struct ContainerResourceMetricStatus {
    /// The resource, such as `cpu`.
    #[field(1, required)]
    pub name: String,
    /// The use, in percent of what the pods request, averaged over the pods.
    #[field(2)]
    pub current_average_utilization: Option<i32>,
    /// The value, averaged over the pods.
    #[field(3, required)]
    pub current_average_value: Quantity,
    /// The name of the container.
    #[field(4, required)]
    pub container: String,
}

/// Names an object whose version is to be found out.
#[derive(Clone, Default, Schema, Convert)]
#[schema(atomic)]
#[convert(hub = v2::CrossVersionObjectReference)]
pub struct CrossVersionObjectReference {
    #[field(1, required)]
    pub kind: String,
    #[field(2, required)]
    pub name: String,
    /// The version in which it was named.
    #[field(3)]
    pub api_version: String,
}

/// Scale by a number that comes from outside the cluster.
#[derive(Clone, Default, Schema)]
pub struct ExternalMetricSource {
    /// The name of the metric.
    #[field(1, required)]
    pub metric_name: String,
    /// Narrows the metric down by labels.
    #[field(2)]
    pub metric_selector: Option<Box<LabelSelector>>,
    /// The value to aim at.
    #[field(3)]
    pub target_value: Option<Quantity>,
    /// The value to aim at, averaged over the pods.
    #[field(4)]
    pub target_average_value: Option<Quantity>,
}

/// The current value of a number from outside the cluster.
#[derive(Clone, Default, Schema)]
pub struct ExternalMetricStatus {
    /// The name of the metric.
    #[field(1, required)]
    pub metric_name: String,
    /// Narrows the metric down by labels.
    #[field(2)]
    pub metric_selector: Option<Box<LabelSelector>>,
    /// The value.
    #[field(3, required)]
    pub current_value: Quantity,
    /// The value, averaged over the pods.
    #[field(4)]
    pub current_average_value: Option<Quantity>,
}

/// Changes the number of pods of something so that their CPU use stays near a target.
#[derive(Clone, Default, Schema, Object)]
pub struct HorizontalPodAutoscaler {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required_omitempty)]
    pub spec: HorizontalPodAutoscalerSpec,
    #[field(3)]
    pub status: HorizontalPodAutoscalerStatus,
}

/// A list of autoscalers.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v2::HorizontalPodAutoscalerList)]
pub struct HorizontalPodAutoscalerList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<HorizontalPodAutoscaler>,
}

/// What an autoscaler shall do.
#[derive(Clone, Default, Schema)]
pub struct HorizontalPodAutoscalerSpec {
    /// What to scale.
    #[field(1, required)]
    pub scale_target_ref: CrossVersionObjectReference,
    /// Not fewer pods than this; 1 if not given.
    #[field(2)]
    pub min_replicas: Option<i32>,
    /// Not more pods than this.
    #[field(3, required)]
    pub max_replicas: i32,
    /// The CPU use to aim at, in percent of what the pods request.
    #[field(4, json = "targetCPUUtilizationPercentage")]
    pub target_cpu_utilization_percentage: Option<i32>,
}

/// What an autoscaler does.
#[derive(Clone, Default, Schema)]
pub struct HorizontalPodAutoscalerStatus {
    /// The generation that the controller saw last.
    #[field(1)]
    pub observed_generation: Option<i64>,
    /// When the number of pods was last changed.
    #[field(2)]
    pub last_scale_time: Option<Time>,
    /// How many pods there are.
    #[field(3, required)]
    pub current_replicas: i32,
    /// How many pods there shall be.
    #[field(4, required)]
    pub desired_replicas: i32,
    /// The CPU use, in percent of what the pods request.
    #[field(5, json = "currentCPUUtilizationPercentage")]
    pub current_cpu_utilization_percentage: Option<i32>,
}

/// What to scale by: one of the sources, named by its type.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v2::MetricSpec)]
pub struct MetricSpec {
    #[field(1, required, values = METRIC_SOURCE_TYPES)]
    pub type_: String,
    #[field(2)]
    pub object: Option<Box<ObjectMetricSource>>,
    #[field(3)]
    pub pods: Option<Box<PodsMetricSource>>,
    #[field(4)]
    pub resource: Option<Box<ResourceMetricSource>>,
    #[field(7)]
    pub container_resource: Option<Box<ContainerResourceMetricSource>>,
    #[field(5)]
    pub external: Option<Box<ExternalMetricSource>>,
}

/// The current value of a metric, named by its type.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v2::MetricStatus)]
pub struct MetricStatus {
    #[field(1, required, values = METRIC_SOURCE_TYPES)]
    pub type_: String,
    #[field(2)]
    pub object: Option<Box<ObjectMetricStatus>>,
    #[field(3)]
    pub pods: Option<Box<PodsMetricStatus>>,
    #[field(4)]
    pub resource: Option<Box<ResourceMetricStatus>>,
    #[field(7)]
    pub container_resource: Option<Box<ContainerResourceMetricStatus>>,
    #[field(5)]
    pub external: Option<Box<ExternalMetricStatus>>,
}

/// Scale by a number that describes a single object.
#[derive(Clone, Default, Schema)]
pub struct ObjectMetricSource {
    /// The object that the number describes.
    #[field(1, required)]
    pub target: CrossVersionObjectReference,
    /// The name of the metric.
    #[field(2, required)]
    pub metric_name: String,
    /// The value to aim at.
    #[field(3, required)]
    pub target_value: Quantity,
    /// Narrows the metric down by labels.
    #[field(4)]
    pub selector: Option<Box<LabelSelector>>,
    /// The same divided by the number of pods.
    #[field(5)]
    pub average_value: Option<Quantity>,
}

/// The current value of a number that describes a single object.
#[derive(Clone, Default, Schema)]
pub struct ObjectMetricStatus {
    /// The object that the number describes.
    #[field(1, required)]
    pub target: CrossVersionObjectReference,
    /// The name of the metric.
    #[field(2, required)]
    pub metric_name: String,
    /// The value.
    #[field(3, required)]
    pub current_value: Quantity,
    /// Narrows the metric down by labels.
    #[field(4)]
    pub selector: Option<Box<LabelSelector>>,
    /// The same divided by the number of pods.
    #[field(5)]
    pub average_value: Option<Quantity>,
}

/// Scale by a number that every pod has.
#[derive(Clone, Default, Schema)]
pub struct PodsMetricSource {
    /// The name of the metric.
    #[field(1, required)]
    pub metric_name: String,
    /// The value to aim at, averaged over the pods.
    #[field(2, required)]
    pub target_average_value: Quantity,
    /// Narrows the metric down by labels.
    #[field(3)]
    pub selector: Option<Box<LabelSelector>>,
}

/// The current value of a number that every pod has.
#[derive(Clone, Default, Schema)]
pub struct PodsMetricStatus {
    /// The name of the metric.
    #[field(1, required)]
    pub metric_name: String,
    /// The value, averaged over the pods.
    #[field(2, required)]
    pub current_average_value: Quantity,
    /// Narrows the metric down by labels.
    #[field(3)]
    pub selector: Option<Box<LabelSelector>>,
}

/// Scale by what the pods use of a resource.
#[derive(Clone, Default, Schema)]
pub struct ResourceMetricSource {
    /// The resource, such as `cpu`.
    #[field(1, required)]
    pub name: String,
    /// The use to aim at, in percent of what the pods request, averaged over the pods.
    #[field(2)]
    pub target_average_utilization: Option<i32>,
    /// The value to aim at, averaged over the pods.
    #[field(3)]
    pub target_average_value: Option<Quantity>,
}

/// What the pods use of a resource.
#[derive(Clone, Default, Schema)]
pub struct ResourceMetricStatus {
    /// The resource, such as `cpu`.
    #[field(1, required)]
    pub name: String,
    /// The use, in percent of what the pods request, averaged over the pods.
    #[field(2)]
    pub current_average_utilization: Option<i32>,
    /// The value, averaged over the pods.
    #[field(3, required)]
    pub current_average_value: Quantity,
}

/// How many pods an object is asked for and has: what the scale subresource of any kind speaks.
#[derive(Clone, Default, Schema, Object)]
pub struct Scale {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ScaleSpec,
    #[field(3)]
    pub status: ScaleStatus,
}

/// What a scale is asked to be.
#[derive(Clone, Default, Schema)]
pub struct ScaleSpec {
    /// How many pods there shall be.
    #[field(1, default = 0)]
    pub replicas: i32,
}

/// What a scale is.
#[derive(Clone, Default, Schema)]
pub struct ScaleStatus {
    /// How many pods there are.
    #[field(1, required)]
    pub replicas: i32,
    /// The selector of the pods, as text.
    #[field(2)]
    pub selector: String,
}
