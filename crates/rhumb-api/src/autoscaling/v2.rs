//! `autoscaling/v2`.

use rhumb_meta::Object;
use rhumb_meta::Quantity;
use rhumb_meta::Time;
use rhumb_meta::v1::LabelSelector;
use rhumb_meta::v1::ListMeta;
use rhumb_meta::v1::ObjectMeta;
use rhumb_meta::v1::TypeMeta;
use rhumb_schema::Schema;


#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerResourceMetricSource {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub target: MetricTarget,
    #[field(3, required)]
    pub container: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ContainerResourceMetricStatus {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub current: MetricValueStatus,
    #[field(3, required)]
    pub container: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct CrossVersionObjectReference {
    #[field(1, required)]
    pub kind: String,
    #[field(2, required)]
    pub name: String,
    #[field(3)]
    pub api_version: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ExternalMetricSource {
    #[field(1, required)]
    pub metric: MetricIdentifier,
    #[field(2, required)]
    pub target: MetricTarget,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ExternalMetricStatus {
    #[field(1, required)]
    pub metric: MetricIdentifier,
    #[field(2, required)]
    pub current: MetricValueStatus,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct HPAScalingPolicy {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub value: i32,
    #[field(3, required)]
    pub period_seconds: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct HPAScalingRules {
    #[field(3)]
    pub stabilization_window_seconds: Option<i32>,
    #[field(1)]
    pub select_policy: Option<String>,
    #[field(2, list = "atomic")]
    pub policies: Vec<HPAScalingPolicy>,
    #[field(4)]
    pub tolerance: Option<Quantity>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct HorizontalPodAutoscalerBehavior {
    #[field(1)]
    pub scale_up: Option<Box<HPAScalingRules>>,
    #[field(2)]
    pub scale_down: Option<Box<HPAScalingRules>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct HorizontalPodAutoscalerCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(3)]
    pub last_transition_time: Time,
    #[field(4)]
    pub reason: String,
    #[field(5)]
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct HorizontalPodAutoscalerList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<HorizontalPodAutoscaler>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct HorizontalPodAutoscalerSpec {
    #[field(1, required)]
    pub scale_target_ref: CrossVersionObjectReference,
    #[field(2)]
    pub min_replicas: Option<i32>,
    #[field(3, required)]
    pub max_replicas: i32,
    #[field(4, list = "atomic")]
    pub metrics: Vec<MetricSpec>,
    #[field(5)]
    pub behavior: Option<Box<HorizontalPodAutoscalerBehavior>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct HorizontalPodAutoscalerStatus {
    #[field(1)]
    pub observed_generation: Option<i64>,
    #[field(2)]
    pub last_scale_time: Option<Time>,
    #[field(3)]
    pub current_replicas: i32,
    #[field(4, required)]
    pub desired_replicas: i32,
    #[field(5, shown, list = "atomic")]
    pub current_metrics: Vec<MetricStatus>,
    #[field(6, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<HorizontalPodAutoscalerCondition>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct MetricIdentifier {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
    pub selector: Option<Box<LabelSelector>>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema)]
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

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct MetricTarget {
    #[field(1, required)]
    pub type_: String,
    #[field(2)]
    pub value: Option<Quantity>,
    #[field(3)]
    pub average_value: Option<Quantity>,
    #[field(4)]
    pub average_utilization: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct MetricValueStatus {
    #[field(1)]
    pub value: Option<Quantity>,
    #[field(2)]
    pub average_value: Option<Quantity>,
    #[field(3)]
    pub average_utilization: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ObjectMetricSource {
    #[field(1, required)]
    pub described_object: CrossVersionObjectReference,
    #[field(2, required)]
    pub target: MetricTarget,
    #[field(3, required)]
    pub metric: MetricIdentifier,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ObjectMetricStatus {
    #[field(1, required)]
    pub metric: MetricIdentifier,
    #[field(2, required)]
    pub current: MetricValueStatus,
    #[field(3, required)]
    pub described_object: CrossVersionObjectReference,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodsMetricSource {
    #[field(1, required)]
    pub metric: MetricIdentifier,
    #[field(2, required)]
    pub target: MetricTarget,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct PodsMetricStatus {
    #[field(1, required)]
    pub metric: MetricIdentifier,
    #[field(2, required)]
    pub current: MetricValueStatus,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ResourceMetricSource {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub target: MetricTarget,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct ResourceMetricStatus {
    #[field(1, required)]
    pub name: String,
    #[field(2, required)]
    pub current: MetricValueStatus,
}
