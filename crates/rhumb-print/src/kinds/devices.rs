//! Devices and claims to them.

use rhumb_api::resource::v1::{DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice};
use rhumb_api::resource::v1beta2::DeviceTaintRule;
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::some_or;

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
