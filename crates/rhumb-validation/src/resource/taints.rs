//! Taints of devices, what tolerates them, and the rules of rules that set them.

use rhumb_api::resource::v1::{DeviceTaint, DeviceToleration};
use rhumb_api::resource::v1beta2::{DeviceTaintRule, DeviceTaintRuleSpec};
use rhumb_meta::validation::{is_valid_label_value, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::names::{driver_name, pool_name};
use crate::meta::{Scope, conditions, dns_label, label_name, object_meta, object_meta_update};

const EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];
const MAX_CONDITIONS: usize = 8;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<DeviceTaintRule>(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(rule: &DeviceTaintRule, _: &Context, errors: &mut FieldErrors) {
    object_meta(&rule.metadata, Scope::Cluster, name_is_dns_subdomain, &FieldPath::new("metadata"), errors);
    spec(&rule.spec, None, &FieldPath::new("spec"), errors);
}

fn update(new: &DeviceTaintRule, old: &DeviceTaintRule, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    spec(&new.spec, Some(&old.spec.taint), &FieldPath::new("spec"), errors);
}

fn status(new: &DeviceTaintRule, old: &DeviceTaintRule, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("status").child("conditions");
    conditions(&new.status.conditions, &path, errors);
    if new.status.conditions.len() > MAX_CONDITIONS {
        errors.too_many(&path, new.status.conditions.len(), MAX_CONDITIONS);
    }
}

fn spec(spec: &DeviceTaintRuleSpec, old: Option<&DeviceTaint>, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(selector) = &spec.device_selector {
        let path = path.child("deviceSelector");
        if let Some(driver) = &selector.driver {
            driver_name(driver, &path.child("driver"), errors);
        }
        if let Some(pool) = &selector.pool {
            pool_name(pool, &path.child("pool"), errors);
        }
        if let Some(device) = &selector.device {
            dns_label(device, &path.child("device"), errors);
        }
    }
    taint(&spec.taint, old, &path.child("taint"), errors);
}

/// A taint. An effect that nobody knows may stay if it was there before.
pub(super) fn taint(
    taint: &DeviceTaint,
    old: Option<&DeviceTaint>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    label_name(&taint.key, &path.child("key"), errors);
    errors.invalid_each(&path.child("value"), &taint.value, is_valid_label_value(&taint.value));
    if old.is_some_and(|old| old.effect == taint.effect) {
        return;
    }
    let path = path.child("effect");
    if taint.effect.is_empty() {
        errors.required(&path, "");
    } else {
        effect(&taint.effect, &path, errors);
    }
}

/// What a request puts up with.
pub(super) fn toleration(toleration: &DeviceToleration, path: &FieldPath, errors: &mut FieldErrors) {
    if !toleration.key.is_empty() {
        label_name(&toleration.key, &path.child("key"), errors);
    }
    let value = &toleration.value;
    match toleration.operator.as_str() {
        "Exists" if !value.is_empty() => {
            errors.invalid(&path.child("value"), value, "must be empty for operator `Exists`");
        }
        "Exists" => {}
        "Equal" => errors.invalid_each(&path.child("value"), value, is_valid_label_value(value)),
        "" => errors.required(&path.child("operator"), ""),
        other => errors.not_supported(&path.child("operator"), &Named(other), &["Equal", "Exists"]),
    }
    if !toleration.effect.is_empty() {
        effect(&toleration.effect, &path.child("effect"), errors);
    }
}

fn effect(effect: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if !EFFECTS.contains(&effect) {
        errors.not_supported(path, &Named(effect), &EFFECTS);
    }
}
