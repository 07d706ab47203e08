//! Validation of claim statuses: allocation, users, and device data.

use std::collections::HashSet;

use rhumb_api::resource::v1::{
    AllocatedDeviceStatus, AllocationResult, DeviceAllocationConfiguration, DeviceRequestAllocationResult,
    NetworkDeviceData, ResourceClaim, ResourceClaimConsumerReference,
};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Shown};

use super::configuration::{MAX_CONFIGS, Origin, configuration, json_object};
use super::devices::binding_conditions;
use super::lists::{list, set};
use super::names::{RequestNames, device_id, driver_name, pool_name, share_id};
use super::requests::references;
use crate::core::affinity::{LabelValues, node_selector};
use crate::internal_form::internal;
use crate::meta::{conditions, dns_label, interface_address};

/// The most users that a claim may have at once.
const MAX_USERS: usize = 256;
const MAX_RESULTS: usize = 32;
const MAX_CONDITIONS: usize = 8;
const MAX_DATA: usize = 10 * 1024;
const MAX_IPS: usize = 16;
const MAX_INTERFACE_NAME: usize = 256;
const MAX_HARDWARE_ADDRESS: usize = 128;
const SOURCES: [&str; 2] = ["FromClaim", "FromClass"];

/// The new status of a claim.
pub(super) fn claim_status(
    new: &ResourceClaim,
    old: &ResourceClaim,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let (status, before) = (&new.status, &old.status);
    let users = path.child("reservedFor");
    set(&status.reserved_for, MAX_USERS, |user| Named(&user.uid), &users, errors, user);

    let results = status.allocation.iter().flat_map(|allocation| &allocation.devices.results);
    let allocated: HashSet<String> =
        results.map(|it| device_id(&it.driver, &it.pool, &it.device, it.share_id.as_deref())).collect();
    let at = path.child("devices");
    set(
        &status.devices,
        usize::MAX,
        |it| Shown(id(it)),
        &at,
        errors,
        |device, path, errors| {
            device_status(device, &allocated, path, errors);
        },
    );

    if !status.reserved_for.is_empty() {
        if status.allocation.is_none() {
            errors.forbidden(&users, "may not be specified when `allocated` is not set");
        } else if new.metadata.deletion_timestamp.is_some()
            && has_more(&status.reserved_for, &before.reserved_for)
        {
            let detail =
                "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
            errors.forbidden(&users, detail);
        }
    }

    let path = path.child("allocation");
    match (&before.allocation, &status.allocation) {
        (Some(before), Some(now)) if now != before => {
            errors.invalid(&path, &internal(&**now), "field is immutable");
        }
        (None, Some(now)) => {
            allocation(now, &RequestNames::of(&new.spec.devices), &path, errors);
        }
        _ => {}
    }
}

/// Reports whether some users were none before.
fn has_more(now: &[ResourceClaimConsumerReference], before: &[ResourceClaimConsumerReference]) -> bool {
    let key = |user: &'_ ResourceClaimConsumerReference| {
        [user.api_group.clone(), user.resource.clone(), user.name.clone(), user.uid.clone()]
    };
    let before: HashSet<[String; 4]> = before.iter().map(key).collect();
    now.iter().any(|user| !before.contains(&key(user)))
}

fn id(device: &AllocatedDeviceStatus) -> String {
    device_id(&device.driver, &device.pool, &device.device, device.share_id.as_deref())
}

fn user(user: &ResourceClaimConsumerReference, path: &FieldPath, errors: &mut FieldErrors) {
    for (value, field) in [(&user.resource, "resource"), (&user.name, "name"), (&user.uid, "uid")] {
        if value.is_empty() {
            errors.required(&path.child(field), "");
        }
    }
}

fn allocation(
    allocation: &AllocationResult,
    names: &RequestNames,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let at = path.child("devices");
    list(&allocation.devices.results, MAX_RESULTS, &at.child("results"), errors, |it, path, errors| {
        result(it, names, path, errors);
    });
    // Those of the class and those of the claim.
    let maximum = 2 * MAX_CONFIGS;
    list(&allocation.devices.config, maximum, &at.child("config"), errors, |it, path, errors| {
        allocated_configuration(it, names, path, errors);
    });
    if let Some(selector) = &allocation.node_selector {
        node_selector(selector, LabelValues::Checked, &path.child("nodeSelector"), errors);
    }
}

fn result(
    result: &DeviceRequestAllocationResult,
    names: &RequestNames,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    names.reference(&result.request, &path.child("request"), errors);
    driver_name(&result.driver, &path.child("driver"), errors);
    pool_name(&result.pool, &path.child("pool"), errors);
    dns_label(&result.device, &path.child("device"), errors);
    binding_conditions(&result.binding_conditions, &result.binding_failure_conditions, path, errors);
    if let Some(id) = &result.share_id {
        share_id(id, &path.child("shareID"), errors);
    }
}

fn allocated_configuration(
    config: &DeviceAllocationConfiguration,
    names: &RequestNames,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    match config.source.as_str() {
        "" => errors.required(&path.child("source"), ""),
        source if SOURCES.contains(&source) => {}
        source => errors.not_supported(&path.child("source"), &Named(source), &SOURCES),
    }
    references(&config.requests, names, &path.child("requests"), errors);
    configuration(&config.device_configuration, Origin::New, path, errors);
}

fn device_status(
    device: &AllocatedDeviceStatus,
    allocated: &HashSet<String>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    driver_name(&device.driver, &path.child("driver"), errors);
    pool_name(&device.pool, &path.child("pool"), errors);
    dns_label(&device.device, &path.child("device"), errors);
    if let Some(id) = &device.share_id {
        share_id(id, &path.child("shareID"), errors);
    }
    let id = id(device);
    if !allocated.contains(&id) {
        errors.invalid(path, &Shown(id), "must be an allocated device in the claim");
    }
    let at = path.child("conditions");
    if device.conditions.len() > MAX_CONDITIONS {
        errors.too_many(&at, device.conditions.len(), MAX_CONDITIONS);
    }
    conditions(&device.conditions, &at, errors);
    if let Some(data) = device.data.as_ref().filter(|data| !data.0.is_empty()) {
        json_object(data, Some(MAX_DATA), &path.child("data"), errors);
    }
    if let Some(network) = &device.network_data {
        network_data(network, &path.child("networkData"), errors);
    }
}

fn network_data(data: &NetworkDeviceData, path: &FieldPath, errors: &mut FieldErrors) {
    if data.interface_name.len() > MAX_INTERFACE_NAME {
        errors.too_long(&path.child("interfaceName"), MAX_INTERFACE_NAME);
    }
    if data.hardware_address.len() > MAX_HARDWARE_ADDRESS {
        errors.too_long(&path.child("hardwareAddress"), MAX_HARDWARE_ADDRESS);
    }
    set(
        &data.ips,
        MAX_IPS,
        |ip| ip.as_str(),
        &path.child("ips"),
        errors,
        |ip, path, errors| {
            interface_address(ip, path, errors);
        },
    );
}
