//! Validation of limit ranges.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::core::v1::{LimitRange, LimitRangeItem};
use rhumb_meta::validation::{is_qualified_name, name_is_dns_subdomain};
use rhumb_meta::{Format, ObjectMeta, Quantity};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::quota_resources::is_overcommit_allowed;
use super::resources::{container_resource_name, resource_name};
use crate::meta::{Scope, object_meta};

type Resources = BTreeMap<String, Quantity>;

/// Above this, thousandths don't fit 64 bits.
const MAX_MILLI: i64 = i64::MAX / 1000;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<LimitRange>(Rules::create(create))?;
    Ok(())
}

fn create(range: &LimitRange, _: &Context, errors: &mut FieldErrors) {
    metadata(&range.metadata, errors);
    let mut types = BTreeSet::new();
    for (index, item) in range.spec.limits.iter().enumerate().wanted() {
        let path = FieldPath::new("spec").child("limits").index(index);
        limit_type(&item.type_, &path.child("type"), errors);
        if !types.insert(&item.type_) {
            errors.duplicate(&path.child("type"), &Named(&item.type_));
        }
        names(item, &path, errors);
        let all = [&item.max, &item.min, &item.max_limit_request_ratio];
        let defaults = [&item.default, &item.default_request];
        let checked = all.into_iter().chain(defaults.into_iter().filter(|_| item.type_ != "Pod"));
        for name in checked.flat_map(BTreeMap::keys).collect::<BTreeSet<_>>() {
            bounds(item, name, &path, errors);
        }
    }
}

fn metadata(metadata: &ObjectMeta, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
}

fn limit_type(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let found = is_qualified_name(name);
    let standard = matches!(name, "Pod" | "Container" | "PersistentVolumeClaim");
    if found.is_empty() && !name.contains('/') && !standard {
        errors.invalid(path, &Named(name), "must be a standard limit type or fully qualified");
    }
    errors.invalid_each(path, &Named(name), found);
}

/// The names of the resources, and which of the maps may be there.
fn names(item: &LimitRangeItem, path: &FieldPath, errors: &mut FieldErrors) {
    let check = match item.type_.as_str() {
        "Pod" | "Container" => container_resource_name,
        _ => resource_name,
    };
    let names = |resources: &Resources, field: &str, errors: &mut FieldErrors| {
        resources.keys().for_each(|name| check(name, &path.child(field).key(name), errors));
    };
    names(&item.max, "max", errors);
    names(&item.min, "min", errors);
    for (resources, field) in [(&item.default, "default"), (&item.default_request, "defaultRequest")] {
        if item.type_ != "Pod" {
            names(resources, field, errors);
        } else if !resources.is_empty() {
            errors.forbidden(&path.child(field), "may not be specified when `type` is 'Pod'");
        }
    }
    let has_storage = |resources: &Resources| resources.contains_key("storage");
    if item.type_ == "PersistentVolumeClaim" && !has_storage(&item.min) && !has_storage(&item.max) {
        let detail = "either minimum or maximum storage value is required, but neither was provided";
        errors.required(&path.child("limits"), detail);
    }
    names(&item.max_limit_request_ratio, "maxLimitRequestRatio", errors);
}

/// The bounds of one resource against each other.
fn bounds(item: &LimitRangeItem, name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let defaults = |resources: &'_ Resources| -> Option<Quantity> {
        resources.get(name).filter(|_| item.type_ != "Pod").cloned()
    };
    let (min, max) = (item.min.get(name), item.max.get(name));
    let (default, request) = (defaults(&item.default), defaults(&item.default_request));
    let (default, request) = (default.as_ref(), request.as_ref());
    // Which is larger than which, where that is told, and which of them is shown.
    let orders = [
        (min, max, "min", min, "min value", "max value"),
        (min, request, "defaultRequest", request, "min value", "default request value"),
        (request, max, "defaultRequest", request, "default request value", "max value"),
        (request, default, "defaultRequest", request, "default request value", "default limit value"),
        (min, default, "default", min, "min value", "default value"),
        (default, max, "default", max, "default value", "max value"),
    ];
    for (small, large, field, shown, of_small, of_large) in orders {
        if let (Some(small), Some(large), Some(shown)) = (small, large, shown)
            && small > large
        {
            let detail = format!("{of_small} {small} is greater than {of_large} {large}");
            errors.invalid(&path.child(field).key(name), shown, &detail);
        }
    }
    if let Some(most) = item.max_limit_request_ratio.get(name) {
        ratio(most, min, max, &path.child("maxLimitRequestRatio").key(name), errors);
    }
    if let (Some(default), Some(request)) = (default, request)
        && !is_overcommit_allowed(name)
        && default != request
    {
        let detail =
            format!("default value {default} must equal to defaultRequest value {request} in {name}");
        errors.invalid(&path.child("defaultRequest").key(name), request, &detail);
    }
}

fn ratio(
    most: &Quantity,
    min: Option<&Quantity>,
    max: Option<&Quantity>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if *most < Quantity::from_i64(1, Format::DecimalSI) {
        errors.invalid(path, most, &format!("ratio {most} is less than 1"));
    }
    let (Some(min), Some(max)) = (min, max) else { return };
    let fine = [most, min, max].iter().all(|quantity| quantity.value() < MAX_MILLI);
    let (value, limit) = if fine {
        (most.milli_value() as f64 / 1000.0, max.milli_value() as f64 / min.milli_value() as f64)
    } else {
        (most.value() as f64, max.value() as f64 / min.value() as f64)
    };
    if value > limit {
        errors.invalid(path, most, &format!("ratio {most} is greater than max/min = {limit:.6}"));
    }
}
