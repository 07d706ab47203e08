//! The devices of a slice.

use std::collections::{BTreeMap, HashSet};

use rhumb_api::resource::v1::{
    Counter, Device, DeviceCapacity, DeviceCounterConsumption, NodeAllocatableResourceMapping,
};
use rhumb_meta::validation::{NamePart, name_is_dns_subdomain};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Shown, Wanted};

use super::capacity::request_policy;
use super::device_attributes::{attribute, values};
use super::lists::{list, map, set};
use super::names::qualified_name;
use super::taints::taint;
use crate::core::affinity::{LabelValues, node_selector};
use crate::core::resources::is_native_resource;
use crate::meta::{dns_label, label_name};

const MAX_ATTRIBUTES_AND_CAPACITIES: usize = 32;
const MAX_ATTRIBUTE_VALUES: usize = 48;
const MAX_TAINTS: usize = 16;
const MAX_CONSUMPTIONS: usize = 2;
const MAX_COUNTERS: usize = 32;
const MAX_BINDING_CONDITIONS: usize = 4;
/// The bytes of a domain, a slash and an identifier.
const SHOWN_NAME: usize = 63 + 1 + 32;
const ONE_OF: &str = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
const NOT_ASKED: &str = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";

/// A device, the one of that name before, and whether devices say for themselves where they are.
pub(super) fn device(
    device: &Device,
    old: Option<&Device>,
    by_itself: bool,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    dns_label(&device.name, &path.child("name"), errors);
    let named = device.attributes.len().saturating_add(device.capacity.len());
    if named > MAX_ATTRIBUTES_AND_CAPACITIES {
        errors.invalid(path, &named, "the total number of attributes and capacities must not exceed 32");
    }
    let count = values(&device.attributes);
    if count > MAX_ATTRIBUTE_VALUES {
        errors.invalid(path, &count, "the total number of attribute values must not exceed 48");
    }
    map(&device.attributes, SHOWN_NAME, &path.child("attributes"), errors, qualified_name, attribute);
    let is_shared = device.allow_multiple_allocations == Some(true);
    map(&device.capacity, SHOWN_NAME, &path.child("capacity"), errors, qualified_name, |it, path, errors| {
        capacity(it, is_shared, path, errors);
    });
    if old.is_none_or(|old| old.taints != device.taints) {
        list(&device.taints, MAX_TAINTS, &path.child("taints"), errors, |it, path, errors| {
            taint(it, None, path, errors);
        });
    }
    let at = path.child("consumesCounters");
    let key = |it: &DeviceCounterConsumption| it.counter_set.clone();
    set(&device.consumes_counters, MAX_CONSUMPTIONS, key, &at, errors, consumption);
    if by_itself {
        nodes(device, path, errors);
    } else if device.node_name.is_some() || device.node_selector.is_some() || device.all_nodes.is_some() {
        errors.invalid(path, &Shown("null".to_owned()), NOT_ASKED);
    }
    binding_conditions(&device.binding_conditions, &device.binding_failure_conditions, path, errors);
    let at = path.child("nodeAllocatableResourceMappings");
    mappings(&device.node_allocatable_resource_mappings, &device.capacity, &at, errors);
}

fn capacity(capacity: &DeviceCapacity, is_shared: bool, path: &FieldPath, errors: &mut FieldErrors) {
    let Some(policy) = &capacity.request_policy else { return };
    let path = path.child("requestPolicy");
    if is_shared {
        request_policy(policy, &capacity.value, &path, errors);
    } else {
        errors.forbidden(&path, "allowMultipleAllocations must be true");
    }
}

fn consumption(consumption: &DeviceCounterConsumption, path: &FieldPath, errors: &mut FieldErrors) {
    if consumption.counter_set.is_empty() {
        errors.required(&path.child("counterSet"), "");
    } else {
        dns_label(&consumption.counter_set, &path.child("counterSet"), errors);
    }
    counters(&consumption.counters, &path.child("counters"), errors);
}

/// Counters by name. Any amount will do.
pub(super) fn counters(counters: &BTreeMap<String, Counter>, path: &FieldPath, errors: &mut FieldErrors) {
    if counters.is_empty() {
        return errors.required(path, "");
    }
    if counters.len() > MAX_COUNTERS {
        return errors.too_many(path, counters.len(), MAX_COUNTERS);
    }
    for name in counters.keys() {
        dns_label(name, path, errors);
    }
}

/// Which nodes can reach a device that says so for itself.
fn nodes(device: &Device, path: &FieldPath, errors: &mut FieldErrors) {
    let mut ways = Vec::new();
    if let Some(name) = &device.node_name {
        let path = path.child("nodeName");
        if name.is_empty() {
            errors.invalid(&path, name, "must not be empty");
        } else {
            ways.push("`nodeName`");
            errors.invalid_each(&path, name, name_is_dns_subdomain(name, NamePart::Whole));
        }
    }
    if let Some(selector) = &device.node_selector {
        ways.push("`nodeSelector`");
        node_selector(selector, LabelValues::Checked, &path.child("nodeSelector"), errors);
    }
    match device.all_nodes {
        Some(true) => ways.push("`allNodes`"),
        Some(false) => {
            errors.invalid(&path.child("allNodes"), &false, "must be either unset or set to true");
        }
        None => {}
    }
    match ways.len() {
        0 => errors.required(path, ONE_OF),
        1 => {}
        _ => errors.invalid(path, &format!("{{{}}}", ways.join(", ")), ONE_OF),
    }
}

/// Conditions for binding a pod: those for and those against come together, and are different ones.
pub(super) fn binding_conditions(
    needed: &[String],
    failed: &[String],
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let name = |name: &String, path: &FieldPath, errors: &mut FieldErrors| label_name(name, path, errors);
    let (needed_at, failed_at) = (path.child("bindingConditions"), path.child("bindingFailureConditions"));
    list(needed, MAX_BINDING_CONDITIONS, &needed_at, errors, name);
    list(failed, MAX_BINDING_CONDITIONS, &failed_at, errors, name);
    let mut seen = HashSet::new();
    for (index, condition) in needed.iter().enumerate().wanted() {
        if !seen.insert(condition) {
            errors.duplicate(&needed_at.index(index), condition);
        }
    }
    let mut seen_failed = HashSet::new();
    for (index, condition) in failed.iter().enumerate().wanted() {
        if !seen_failed.insert(condition) {
            errors.duplicate(&failed_at.index(index), condition);
        }
        if seen.contains(condition) {
            let detail = "bindingFailureConditions must not overlap with bindingConditions";
            errors.invalid(&failed_at.index(index), condition, detail);
        }
    }
    let none = Shown("null".to_owned());
    if needed.is_empty() && !failed.is_empty() {
        errors.invalid(&needed_at, &none, "bindingConditions are required to use bindingFailureConditions");
    }
    if failed.is_empty() && !needed.is_empty() {
        errors.invalid(&failed_at, &none, "bindingFailureConditions are required to use bindingConditions");
    }
}

/// What a device takes of a node's own resources.
fn mappings(
    mappings: &BTreeMap<String, NodeAllocatableResourceMapping>,
    capacities: &BTreeMap<String, DeviceCapacity>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (resource, mapping) in mappings {
        let path = path.key(resource);
        if !is_native_resource(resource) {
            errors.invalid(&path, &Named(resource), "must be a node allocatable resource name");
        }
        if mapping.allocation_multiplier.is_none() && mapping.capacity_key.is_none() {
            errors.invalid(&path, "", "at least one of allocationMultiplier or capacityKey must be set");
        }
        if let Some(multiplier) = mapping.allocation_multiplier.as_ref().filter(|it| it.sign() <= 0) {
            let path = path.child("allocationMultiplier");
            errors.invalid(&path, &multiplier.to_string(), "must be positive");
        }
        let path = path.child("capacityKey");
        match mapping.capacity_key.as_deref() {
            Some("") => errors.invalid(&path, "", "capacityKey must not be an empty string"),
            Some(key) if !capacities.contains_key(key) => errors.not_found(&path, &Named(key)),
            _ => {}
        }
    }
}
