//! Where an endpoint runs: one map of labels in the old versions, fields for node and zone in v1.

use std::collections::BTreeMap;

const ZONE: &str = "topology.kubernetes.io/zone";
const HOSTNAME: &str = "kubernetes.io/hostname";

/// Takes the zone out of a topology, and the host name if it is the node's; what is left and the zone.
pub(super) fn split(
    mut topology: BTreeMap<String, String>,
    node: Option<&str>,
) -> (BTreeMap<String, String>, Option<String>) {
    let zone = topology.remove(ZONE);
    if node.is_some() && topology.get(HOSTNAME).map(String::as_str) == node {
        topology.remove(HOSTNAME);
    }
    (topology, zone)
}

/// Puts zone and node back. A host name that differs from the node's stays.
pub(super) fn join(
    mut topology: BTreeMap<String, String>,
    node: Option<&str>,
    zone: Option<String>,
) -> BTreeMap<String, String> {
    if let Some(zone) = zone {
        topology.insert(ZONE.to_owned(), zone);
    }
    if let Some(node) = node {
        let hostname = topology.entry(HOSTNAME.to_owned()).or_default();
        if hostname.is_empty() {
            node.clone_into(hostname);
        }
    }
    topology
}
