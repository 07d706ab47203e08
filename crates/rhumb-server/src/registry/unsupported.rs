//! What is refused rather than ignored, because this server could not keep to it: mutating policies, conversion
//! and admission by webhooks.

use rhumb_api::admissionregistration::v1::{
    MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
};
use rhumb_api::apiextensions::v1beta1::CustomResourceDefinition;
use rhumb_meta::Object;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

const CONVERSION: &str = "conversion by webhooks is not supported by this server yet";
const WEBHOOKS: &str = "admission webhooks are not supported by this server yet";
const POLICIES: &str = "mutating admission policies are not supported by this server yet";

/// What an object asks for that can't be had. An update is forgiven what was there before.
pub(crate) fn find(new: &dyn Object, old: Option<&dyn Object>) -> FieldErrors {
    let errors = all(new);
    if errors.is_empty() || old.is_some_and(|old| !all(old).is_empty()) {
        return FieldErrors::default();
    }
    errors
}

fn all(object: &dyn Object) -> FieldErrors {
    let mut errors = FieldErrors::default();
    if let Some(definition) = object.downcast_ref::<CustomResourceDefinition>() {
        in_definition(definition, &mut errors);
    }
    let has_webhooks = object
        .downcast_ref::<ValidatingWebhookConfiguration>()
        .map(|configuration| !configuration.webhooks.is_empty())
        .or_else(|| {
            let configuration = object.downcast_ref::<MutatingWebhookConfiguration>()?;
            Some(!configuration.webhooks.is_empty())
        });
    if has_webhooks == Some(true) {
        errors.forbidden(&FieldPath::new("webhooks"), WEBHOOKS);
    }
    let is_policy = object.is::<MutatingAdmissionPolicy>() || object.is::<MutatingAdmissionPolicyBinding>();
    if is_policy {
        errors.forbidden(&FieldPath::new("spec"), POLICIES);
    }
    errors
}

fn in_definition(definition: &CustomResourceDefinition, errors: &mut FieldErrors) {
    let conversion = definition.spec.conversion.as_deref();
    if conversion.is_some_and(|conversion| conversion.strategy == "Webhook") {
        errors.forbidden(&FieldPath::new("spec").child("conversion").child("strategy"), CONVERSION);
    }
}
