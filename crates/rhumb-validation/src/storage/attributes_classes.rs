//! Validation of classes of volume attributes.

use rhumb_api::storage::v1::VolumeAttributesClass;
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::classes::{NoParameters, parameters, provisioner};
use crate::meta::{Scope, object_meta, object_meta_update};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<VolumeAttributesClass>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(class: &VolumeAttributesClass, _: &Context, errors: &mut FieldErrors) {
    object_meta(&class.metadata, Scope::Cluster, name_is_dns_subdomain, &FieldPath::new("metadata"), errors);
    provisioner(&class.driver_name, &FieldPath::new("driverName"), errors);
    parameters(&class.parameters, NoParameters::Refused, &FieldPath::new("parameters"), errors);
}

fn update(
    new: &VolumeAttributesClass,
    old: &VolumeAttributesClass,
    context: &Context,
    errors: &mut FieldErrors,
) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.driver_name != old.driver_name {
        errors.forbidden(&FieldPath::new("driverName"), "updates to driverName are forbidden.");
    }
    if new.parameters != old.parameters {
        errors.forbidden(&FieldPath::new("parameters"), "updates to parameters are forbidden.");
    }
    create(new, context, errors);
}
