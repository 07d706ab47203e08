//! `autoscaling/v2beta1`.

use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity, Time};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

pub use super::v1::{
    ContainerResourceMetricStatus, ExternalMetricSource, ExternalMetricStatus, PodsMetricSource,
    PodsMetricStatus, ResourceMetricSource, ResourceMetricStatus,
};

pub use super::v2::{CrossVersionObjectReference, HorizontalPodAutoscalerCondition};

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::ContainerResourceMetricSource)]
pub struct ContainerResourceMetricSource {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub target_average_utilization: Option<i32>,
    #[field(3)]
    pub target_average_value: Option<Quantity>,
    #[field(4, required)]
    pub container: String,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v2::HorizontalPodAutoscaler)]
pub struct HorizontalPodAutoscaler {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: HorizontalPodAutoscalerSpec,
    #[field(3)]
    pub status: HorizontalPodAutoscalerStatus,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v2::HorizontalPodAutoscalerList)]
pub struct HorizontalPodAutoscalerList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<HorizontalPodAutoscaler>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::HorizontalPodAutoscalerSpec)]
pub struct HorizontalPodAutoscalerSpec {
    #[field(1, required)]
    pub scale_target_ref: CrossVersionObjectReference,
    #[field(2)]
    pub min_replicas: Option<i32>,
    #[field(3, required)]
    pub max_replicas: i32,
    #[field(4)]
    pub metrics: Vec<MetricSpec>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::HorizontalPodAutoscalerStatus)]
pub struct HorizontalPodAutoscalerStatus {
    #[field(1)]
    pub observed_generation: Option<i64>,
    #[field(2)]
    pub last_scale_time: Option<Time>,
    #[field(3, required)]
    pub current_replicas: i32,
    #[field(4, required)]
    pub desired_replicas: i32,
    #[field(5, shown)]
    pub current_metrics: Vec<MetricStatus>,
    #[field(6, required)]
    pub conditions: Vec<HorizontalPodAutoscalerCondition>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::MetricSpec)]
pub struct MetricSpec {
    #[field(1, required)]
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

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::MetricStatus)]
pub struct MetricStatus {
    #[field(1, required)]
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

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::ObjectMetricSource)]
pub struct ObjectMetricSource {
    #[field(1, required)]
    pub target: CrossVersionObjectReference,
    #[field(2, required)]
    pub metric_name: String,
    #[field(3, required)]
    pub target_value: Quantity,
    #[field(4)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(5)]
    pub average_value: Option<Quantity>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::ObjectMetricStatus)]
pub struct ObjectMetricStatus {
    #[field(1, required)]
    pub target: CrossVersionObjectReference,
    #[field(2, required)]
    pub metric_name: String,
    #[field(3, required)]
    pub current_value: Quantity,
    #[field(4)]
    pub selector: Option<Box<LabelSelector>>,
    #[field(5)]
    pub average_value: Option<Quantity>,
}
