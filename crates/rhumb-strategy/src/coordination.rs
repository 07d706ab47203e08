//! Strategies of `coordination.k8s.io`. Coordinated leader election is off by default, so its fields are dropped.

use rhumb_api::coordination::v1::Lease;
use rhumb_api::coordination::v1beta1::LeaseCandidate;

use crate::context::Context;
use crate::error::RegisterError;
use crate::registry::StrategiesBuilder;
use crate::strategy::Strategy;

const GROUP: &str = "coordination.k8s.io";

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder
        .add(
            Strategy::new(GROUP, "Lease")
                .create_on_update()
                .conditional_update()
                .create(create)
                .update(update),
        )?
        .add(
            Strategy::<LeaseCandidate>::new(GROUP, "LeaseCandidate").create_on_update().conditional_update(),
        )?;
    Ok(())
}

fn create(lease: &mut Lease, _: &Context) {
    lease.spec.strategy = None;
    lease.spec.preferred_holder = None;
}

fn update(new: &mut Lease, old: &Lease, _: &Context) {
    if old.spec.strategy.is_none() {
        new.spec.strategy = None;
    }
    if old.spec.preferred_holder.is_none() {
        new.spec.preferred_holder = None;
    }
}
