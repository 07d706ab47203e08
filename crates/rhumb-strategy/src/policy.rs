//! Strategies of `policy`.

use rhumb_api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus};

use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{fresh_counted, has_status, keep_spec, keep_status_counted};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(PodDisruptionBudget: PodDisruptionBudgetSpec, PodDisruptionBudgetStatus);

const VERSIONS: &[&str] = &["policy/v1beta1", "policy/v1"];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::<PodDisruptionBudget>::new("policy", "PodDisruptionBudget")
            .conditional_update()
            .generation(Generation::Counted)
            .create(fresh_counted)
            .update(keep_status_counted)
            .resets(VERSIONS, STATUS)
            .on("status", Part::new(keep_spec).resets(VERSIONS, SPEC)),
    )?;
    Ok(())
}
