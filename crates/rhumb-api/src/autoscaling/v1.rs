//! `autoscaling/v1`.

use rhumb_meta::Object;
use rhumb_meta::Quantity;
use rhumb_meta::Time;
use rhumb_meta::v1::LabelSelector;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;

pub use super::v2::{HorizontalPodAutoscalerCondition};

/// The values that a `MetricSourceType` has.
pub const METRIC_SOURCE_TYPES: &[&str] = &["Object", "Pods", "Resource", "ContainerResource", "External"];

#[derive(Clone, Default, Schema)]
pub struct ContainerResourceMetricSource {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub target_average_utilization: Option<i32>,
    #[field(3)]
    pub target_average_value: Option<Quantity>,
    #[field(5, required)]
    pub container: String,
}

#[derive(Clone, Default, Schema)]
pub struct ContainerResourceMetricStatus {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub current_average_utilization: Option<i32>,
    #[field(3, required)]
    pub current_average_value: Quantity,
    #[field(4, required)]
    pub container: String,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct CrossVersionObjectReference {
    #[field(1, required)]
    pub kind: String,
    #[field(2, required)]
    pub name: String,
    #[field(3)]
    pub api_version: String,
}

#[derive(Clone, Default, Schema)]
pub struct ExternalMetricSource {
    #[field(1, required)]
    pub metric_name: String,
    #[field(2)]
    pub metric_selector: Option<Box<LabelSelector>>,
    #[field(3)]
    pub target_value: Option<Quantity>,
    #[field(4)]
    pub target_average_value: Option<Quantity>,
}

#[derive(Clone, Default, Schema)]
pub struct ExternalMetricStatus {
    #[field(1, required)]
    pub metric_name: String,
    #[field(2)]
    pub metric_selector: Option<Box<LabelSelector>>,
    #[field(3, required)]
    pub current_value: Quantity,
    #[field(4)]
    pub current_average_value: Option<Quantity>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct HorizontalPodAutoscaler {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, required_omitempty)]
    pub spec: HorizontalPodAutoscalerSpec,
    #[field(3)]
    pub status: HorizontalPodAutoscalerStatus,
}

#[derive(Clone, Default, Schema, Object)]
pub struct HorizontalPodAutoscalerList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<HorizontalPodAutoscaler>,
}

#[derive(Clone, Default, Schema)]
pub struct HorizontalPodAutoscalerSpec {
    #[field(1, required)]
    pub scale_target_ref: CrossVersionObjectReference,
    #[field(2)]
    pub min_replicas: Option<i32>,
    #[field(3, required)]
    pub max_replicas: i32,
    #[field(4, json = "targetCPUUtilizationPercentage")]
    pub target_cpu_utilization_percentage: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct HorizontalPodAutoscalerStatus {
    #[field(1)]
    pub observed_generation: Option<i64>,
    #[field(2)]
    pub last_scale_time: Option<Time>,
    #[field(3, required)]
    pub current_replicas: i32,
    #[field(4, required)]
    pub desired_replicas: i32,
    #[field(5, json = "currentCPUUtilizationPercentage")]
    pub current_cpu_utilization_percentage: Option<i32>,
}

#[derive(Clone, Default, Schema)]
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

#[derive(Clone, Default, Schema)]
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

#[derive(Clone, Default, Schema)]
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

#[derive(Clone, Default, Schema)]
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

#[derive(Clone, Default, Schema)]
pub struct PodsMetricSource {
    #[field(1, required)]
    pub metric_name: String,
    #[field(2, required)]
    pub target_average_value: Quantity,
    #[field(3)]
    pub selector: Option<Box<LabelSelector>>,
}

#[derive(Clone, Default, Schema)]
pub struct PodsMetricStatus {
    #[field(1, required)]
    pub metric_name: String,
    #[field(2, required)]
    pub current_average_value: Quantity,
    #[field(3)]
    pub selector: Option<Box<LabelSelector>>,
}

#[derive(Clone, Default, Schema)]
pub struct ResourceMetricSource {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub target_average_utilization: Option<i32>,
    #[field(3)]
    pub target_average_value: Option<Quantity>,
}

#[derive(Clone, Default, Schema)]
pub struct ResourceMetricStatus {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub current_average_utilization: Option<i32>,
    #[field(3, required)]
    pub current_average_value: Quantity,
}

#[derive(Clone, Default, Schema, Object)]
pub struct Scale {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: ScaleSpec,
    #[field(3)]
    pub status: ScaleStatus,
}

#[derive(Clone, Default, Schema)]
pub struct ScaleSpec {
    #[field(1, default = 0)]
    pub replicas: i32,
}

#[derive(Clone, Default, Schema)]
pub struct ScaleStatus {
    #[field(1, required)]
    pub replicas: i32,
    #[field(2)]
    pub selector: String,
}
