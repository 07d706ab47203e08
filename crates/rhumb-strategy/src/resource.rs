//! Strategies of `resource.k8s.io`. They set the time of device taints, since defaulting has no clock.

use std::collections::BTreeSet;

use rhumb_api::resource::v1::{
    Device, DeviceClass, DeviceClassSpec, DeviceTaint, ResourceClaim, ResourceClaimSpec, ResourceClaimStatus,
    ResourceClaimTemplate, ResourceSlice,
};
use rhumb_api::resource::v1alpha3::{
    ResourcePoolStatusRequest, ResourcePoolStatusRequestSpec, ResourcePoolStatusRequestStatus,
};
use rhumb_api::resource::v1beta2::{DeviceTaintRule, DeviceTaintRuleSpec, DeviceTaintRuleStatus};
use rhumb_schema::text::quoted;

use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{
    count, first, fresh, fresh_counted, has_spec, has_status, keep_spec_and_metadata, keep_status, next,
};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC_AND_METADATA, STATUS};
use crate::strategy::{Part, Strategy};

has_spec!(DeviceClass: DeviceClassSpec);
has_status!(
    ResourceClaim: ResourceClaimSpec, ResourceClaimStatus;
    DeviceTaintRule: DeviceTaintRuleSpec, DeviceTaintRuleStatus;
    ResourcePoolStatusRequest: ResourcePoolStatusRequestSpec, Option<Box<ResourcePoolStatusRequestStatus>>;
);

const GROUP: &str = "resource.k8s.io";
const CLAIM_VERSIONS: &[&str] =
    &["resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1"];
const RULE_VERSIONS: &[&str] = &["resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta2"];
const REQUEST_VERSIONS: &[&str] = &["resource.k8s.io/v1alpha3"];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder
        .add(
            Strategy::<DeviceClass>::new(GROUP, "DeviceClass")
                .generation(Generation::Counted)
                .create(first)
                .update(count),
        )?
        .add(
            Strategy::new(GROUP, "ResourceClaim")
                .create(fresh)
                .update(keep_status)
                .resets(CLAIM_VERSIONS, STATUS)
                .on("status", Part::new(update_claim_status).resets(CLAIM_VERSIONS, SPEC_AND_METADATA)),
        )?
        .add(Strategy::<ResourceClaimTemplate>::new(GROUP, "ResourceClaimTemplate"))?
        .add(
            Strategy::new(GROUP, "ResourceSlice")
                .generation(Generation::Counted)
                .create(create_slice)
                .update(update_slice)
                .warn_create(warn_slice)
                .warn_update(|new, _| warn_slice(new)),
        )?
        .add(
            Strategy::new(GROUP, "DeviceTaintRule")
                .generation(Generation::Counted)
                .create(create_rule)
                .update(update_rule)
                .resets(RULE_VERSIONS, STATUS)
                .on("status", Part::new(keep_spec_and_metadata).resets(RULE_VERSIONS, SPEC_AND_METADATA)),
        )?
        .add(
            Strategy::<ResourcePoolStatusRequest>::new(GROUP, "ResourcePoolStatusRequest")
                .conditional_update()
                .create(fresh)
                .update(keep_status)
                .resets(REQUEST_VERSIONS, STATUS)
                .on("status", Part::new(keep_spec_and_metadata).resets(REQUEST_VERSIONS, SPEC_AND_METADATA)),
        )?;
    Ok(())
}

/// Identity of a device and its share in results and statuses.
type DeviceId<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Devices that are no longer allocated lose what was said about them.
fn update_claim_status(new: &mut ResourceClaim, old: &ResourceClaim, context: &Context) {
    keep_spec_and_metadata(new, old, context);
    let ResourceClaimStatus { allocation, devices, .. } = &mut new.status;
    let still: BTreeSet<DeviceId<'_>> = allocated(allocation.as_deref());
    let gone: BTreeSet<DeviceId<'_>> =
        allocated(old.status.allocation.as_deref()).difference(&still).copied().collect();
    devices.retain(|device| {
        let share = device.share_id.as_deref().unwrap_or_default();
        !gone.contains(&(device.driver.as_str(), device.pool.as_str(), device.device.as_str(), share))
    });
}

fn allocated(allocation: Option<&rhumb_api::resource::v1::AllocationResult>) -> BTreeSet<DeviceId<'_>> {
    let results = allocation.into_iter().flat_map(|allocation| &allocation.devices.results);
    let ids = results.map(|result| {
        let share = result.share_id.as_deref().unwrap_or_default();
        (result.driver.as_str(), result.pool.as_str(), result.device.as_str(), share)
    });
    ids.collect()
}

fn fill_in_time(taint: &mut DeviceTaint, context: &Context) {
    taint.time_added.get_or_insert(context.now);
}

fn taint_times(slice: &mut ResourceSlice, context: &Context) {
    let taints = slice.spec.devices.iter_mut().flat_map(|device| &mut device.taints);
    taints.for_each(|taint| fill_in_time(taint, context));
}

fn create_slice(slice: &mut ResourceSlice, context: &Context) {
    slice.metadata.generation = 1;
    taint_times(slice, context);
    drop_disabled(slice, None);
}

fn update_slice(new: &mut ResourceSlice, old: &ResourceSlice, context: &Context) {
    taint_times(new, context);
    // Counted before fields are dropped, as in Kubernetes: sending one that is off counts each time.
    if new.spec != old.spec {
        next(&mut new.metadata, &old.metadata);
    }
    drop_disabled(new, Some(old));
}

/// Mappings to what nodes have, and attributes with several values, are off.
fn drop_disabled(new: &mut ResourceSlice, old: Option<&ResourceSlice>) {
    let any = |used: fn(&Device) -> bool| old.is_some_and(|old| old.spec.devices.iter().any(used));
    let maps = any(|device| !device.node_allocatable_resource_mappings.is_empty());
    let lists = any(|device| {
        device.attributes.values().any(|value| {
            !value.bools.is_empty()
                || !value.ints.is_empty()
                || !value.strings.is_empty()
                || !value.versions.is_empty()
        })
    });
    for device in &mut new.spec.devices {
        if !maps {
            device.node_allocatable_resource_mappings.clear();
        }
        if !lists {
            for value in device.attributes.values_mut() {
                value.bools.clear();
                value.ints.clear();
                value.strings.clear();
                value.versions.clear();
            }
        }
    }
}

fn warn_slice(slice: &ResourceSlice) -> Vec<String> {
    let driver = &slice.spec.driver;
    let warning = || {
        let driver = quoted(driver);
        format!("spec.driver: driver names should be lowercase; {driver} contains uppercase characters")
    };
    (driver.to_lowercase() != *driver).then(warning).into_iter().collect()
}

fn create_rule(rule: &mut DeviceTaintRule, context: &Context) {
    fill_in_time(&mut rule.spec.taint, context);
    fresh_counted(rule, context);
}

/// Sets the taint's time if its effect changes, which makes it a new taint.
fn update_rule(new: &mut DeviceTaintRule, old: &DeviceTaintRule, context: &Context) {
    fill_in_time(&mut new.spec.taint, context);
    keep_status(new, old, context);
    let (taint, before) = (&mut new.spec.taint, &old.spec.taint);
    if taint.effect != before.effect && taint.time_added == before.time_added {
        taint.time_added = Some(context.now);
    }
    count(new, old, context);
}
