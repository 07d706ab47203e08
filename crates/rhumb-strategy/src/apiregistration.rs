//! Strategies of `apiregistration.k8s.io`.

use rhumb_api::apiregistration::v1::{APIService, APIServiceCondition, APIServiceSpec, APIServiceStatus};

use crate::context::Context;
use crate::error::RegisterError;
use crate::parts::{fresh, has_status, keep_spec, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC_AND_METADATA, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(APIService: APIServiceSpec, APIServiceStatus);

const VERSIONS: &[&str] = &["apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1beta1"];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("apiregistration.k8s.io", "APIService")
            .conditional_update()
            .create(create)
            .update(keep_status)
            .resets(VERSIONS, STATUS)
            .on("status", Part::new(update_status).resets(VERSIONS, SPEC_AND_METADATA)),
    )?;
    Ok(())
}

/// Marks local API services as available.
fn create(service: &mut APIService, context: &Context) {
    fresh(service, context);
    if service.spec.service.is_none() {
        service.status.conditions.push(APIServiceCondition {
            type_: "Available".to_owned(),
            status: "True".to_owned(),
            last_transition_time: context.now,
            reason: "Local".to_owned(),
            message: "Local APIServices are always available".to_owned(),
        });
    }
}

fn update_status(new: &mut APIService, old: &APIService, context: &Context) {
    keep_spec(new, old, context);
    let (metadata, before) = (&mut new.metadata, &old.metadata);
    metadata.labels.clone_from(&before.labels);
    metadata.annotations.clone_from(&before.annotations);
    metadata.finalizers.clone_from(&before.finalizers);
    metadata.owner_references.clone_from(&before.owner_references);
}
