//! Columns of devices and resource claims.

use rhumb_api::resource::v1::{DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice};
use rhumb_api::resource::v1alpha3::{PoolStatus, ResourcePoolStatusRequest};
use rhumb_api::resource::v1beta2::DeviceTaintRule;
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::{NONE, some_or};

impl Printed for DeviceClass {
    const COLUMNS: &'static [Column] = &[Column::NAME, Column::AGE];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![self.metadata.name.as_str(), now.since(&self.metadata.creation_timestamp)]
    }
}

impl Printed for ResourceClaim {
    const COLUMNS: &'static [Column] =
        &[Column::NAME, Column::text("State", "Whether the claim is met and in use."), Column::AGE];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![self.metadata.name.as_str(), state(self), now.since(&self.metadata.creation_timestamp)]
    }
}

fn state(claim: &ResourceClaim) -> String {
    let is_deleted = claim.metadata.deletion_timestamp.is_some();
    let is_allocated = claim.status.allocation.is_some();
    let states = [
        ("deleted", is_deleted),
        ("pending", !is_allocated && !is_deleted),
        ("allocated", is_allocated),
        ("reserved", is_allocated && !claim.status.reserved_for.is_empty()),
    ];
    let holding: Vec<&str> = states.iter().filter(|(_, holds)| *holds).map(|(name, _)| *name).collect();
    holding.join(",")
}

impl Printed for ResourceClaimTemplate {
    const COLUMNS: &'static [Column] = &[Column::NAME, Column::AGE];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![self.metadata.name.as_str(), now.since(&self.metadata.creation_timestamp)]
    }
}

impl Printed for ResourceSlice {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Node", "The node that has the devices."),
        Column::text("Driver", "The driver that manages the devices."),
        Column::text("Pool", "The pool that the devices belong to."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            some_or(&self.spec.node_name, ""),
            self.spec.driver.as_str(),
            self.spec.pool.name.as_str(),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for DeviceTaintRule {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Key", "The key of the taint."),
        Column::text("Value", "The value of the taint."),
        Column::text("Effect", "What the taint does to claims and pods."),
        Column::text("TimeAdded", "How long ago the taint was put on."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let taint = &self.spec.taint;
        cells![
            self.metadata.name.as_str(),
            taint.key.as_str(),
            taint.value.as_str(),
            taint.effect.as_str(),
            taint.time_added.as_ref().map(|time| now.since(time)).unwrap_or_default(),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}

impl Printed for ResourcePoolStatusRequest {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Driver", "The driver whose pools are asked about."),
        Column::text("Total", "How many devices there are in all pools."),
        Column::text("Available", "How many of them can be allocated."),
        Column::text("Allocated", "How many of them are allocated."),
        Column::text("Unavailable", "How many of them can't be used."),
        Column::text("Errors", "How many pools are not valid."),
        Column::integer("Pools", "How many pools match."),
        Column::text("Status", "Pending, Complete or Failed."),
        Column::text("Completed", "How long ago the answer was complete."),
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let status = self.status.as_deref();
        let outcome = status.and_then(|status| {
            status.conditions.iter().find(|condition| {
                condition.status == "True" && matches!(condition.type_.as_str(), "Complete" | "Failed")
            })
        });
        let type_ = outcome.map_or("Pending", |condition| condition.type_.as_str());
        // What failed has no counts that mean anything.
        let pools = status.filter(|_| type_ != "Failed").map(|status| status.pools.as_slice());
        let sum = |count: fn(&PoolStatus) -> Option<i32>| {
            let all = pools.map(|pools| pools.iter().filter_map(count).map(i64::from).sum::<i64>());
            all.map_or_else(|| "-".to_owned(), |all| all.to_string())
        };
        let count = status.and_then(|status| status.pool_count).unwrap_or_default();
        let told = status.map_or(0, |status| status.pools.len());
        let is_cut = usize::try_from(count).is_ok_and(|count| count > told);
        let completed = outcome.filter(|condition| condition.type_ == "Complete");
        cells![
            self.metadata.name.as_str(),
            self.spec.driver.as_str(),
            sum(|pool| pool.total_devices),
            sum(|pool| pool.available_devices),
            sum(|pool| pool.allocated_devices),
            sum(|pool| pool.unavailable_devices),
            sum(|pool| pool.validation_error.as_ref().map(|_| 1)),
            count,
            match is_cut && type_ == "Complete" {
                true => format!("Complete ({told}/{count} pools)"),
                false => type_.to_owned(),
            },
            completed.map_or_else(|| NONE.to_owned(), |condition| now.since(&condition.last_transition_time)),
        ]
    }
}
