//! `autoscaling/v2beta1`: the first metrics beyond CPU, each with a shape of its own. The behavior came later and is
//! kept in an annotation.

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

pub use super::v1::{
    ContainerResourceMetricStatus, ExternalMetricSource, ExternalMetricStatus, PodsMetricSource,
    PodsMetricStatus, ResourceMetricSource, ResourceMetricStatus,
};

pub use super::v2::{CrossVersionObjectReference, HorizontalPodAutoscalerCondition};

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
    #[field(4, required)]
    pub container: String,
}

/// Changes the number of pods of something so that one or more metrics stay near their targets.
#[derive(Clone, Default, Schema, Object)]
#[schema(retired)]
pub struct HorizontalPodAutoscaler {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What to scale, between which limits, and by which metrics.
    #[field(2)]
    pub spec: HorizontalPodAutoscalerSpec,
    /// What it measured and did.
    #[field(3)]
    pub status: HorizontalPodAutoscalerStatus,
}

/// A list of autoscalers.
#[derive(Clone, Default, Schema, Object, Convert)]
#[schema(retired)]
#[convert(hub = super::v2::HorizontalPodAutoscalerList)]
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

/// What an autoscaler shall do.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::HorizontalPodAutoscalerSpec, lacks(behavior))]
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
    /// The metrics. The one that calls for the most pods wins. Defaults to CPU at 80% of requests.
    #[field(4)]
    pub metrics: Vec<MetricSpec>,
}

/// What an autoscaler does.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::HorizontalPodAutoscalerStatus)]
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
    /// The metrics as last measured.
    #[field(5, shown)]
    pub current_metrics: Vec<MetricStatus>,
    /// Aspects of its state, one entry per type.
    #[field(6, required)]
    pub conditions: Vec<HorizontalPodAutoscalerCondition>,
}

/// What to scale by: one of the sources, named by its type.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::MetricSpec)]
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

/// The current value of a metric, named by its type.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::MetricStatus)]
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
