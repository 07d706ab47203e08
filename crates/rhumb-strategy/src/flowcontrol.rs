//! Strategies of `flowcontrol.apiserver.k8s.io`.

use rhumb_api::flowcontrol::v1::{
    FlowSchema, FlowSchemaSpec, FlowSchemaStatus, PriorityLevelConfiguration, PriorityLevelConfigurationSpec,
    PriorityLevelConfigurationStatus,
};
use rhumb_meta::Object;

use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{HasStatus, fresh_counted, has_status, keep_spec, keep_status_counted};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC_AND_METADATA, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(
    FlowSchema: FlowSchemaSpec, FlowSchemaStatus;
    PriorityLevelConfiguration: PriorityLevelConfigurationSpec, PriorityLevelConfigurationStatus;
);

const VERSIONS: &[&str] = &[
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "flowcontrol.apiserver.k8s.io/v1",
];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder
        .add(both::<FlowSchema>("FlowSchema"))?
        .add(both::<PriorityLevelConfiguration>("PriorityLevelConfiguration"))?;
    Ok(())
}

fn both<T: Object + HasStatus>(kind: &'static str) -> Strategy<T> {
    Strategy::new("flowcontrol.apiserver.k8s.io", kind)
        .generation(Generation::Counted)
        .create(fresh_counted)
        .update(keep_status_counted)
        .resets(VERSIONS, STATUS)
        .on("status", Part::new(update_status).resets(VERSIONS, SPEC_AND_METADATA))
}

/// Keeps all old metadata on status updates, except managed fields, which have the writer of the status.
fn update_status<T: HasStatus>(new: &mut T, old: &T, context: &Context) {
    let managed_fields = std::mem::take(&mut new.meta_mut().managed_fields);
    *new.meta_mut() = old.meta().clone();
    new.meta_mut().managed_fields = managed_fields;
    keep_spec(new, old, context);
}
