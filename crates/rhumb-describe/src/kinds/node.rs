//! Nodes.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::coordination::v1::Lease;
use rhumb_api::core::v1::{Node, Pod};
use rhumb_api::resource::v1::ResourceSlice;
use rhumb_meta::Time;

use super::node_resources::node_resources;
use super::{creation, labels_and_annotations};
use crate::Lines;
use crate::go_text::or;
use crate::parts::{Events, events, resource_list, taints};

/// Maximum number of device pools shown.
const SHOWN_POOLS: usize = 10;

/// Data of a node.
#[derive(Clone, Debug, Default)]
pub struct OfNode {
    /// Lease of the node, or the error of reading it.
    pub lease: Option<Result<Lease, String>>,
    /// Active pods; none if the user may not list them.
    pub pods: Option<Vec<Pod>>,
    /// The devices that only it has.
    pub slices: Vec<ResourceSlice>,
}

/// Describes a node with what belongs to it.
pub fn node(out: &mut Lines, node: &Node, of_node: &OfNode, shown_events: Events<'_>) {
    let Node { metadata, spec, status, .. } = node;
    out.field(0, "Name", &metadata.name);
    out.field(0, "Roles", or(&roles(&metadata.labels).join(","), "<none>"));
    labels_and_annotations(out, metadata);
    creation(out, metadata);
    taints(out, "Taints", &spec.taints);
    out.field(0, "Unschedulable", spec.unschedulable);
    match &of_node.lease {
        Some(Ok(lease)) => self::lease(out, lease),
        Some(Err(error)) => out.field(0, "Lease", format_args!("Failed to get lease: {error}")),
        None => {}
    }
    conditions(out, node);
    out.line(0, "Addresses:");
    for address in &status.addresses {
        out.field(1, &address.type_, &address.address);
    }
    for (title, list) in [("Capacity", &status.capacity), ("Allocatable", &status.allocatable)] {
        if !list.is_empty() {
            out.line(0, format_args!("{title}:"));
            resource_list(out, 1, list);
        }
    }
    if !of_node.slices.is_empty() {
        device_pools(out, &of_node.slices);
    }
    system(out, node);
    for (title, text) in [
        ("PodCIDR", &spec.pod_cidr),
        ("PodCIDRs", &spec.pod_cidrs.join(",")),
        ("ProviderID", &spec.provider_id),
    ] {
        if !text.is_empty() {
            out.field(0, title, text);
        }
    }
    match &of_node.pods {
        Some(pods) => node_resources(out, node, pods),
        None => out.field(0, "Pods", "not authorized"),
    }
    events(out, shown_events);
}

/// Returns the roles that labels give a node: by their key, or as the value of an older one.
fn roles(labels: &BTreeMap<String, String>) -> Vec<&str> {
    let roles: BTreeSet<&str> = labels
        .iter()
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None => (key == "kubernetes.io/role").then_some(value.as_str()),
        })
        .filter(|role| !role.is_empty())
        .collect();
    roles.into_iter().collect()
}

fn lease(out: &mut Lines, lease: &Lease) {
    let unset = || "<unset>".to_owned();
    let spec = &lease.spec;
    let date = |out: &Lines, time: &Option<_>| time.map_or_else(unset, |time| out.date(&Time::from(time)));
    let (acquired, renewed) = (date(out, &spec.acquire_time), date(out, &spec.renew_time));
    out.line(0, "Lease:");
    out.field(1, "HolderIdentity", spec.holder_identity.clone().unwrap_or_else(unset));
    out.field(1, "AcquireTime", acquired);
    out.field(1, "RenewTime", renewed);
}

fn conditions(out: &mut Lines, node: &Node) {
    let conditions = &node.status.conditions;
    if !conditions.is_empty() {
        out.line(0, "Conditions:");
        out.line(1, "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage");
        out.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
    }
    for c in conditions {
        let (beat, transition) = (out.date(&c.last_heartbeat_time), out.date(&c.last_transition_time));
        let line =
            format!("{} \t{} \t{beat} \t{transition} \t{} \t{}", c.type_, c.status, c.reason, c.message);
        out.line(1, line);
    }
}

/// Writes the device pools of a node with the numbers of slices and devices.
fn device_pools(out: &mut Lines, slices: &[ResourceSlice]) {
    let mut pools: BTreeMap<String, (&str, &str, usize, usize)> = BTreeMap::new();
    for slice in slices {
        let (driver, pool) = (slice.spec.driver.as_str(), slice.spec.pool.name.as_str());
        let counts = pools.entry(format!("{driver}/{pool}")).or_insert((driver, pool, 0, 0));
        counts.2 += 1;
        counts.3 += slice.spec.devices.len();
    }
    out.line(0, "Node-Local ResourceSlices:");
    out.row(1, &[&"Driver", &"Pool", &"Slices", &"Devices"]);
    out.row(1, &[&"------", &"----", &"------", &"-------"]);
    for (driver, pool, slices, devices) in pools.values().take(SHOWN_POOLS) {
        out.row(1, &[driver, pool, slices, devices]);
    }
    if let Some(more @ 1..) = pools.len().checked_sub(SHOWN_POOLS) {
        out.line(1, format_args!("...and {more} more pools"));
    }
}

fn system(out: &mut Lines, node: &Node) {
    let info = &node.status.node_info;
    out.line(0, "System Info:");
    out.field(1, "Machine ID", &info.machine_id);
    out.field(1, "System UUID", &info.system_uuid);
    out.field(1, "Boot ID", &info.boot_id);
    out.field(1, "Kernel Version", &info.kernel_version);
    out.field(1, "OS Image", &info.os_image);
    out.field(1, "Operating System", &info.operating_system);
    out.field(1, "Architecture", &info.architecture);
    out.field(1, "Container Runtime Version", &info.container_runtime_version);
    out.field(1, "Kubelet Version", &info.kubelet_version);
}
