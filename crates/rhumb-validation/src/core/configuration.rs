//! Validation of config maps.

use rhumb_api::core::v1::ConfigMap;
use rhumb_meta::validation::{is_config_map_key, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, object_meta, object_meta_update};

/// The most bytes that all values together may have.
const MAX_SIZE: usize = 1024 * 1024;
const FROZEN: &str = "field is immutable when `immutable` is set";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<ConfigMap>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(map: &ConfigMap, _: &Context, errors: &mut FieldErrors) {
    object_meta(&map.metadata, Scope::Namespaced, name_is_dns_subdomain, &FieldPath::new("metadata"), errors);
    let data = FieldPath::new("data");
    for key in map.data.keys() {
        errors.invalid_each(&data.key(key), key, is_config_map_key(key));
        if map.binary_data.contains_key(key) {
            errors.invalid(&data.key(key), key, "duplicate of key present in binaryData");
        }
    }
    let binary_data = FieldPath::new("binaryData");
    for key in map.binary_data.keys() {
        errors.invalid_each(&binary_data.key(key), key, is_config_map_key(key));
    }
    let texts = map.data.values().map(String::len);
    let total: usize = texts.chain(map.binary_data.values().map(|bytes| bytes.0.len())).sum();
    if total > MAX_SIZE {
        errors.too_long(&FieldPath::new(""), MAX_SIZE);
    }
}

fn update(new: &ConfigMap, old: &ConfigMap, context: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if old.immutable == Some(true) {
        for (changed, field) in [
            (new.immutable != Some(true), "immutable"),
            (new.data != old.data, "data"),
            (new.binary_data != old.binary_data, "binaryData"),
        ] {
            if changed {
                errors.forbidden(&FieldPath::new(field), FROZEN);
            }
        }
    }
    create(new, context, errors);
}
