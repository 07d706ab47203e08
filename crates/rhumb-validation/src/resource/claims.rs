//! Validation of claims and of their templates. What they ask for is fixed.

use rhumb_api::resource::v1::{ResourceClaim, ResourceClaimTemplate};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::claim_status::claim_status;
use super::requests::device_claim;
use crate::core::claim_template::template_metadata;
use crate::internal_form::internal;
use crate::meta::{Scope, object_meta, object_meta_update};

const FIXED: &str = "field is immutable";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder
        .rules::<ResourceClaim>(Rules::create(create).update(update).on("status", status))?
        .rules::<ResourceClaimTemplate>(Rules::create(create_template).update(update_template))?;
    Ok(())
}

fn create(claim: &ResourceClaim, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&claim.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    device_claim(&claim.spec.devices, &FieldPath::new("spec").child("devices"), errors);
}

fn update(new: &ResourceClaim, old: &ResourceClaim, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&new.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    object_meta_update(&new.metadata, &old.metadata, &path, errors);
    if new.spec != old.spec {
        errors.invalid(&FieldPath::new("spec"), &internal(&new.spec), FIXED);
    }
}

fn status(new: &ResourceClaim, old: &ResourceClaim, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    claim_status(new, old, &FieldPath::new("status"), errors);
}

fn create_template(template: &ResourceClaimTemplate, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&template.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    let path = FieldPath::new("spec");
    template_metadata(&template.spec.metadata, &path.child("metadata"), errors);
    device_claim(&template.spec.spec.devices, &path.child("spec").child("devices"), errors);
}

fn update_template(
    new: &ResourceClaimTemplate,
    old: &ResourceClaimTemplate,
    context: &Context,
    errors: &mut FieldErrors,
) {
    create_template(new, context, errors);
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.spec != old.spec {
        errors.invalid(&FieldPath::new("spec"), &internal(&new.spec), FIXED);
    }
}
