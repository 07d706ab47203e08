//! `autoscaling/v2beta2`: v2 before it was called so. It knows no tolerances.

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

/// How fast to scale in one direction.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::HPAScalingRules, lacks(tolerance))]
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
    #[field(2)]
    pub policies: Vec<HPAScalingPolicy>,
}

/// Changes the number of pods of something so that one or more metrics stay near their targets.
#[derive(Clone, Default, Schema, Object, Convert)]
#[schema(retired)]
#[convert(hub = super::v2::HorizontalPodAutoscaler)]
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

/// How fast to scale.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v2::HorizontalPodAutoscalerBehavior)]
pub struct HorizontalPodAutoscalerBehavior {
    /// The rules for adding pods.
    #[field(1)]
    pub scale_up: Option<Box<HPAScalingRules>>,
    /// The rules for removing pods.
    #[field(2)]
    pub scale_down: Option<Box<HPAScalingRules>>,
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
#[convert(hub = super::v2::HorizontalPodAutoscalerSpec)]
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
    /// How fast to scale.
    #[field(5)]
    pub behavior: Option<Box<HorizontalPodAutoscalerBehavior>>,
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
