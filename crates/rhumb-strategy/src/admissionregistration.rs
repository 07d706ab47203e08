//! Strategies of `admissionregistration.k8s.io`.

use rhumb_api::admissionregistration::v1::{
    MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingAdmissionPolicyBindingSpec,
    MutatingAdmissionPolicySpec, MutatingWebhookConfiguration, ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding, ValidatingAdmissionPolicyBindingSpec, ValidatingAdmissionPolicySpec,
    ValidatingAdmissionPolicyStatus, ValidatingWebhookConfiguration,
};
use rhumb_meta::Object;
use rhumb_schema::text::quoted;

use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{
    count, first, fresh_counted, has_spec, has_status, keep_spec_and_metadata, keep_status_counted, next,
};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC_AND_METADATA, STATUS};
use crate::strategy::{Part, Strategy};

const GROUP: &str = "admissionregistration.k8s.io";
const VERSIONS: &[&str] = &[
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "admissionregistration.k8s.io/v1",
];
const STATIC_SUFFIX: &str = ".static.k8s.io";

has_status!(ValidatingAdmissionPolicy: ValidatingAdmissionPolicySpec, ValidatingAdmissionPolicyStatus);
has_spec!(
    MutatingAdmissionPolicy: MutatingAdmissionPolicySpec,
    MutatingAdmissionPolicyBinding: MutatingAdmissionPolicyBindingSpec,
    ValidatingAdmissionPolicyBinding: ValidatingAdmissionPolicyBindingSpec,
);

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    let validating: Strategy<ValidatingAdmissionPolicy> = counted("ValidatingAdmissionPolicy");
    builder
        .add(validating.create(fresh_counted).update(keep_status_counted).resets(VERSIONS, STATUS).on(
            "status",
            Part::new(keep_spec_and_metadata).warn(|new, _| warn(new)).resets(VERSIONS, SPEC_AND_METADATA),
        ))?
        .add(
            counted::<ValidatingAdmissionPolicyBinding>("ValidatingAdmissionPolicyBinding")
                .create(first)
                .update(count),
        )?
        .add(counted::<MutatingAdmissionPolicy>("MutatingAdmissionPolicy").create(first).update(count))?
        .add(
            counted::<MutatingAdmissionPolicyBinding>("MutatingAdmissionPolicyBinding")
                .create(first)
                .update(count),
        )?
        .add(
            counted::<ValidatingWebhookConfiguration>("ValidatingWebhookConfiguration")
                .create(|configuration, _| configuration.metadata.generation = 1)
                .update(|new, old, _| {
                    if new.webhooks != old.webhooks {
                        next(&mut new.metadata, &old.metadata);
                    }
                }),
        )?
        .add(
            counted::<MutatingWebhookConfiguration>("MutatingWebhookConfiguration")
                .create(|configuration, _| configuration.metadata.generation = 1)
                .update(|new, old, _| {
                    if new.webhooks != old.webhooks {
                        next(&mut new.metadata, &old.metadata);
                    }
                }),
        )?;
    Ok(())
}

/// Returns the common strategy of the group's kinds.
fn counted<T: Object>(kind: &'static str) -> Strategy<T> {
    Strategy::new(GROUP, kind)
        .conditional_update()
        .generation(Generation::Counted)
        .warn_create(warn)
        .warn_update(|new, _| warn(new))
}

/// Warns about names reserved for objects from files.
fn warn<T: Object>(object: &T) -> Vec<String> {
    let reserved = object.metadata().is_some_and(|metadata| metadata.name.ends_with(STATIC_SUFFIX));
    let warning = || {
        format!(
            "metadata.name: names ending with {} are reserved for static manifest-based configurations and \
             cannot be managed via the API",
            quoted(STATIC_SUFFIX)
        )
    };
    reserved.then(warning).into_iter().collect()
}
