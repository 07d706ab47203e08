//! Strategies of `apps`, shared by kinds of `extensions` with the same hub.

mod daemon_sets;
mod deployments;
mod replica_sets;
mod stateful_sets;

use rhumb_api::apps::v1::ControllerRevision;

use crate::error::RegisterError;
use crate::registry::StrategiesBuilder;
use crate::strategy::Strategy;

const GROUP: &str = "apps";
const EXTENSIONS: &str = "extensions";
const VERSIONS: &[&str] = &["apps/v1"];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(Strategy::<ControllerRevision>::new(GROUP, "ControllerRevision"))?;
    daemon_sets::register(builder)?;
    deployments::register(builder)?;
    replica_sets::register(builder)?;
    stateful_sets::register(builder)
}
