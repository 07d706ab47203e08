//! Defaults of amounts of resources: in nodes, limit ranges, quotas and volumes.

use rhumb_scheme::SchemeBuilder;

use super::super::{
    LimitRangeItem, NodeStatus, PersistentVolumeSpec, ResourceQuotaSpec, ResourceQuotaStatus,
};
use super::round_up;

pub(super) fn register(builder: &mut SchemeBuilder) {
    builder
        .defaults(node_status)
        .defaults(limit_range_item)
        .defaults(volume_spec)
        .defaults(quota_spec)
        .defaults(quota_status);
}

/// Pods can have all that a node has, unless it says otherwise.
fn node_status(status: &mut NodeStatus) {
    if status.allocatable.is_empty() {
        status.allocatable.clone_from(&status.capacity);
    }
    round_up(&mut status.capacity);
    round_up(&mut status.allocatable);
}

/// Containers that ask for nothing get what fits the bounds.
fn limit_range_item(item: &mut LimitRangeItem) {
    if item.type_ == "Container" {
        for (name, most) in &item.max {
            item.default.entry(name.clone()).or_insert_with(|| most.clone());
        }
        for (name, quantity) in item.default.iter().chain(&item.min) {
            item.default_request.entry(name.clone()).or_insert_with(|| quantity.clone());
        }
    }
    for resources in [
        &mut item.max,
        &mut item.min,
        &mut item.default,
        &mut item.default_request,
        &mut item.max_limit_request_ratio,
    ] {
        round_up(resources);
    }
}

fn volume_spec(spec: &mut PersistentVolumeSpec) {
    round_up(&mut spec.capacity);
}

fn quota_spec(spec: &mut ResourceQuotaSpec) {
    round_up(&mut spec.hard);
}

fn quota_status(status: &mut ResourceQuotaStatus) {
    round_up(&mut status.hard);
    round_up(&mut status.used);
}
