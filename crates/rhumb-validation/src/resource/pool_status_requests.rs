//! Validation of requests for the state of pools: they are asked once and answered once.

use rhumb_api::resource::v1alpha3::{
    PoolStatus, ResourcePoolStatusRequest, ResourcePoolStatusRequestSpec, ResourcePoolStatusRequestStatus,
};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{BadValue, Context, FieldErrors, FieldPath, Rules, Shown, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::lists::list;
use super::names::{Letters, MAX_POOL, long_name_problems};
use crate::internal_form::internal;
use crate::meta::{Scope, conditions, object_meta, object_meta_update};

const LIMITS: std::ops::RangeInclusive<i32> = 1..=1000;
const MAX_POOLS: usize = 1000;
const MAX_CONDITIONS: usize = 10;
const MAX_VALIDATION_ERROR: usize = 256;
const FIXED: &str = "field is immutable";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<ResourcePoolStatusRequest>(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(request: &ResourcePoolStatusRequest, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&request.metadata, Scope::Cluster, name_is_dns_subdomain, &path, errors);
    spec(&request.spec, &FieldPath::new("spec"), errors);
}

fn update(
    new: &ResourcePoolStatusRequest,
    old: &ResourcePoolStatusRequest,
    _: &Context,
    errors: &mut FieldErrors,
) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.spec != old.spec {
        errors.invalid(&FieldPath::new("spec"), &Shown("null".to_owned()), FIXED);
    }
}

fn status(
    new: &ResourcePoolStatusRequest,
    old: &ResourcePoolStatusRequest,
    _: &Context,
    errors: &mut FieldErrors,
) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("status");
    match (&new.status, &old.status) {
        (now, Some(before)) if now.as_ref() != Some(before) => {
            errors.invalid(&path, &internal(now), FIXED);
        }
        (Some(now), None) => conditions(&now.conditions, &path.child("conditions"), errors),
        _ => {}
    }
    if let Some(now) = &new.status {
        answer(now, old.status.as_deref(), &path, errors);
    }
}

fn spec(spec: &ResourcePoolStatusRequestSpec, path: &FieldPath, errors: &mut FieldErrors) {
    driver(&spec.driver, &path.child("driver"), errors);
    if let Some(name) = &spec.pool_name {
        pool(name, &path.child("poolName"), errors);
    }
    let (at, (least, most)) = (path.child("limit"), LIMITS.into_inner());
    match spec.limit {
        None => errors.required(&at, ""),
        Some(limit) if limit > most => {
            errors.invalid(&at, &limit, &format!("must be less than or equal to {most}"));
        }
        Some(limit) => at_least(&limit, &least, &at, errors),
    }
}

/// The answer, as far as it is not what it was before.
fn answer(
    now: &ResourcePoolStatusRequestStatus,
    before: Option<&ResourcePoolStatusRequestStatus>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if before.is_none_or(|before| before.pool_count != now.pool_count) {
        let at = path.child("poolCount");
        match now.pool_count {
            None => errors.required(&at, ""),
            Some(count) => at_least(&count, &0, &at, errors),
        }
    }
    if before.is_none_or(|before| before.pools != now.pools) {
        list(&now.pools, MAX_POOLS, &path.child("pools"), errors, pool_status);
    }
    if before.is_none_or(|before| before.conditions != now.conditions) {
        let earlier = |index: usize| now.conditions.iter().take(index);
        let at = path.child("conditions");
        if now.conditions.len() > MAX_CONDITIONS {
            return errors.too_many(&at, now.conditions.len(), MAX_CONDITIONS);
        }
        for (index, condition) in now.conditions.iter().enumerate().wanted() {
            if earlier(index).any(|other| other.type_ == condition.type_) {
                errors.duplicate(&at.index(index), condition);
            }
        }
    }
}

fn pool_status(status: &PoolStatus, path: &FieldPath, errors: &mut FieldErrors) {
    driver(&status.driver, &path.child("driver"), errors);
    if status.pool_name.is_empty() {
        errors.required(&path.child("poolName"), "");
    } else {
        pool(&status.pool_name, &path.child("poolName"), errors);
    }
    // Zero counts as absent.
    if status.generation == 0 {
        errors.required(&path.child("generation"), "");
    } else {
        at_least(&status.generation, &0, &path.child("generation"), errors);
    }
    for (count, least, field) in [
        (status.resource_slice_count, 1, "resourceSliceCount"),
        (status.total_devices, 0, "totalDevices"),
        (status.allocated_devices, 0, "allocatedDevices"),
        (status.available_devices, 0, "availableDevices"),
        (status.unavailable_devices, 0, "unavailableDevices"),
    ] {
        if let Some(count) = count {
            at_least(&count, &least, &path.child(field), errors);
        }
    }
    if let Some(name) = &status.node_name {
        errors.invalid_each(&path.child("nodeName"), name, long_name_problems(name, Letters::Lower));
    }
    if status.validation_error.as_ref().is_some_and(|error| error.len() > MAX_VALIDATION_ERROR) {
        errors.too_long(&path.child("validationError"), MAX_VALIDATION_ERROR);
    }
}

fn at_least<T: BadValue + PartialOrd + std::fmt::Display>(
    value: &T,
    least: &T,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if value < least {
        errors.invalid(path, value, &format!("must be greater than or equal to {least}"));
    }
}

/// The name of a driver: a domain, in any case. This kind is newer than the others and has its own words.
fn driver(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if name.is_empty() {
        return errors.required(path, "");
    }
    errors.invalid_each(path, name, long_name_problems(name, Letters::Any));
}

/// The name of a pool, in the words of this kind.
fn pool(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if name.len() > MAX_POOL {
        errors.too_long(path, MAX_POOL);
    }
    for (index, part) in name.split('/').enumerate() {
        if part.is_empty() {
            errors.invalid(path, name, &format!("segment {index}: must not be empty"));
            continue;
        }
        for problem in long_name_problems(part, Letters::Lower) {
            errors.invalid(path, part, &format!("segment {index}: {problem}"));
        }
    }
}
