//! Strategies of `autoscaling`.

use rhumb_api::autoscaling::v2::{
    HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, HorizontalPodAutoscalerStatus,
};

use crate::error::RegisterError;
use crate::parts::{fresh, has_status, keep_spec, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(HorizontalPodAutoscaler: HorizontalPodAutoscalerSpec, HorizontalPodAutoscalerStatus);

const VERSIONS: &[&str] = &["autoscaling/v1", "autoscaling/v2"];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::<HorizontalPodAutoscaler>::new("autoscaling", "HorizontalPodAutoscaler")
            .create(fresh)
            .update(keep_status)
            .resets(VERSIONS, STATUS)
            .on("status", Part::new(keep_spec).resets(VERSIONS, SPEC)),
    )?;
    Ok(())
}
