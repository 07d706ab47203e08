//! Validation of slices of devices.

use std::collections::HashMap;

use rhumb_api::resource::v1::{CounterSet, Device, ResourceSlice, ResourceSliceSpec};
use rhumb_meta::validation::{NamePart, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Shown};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::devices::{counters, device};
use super::lists::set;
use super::names::{driver_name, pool_name};
use crate::core::affinity::{LabelValues, node_selector};
use crate::internal_form::internal;
use crate::meta::{Scope, dns_label, immutable_field, object_meta, object_meta_update};

const MAX_DEVICES: usize = 128;
/// The most devices in a slice if any of them has more than a few plain values.
const MAX_ADVANCED_DEVICES: usize = 64;
const MAX_COUNTER_SETS: usize = 8;
const TRUE_OR_UNSET: &str = "must be either unset or set to true";
const ONE_OF: &str =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<ResourceSlice>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(slice: &ResourceSlice, _: &Context, errors: &mut FieldErrors) {
    object_meta(&slice.metadata, Scope::Cluster, name_is_dns_subdomain, &FieldPath::new("metadata"), errors);
    spec(&slice.spec, None, &FieldPath::new("spec"), errors);
}

fn update(new: &ResourceSlice, old: &ResourceSlice, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    spec(&new.spec, Some(&old.spec), &FieldPath::new("spec"), errors);
}

fn spec(
    spec: &ResourceSliceSpec,
    old: Option<&ResourceSliceSpec>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    driver_name(&spec.driver, &path.child("driver"), errors);
    let pool = path.child("pool");
    pool_name(&spec.pool.name, &pool.child("name"), errors);
    let (count, generation) = (spec.pool.resource_slice_count, spec.pool.generation);
    if count <= 0 {
        errors.invalid(&pool.child("resourceSliceCount"), &count, "must be greater than zero");
    }
    if generation < 0 {
        errors.invalid(&pool.child("generation"), &generation, "must be greater than or equal to zero");
    }
    if let Some(old) = old {
        immutable_field(&spec.pool.name, &old.pool.name, &pool.child("name"), errors);
        immutable_field(&spec.driver, &old.driver, &path.child("driver"), errors);
        immutable_field(&spec.node_name, &old.node_name, &path.child("nodeName"), errors);
    }
    nodes(spec, path, errors);
    if !spec.shared_counters.is_empty() && !spec.devices.is_empty() {
        errors.invalid(path, "", "only one of `sharedCounters` or `devices` is allowed");
    }
    let maximum = if spec.devices.iter().any(is_advanced) { MAX_ADVANCED_DEVICES } else { MAX_DEVICES };
    let by_themselves = spec.per_device_node_selection == Some(true);
    let at = path.child("devices");
    // Of several with a name the first counts.
    let devices = old.map(|old| old.devices.as_slice()).unwrap_or_default();
    let before: HashMap<&str, &Device> = devices.iter().rev().map(|it| (it.name.as_str(), it)).collect();
    set(
        &spec.devices,
        maximum,
        |it| it.name.as_str(),
        &at,
        errors,
        |it, path, errors| {
            let before = before.get(it.name.as_str()).copied();
            device(it, before, by_themselves, path, errors);
        },
    );
    let at = path.child("sharedCounters");
    set(&spec.shared_counters, MAX_COUNTER_SETS, |it| it.name.as_str(), &at, errors, counter_set);
}

/// Which nodes can reach the devices, said in one way.
fn nodes(spec: &ResourceSliceSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let mut ways = Vec::new();
    if let Some(name) = &spec.node_name {
        let path = path.child("nodeName");
        if name.is_empty() {
            errors.invalid(&path, name, "must be either unset or set to a non-empty string");
        } else {
            ways.push("`nodeName`");
            errors.invalid_each(&path, name, name_is_dns_subdomain(name, NamePart::Whole));
        }
    }
    if let Some(selector) = &spec.node_selector {
        ways.push("`nodeSelector`");
        let path = path.child("nodeSelector");
        node_selector(selector, LabelValues::Checked, &path, errors);
        let terms = &selector.node_selector_terms;
        if terms.len() != 1 {
            let (path, detail) =
                (path.child("nodeSelectorTerms"), "must have exactly one node selector term");
            if terms.is_empty() {
                errors.invalid(&path, &Shown("[]".to_owned()), detail);
            } else {
                errors.invalid(&path, &internal(terms), detail);
            }
        }
    }
    for (flag, field, way) in [
        (spec.all_nodes, "allNodes", "`allNodes`"),
        (spec.per_device_node_selection, "perDeviceNodeSelection", "`perDeviceNodeSelection`"),
    ] {
        match flag {
            Some(true) => ways.push(way),
            Some(false) => errors.invalid(&path.child(field), &false, TRUE_OR_UNSET),
            None => {}
        }
    }
    match ways.len() {
        0 => errors.required(path, ONE_OF),
        1 => {}
        _ => {
            let detail = format!("{ONE_OF}, but multiple fields are set");
            errors.invalid(path, &format!("{{{}}}", ways.join(", ")), &detail);
        }
    }
}

fn is_advanced(device: &Device) -> bool {
    let has_list = device.attributes.values().any(|value| {
        let lists = [value.ints.len(), value.bools.len(), value.strings.len(), value.versions.len()];
        lists.iter().any(|length| *length > 0)
    });
    has_list || !device.taints.is_empty() || !device.consumes_counters.is_empty()
}

fn counter_set(counter_set: &CounterSet, path: &FieldPath, errors: &mut FieldErrors) {
    if counter_set.name.is_empty() {
        errors.required(&path.child("name"), "");
    } else {
        dns_label(&counter_set.name, &path.child("name"), errors);
    }
    counters(&counter_set.counters, &path.child("counters"), errors);
}
