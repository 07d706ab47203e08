//! `autoscaling/v2beta2`.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

pub use super::v2::{
    ContainerResourceMetricSource, ContainerResourceMetricStatus, CrossVersionObjectReference,
    ExternalMetricSource, ExternalMetricStatus, HPAScalingPolicy, HorizontalPodAutoscalerCondition,
    MetricIdentifier, MetricSpec, MetricStatus, MetricTarget, MetricValueStatus, ObjectMetricSource,
    ObjectMetricStatus, PodsMetricSource, PodsMetricStatus, ResourceMetricSource, ResourceMetricStatus,
};

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::HPAScalingRules)]
pub struct HPAScalingRules {
    #[field(3)]
    pub stabilization_window_seconds: Option<i32>,
    #[field(1)]
    pub select_policy: Option<String>,
    #[field(2)]
    pub policies: Vec<HPAScalingPolicy>,
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

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::HorizontalPodAutoscalerBehavior)]
pub struct HorizontalPodAutoscalerBehavior {
    #[field(1)]
    pub scale_up: Option<Box<HPAScalingRules>>,
    #[field(2)]
    pub scale_down: Option<Box<HPAScalingRules>>,
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
    #[field(5)]
    pub behavior: Option<Box<HorizontalPodAutoscalerBehavior>>,
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
