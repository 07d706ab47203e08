//! Columns of nodes and runtime classes.

use std::collections::BTreeSet;

use rhumb_api::core::v1::Node;
use rhumb_api::node::v1::RuntimeClass;
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::{NONE, or};

const UNKNOWN: &str = "<unknown>";

impl Printed for Node {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Status", "Whether the node is ready and takes pods."),
        Column::text("Roles", "What the node is for, by its labels."),
        Column::AGE,
        Column::text("Version", "The version of the kubelet."),
        Column::text("Internal-IP", "The address within the cluster.").wide(),
        Column::text("External-IP", "The address from outside the cluster.").wide(),
        Column::text("OS-Image", "The operating system.").wide(),
        Column::text("Kernel-Version", "The version of the kernel, and what it was built for.").wide(),
        Column::text("Container-Runtime", "What runs the containers, and its version.").wide(),
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let info = &self.status.node_info;
        let mut kernel = or(&info.kernel_version, UNKNOWN).to_owned();
        if !info.architecture.is_empty() {
            kernel = format!("{kernel} ({})", info.architecture);
        }
        cells![
            self.metadata.name.as_str(),
            status(self),
            or(&roles(self), NONE),
            now.since(&self.metadata.creation_timestamp),
            info.kubelet_version.as_str(),
            address(self, "InternalIP"),
            address(self, "ExternalIP"),
            or(&info.os_image, UNKNOWN),
            kernel,
            or(&info.container_runtime_version, UNKNOWN),
        ]
    }
}

fn status(node: &Node) -> String {
    // Of several conditions of a type the last one counts.
    let ready = node.status.conditions.iter().rfind(|condition| condition.type_ == "Ready");
    let status = match ready {
        Some(condition) if condition.status == "True" => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    };
    if node.spec.unschedulable { format!("{status},SchedulingDisabled") } else { status.to_owned() }
}

fn roles(node: &Node) -> String {
    let roles: BTreeSet<&str> = node
        .metadata
        .labels
        .iter()
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None if key == "kubernetes.io/role" => Some(value.as_str()),
            None => None,
        })
        .filter(|role| !role.is_empty())
        .collect();
    roles.into_iter().collect::<Vec<_>>().join(",")
}

fn address<'a>(node: &'a Node, type_: &str) -> &'a str {
    let found = node.status.addresses.iter().find(|address| address.type_ == type_);
    found.map_or(NONE, |address| address.address.as_str())
}

impl Printed for RuntimeClass {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Handler", "The node's configuration that runs the containers."),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        cells![
            self.metadata.name.as_str(),
            self.handler.as_str(),
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}
