//! Validation of IngressClasses.

use rhumb_api::networking::v1::{IngressClass, IngressClassParametersReference};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::ingress::kind_and_name;
use crate::meta::{
    Scope, dns_label, dns_subdomain, domain_prefixed_path, immutable_field, object_meta, object_meta_update,
};

const MAX_CONTROLLER: usize = 250;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<IngressClass>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(class: &IngressClass, _: &Context, errors: &mut FieldErrors) {
    object_meta(&class.metadata, Scope::Cluster, name_is_dns_subdomain, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec");
    let controller = path.child("controller");
    if class.spec.controller.len() > MAX_CONTROLLER {
        errors.too_long(&controller, MAX_CONTROLLER);
    }
    domain_prefixed_path(&class.spec.controller, &controller, errors);
    if let Some(reference) = &class.spec.parameters {
        parameters(reference, &path.child("parameters"), errors);
    }
}

fn update(new: &IngressClass, old: &IngressClass, context: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec").child("controller");
    immutable_field(&new.spec.controller, &old.spec.controller, &path, errors);
    create(new, context, errors);
}

fn parameters(reference: &IngressClassParametersReference, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(group) = &reference.api_group {
        dns_subdomain(group, &path.child("apiGroup"), errors);
    }
    kind_and_name(&reference.kind, &reference.name, path, errors);
    let namespace = path.child("namespace");
    match (reference.scope.as_deref(), &reference.namespace) {
        (None, _) => errors.required(&path.child("scope"), ""),
        (Some("Namespace"), None) => {
            errors.required(&namespace, "`parameters.scope` is set to 'Namespace'");
        }
        (Some("Namespace"), Some(name)) => dns_label(name, &namespace, errors),
        (Some("Cluster"), Some(_)) => {
            errors.forbidden(&namespace, "`parameters.scope` is set to 'Cluster'");
        }
        (Some("Cluster"), None) => {}
        (Some(other), _) => errors.not_supported(&path.child("scope"), other, &["Cluster", "Namespace"]),
    }
}
