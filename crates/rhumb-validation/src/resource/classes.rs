//! Validation of device classes.

use rhumb_api::resource::v1::{DeviceClass, DeviceClassSpec};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::configuration::{MAX_CONFIGS, Origin, configuration, selectors};
use super::lists::list;
use super::names::{Letters, long_name_problems};
use crate::core::resources::is_extended_resource;
use crate::meta::{Scope, object_meta_update, object_meta_with};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<DeviceClass>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(class: &DeviceClass, _: &Context, errors: &mut FieldErrors) {
    object_meta_with(&class.metadata, Scope::Cluster, class_name, &FieldPath::new("metadata"), errors);
    spec(&class.spec, None, &FieldPath::new("spec"), errors);
}

fn update(new: &DeviceClass, old: &DeviceClass, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta_with(&new.metadata, Scope::Cluster, class_name, &path, errors);
    object_meta_update(&new.metadata, &old.metadata, &path, errors);
    spec(&new.spec, Some(&old.spec), &FieldPath::new("spec"), errors);
}

fn class_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, name, long_name_problems(name, Letters::Lower));
}

fn spec(spec: &DeviceClassSpec, old: Option<&DeviceClassSpec>, path: &FieldPath, errors: &mut FieldErrors) {
    selectors(&spec.selectors, &path.child("selectors"), errors);
    let origin = Origin::stored_if(old.is_some_and(|old| old.config == spec.config));
    list(&spec.config, MAX_CONFIGS, &path.child("config"), errors, |config, path, errors| {
        configuration(&config.device_configuration, origin, path, errors);
    });
    if let Some(name) = spec.extended_resource_name.as_ref().filter(|name| !is_extended_resource(name)) {
        let detail = "must be a valid extended resource name";
        errors.invalid(&path.child("extendedResourceName"), name, detail);
    }
}
