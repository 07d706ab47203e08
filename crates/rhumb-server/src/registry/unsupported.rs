//! What is refused rather than ignored, because this server could not keep to it: rules in CEL, conversion and
//! admission by webhooks.

use rhumb_api::admissionregistration::v1::{
    MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
};
use rhumb_api::apiextensions::v1beta1::{CustomResourceDefinition, JSONSchemaProps};
use rhumb_meta::Object;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

const RULES: &str = "validation rules in CEL are not supported by this server yet";
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
    let spec = FieldPath::new("spec");
    let at_top = definition.spec.validation.as_deref().map(|schema| (spec.child("validation"), schema));
    let versions = definition.spec.versions.iter().enumerate().filter_map(|(index, version)| {
        let path = spec.child("versions").index(index).child("schema");
        version.schema.as_deref().map(|schema| (path, schema))
    });
    for (path, schema) in at_top.into_iter().chain(versions) {
        if let Some(schema) = schema.open_api_v3_schema.as_deref() {
            in_schema(schema, &path.child("openAPIV3Schema"), errors);
        }
    }
    let conversion = definition.spec.conversion.as_deref();
    if conversion.is_some_and(|conversion| conversion.strategy == "Webhook") {
        errors.forbidden(&spec.child("conversion").child("strategy"), CONVERSION);
    }
}

/// Finds rules in a schema. Decoders bound how deep schemas are.
fn in_schema(schema: &JSONSchemaProps, path: &FieldPath, errors: &mut FieldErrors) {
    if !schema.x_kubernetes_validations.is_empty() {
        errors.forbidden(&path.child("x-kubernetes-validations"), RULES);
    }
    for (name, property) in &schema.properties {
        in_schema(property, &path.child("properties").key(name), errors);
    }
    if let Some(additional) = schema.additional_properties.as_ref().and_then(|found| found.schema.as_deref())
    {
        in_schema(additional, &path.child("additionalProperties"), errors);
    }
    if let Some(items) = schema.items.as_ref().and_then(|items| items.schema.as_deref()) {
        in_schema(items, &path.child("items"), errors);
    }
    for (name, parts) in [("allOf", &schema.all_of), ("anyOf", &schema.any_of), ("oneOf", &schema.one_of)] {
        for (index, part) in parts.iter().enumerate() {
            in_schema(part, &path.child(name).index(index), errors);
        }
    }
}
