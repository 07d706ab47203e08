//! What keeps a cluster going: `events.k8s.io`, `scheduling.k8s.io`, `coordination.k8s.io`, `node.k8s.io`,
//! `flowcontrol.apiserver.k8s.io`, `internal.apiserver.k8s.io`.

use super::{Group, Resource, Subresource};
use Subresource as Sub;

/// The same events as in the core group, with other fields.
pub(super) const EVENTS: Group = Group {
    name: "events.k8s.io",
    versions: &["v1", "v1beta1"],
    resources: &[Resource::namespaced("events", "Event")
        .short(&["ev"])
        .fields(super::core::EVENT_FIELDS)
        .formerly(&["v1beta1"])
        .stored_elsewhere("", "v1")],
};

pub(super) const SCHEDULING: Group = Group {
    name: "scheduling.k8s.io",
    versions: &["v1", "v1beta1", "v1alpha2", "v1alpha1"],
    resources: &[
        Resource::namespaced("podgroups", "PodGroup").versions(&["v1alpha2"]).with(&[Sub::STATUS]),
        Resource::cluster("priorityclasses", "PriorityClass")
            .short(&["pc"])
            .formerly(&["v1beta1", "v1alpha1"]),
        Resource::namespaced("workloads", "Workload").versions(&["v1alpha2"]),
    ],
};

pub(super) const COORDINATION: Group = Group {
    name: "coordination.k8s.io",
    versions: &["v1", "v1beta1", "v1alpha2", "v1alpha1"],
    resources: &[
        Resource::namespaced("leasecandidates", "LeaseCandidate").versions(&["v1beta1", "v1alpha2"]),
        Resource::namespaced("leases", "Lease").formerly(&["v1beta1"]),
    ],
};

pub(super) const NODE: Group = Group {
    name: "node.k8s.io",
    versions: &["v1", "v1beta1", "v1alpha1"],
    resources: &[Resource::cluster("runtimeclasses", "RuntimeClass").formerly(&["v1beta1", "v1alpha1"])],
};

const OLD_FLOW_CONTROL: &[&str] = &["v1beta3", "v1beta2", "v1beta1", "v1alpha1"];

pub(super) const FLOW_CONTROL: Group = Group {
    name: "flowcontrol.apiserver.k8s.io",
    versions: &["v1", "v1beta3", "v1beta2", "v1beta1", "v1alpha1"],
    resources: &[
        Resource::cluster("flowschemas", "FlowSchema").formerly(OLD_FLOW_CONTROL).with(&[Sub::STATUS]),
        Resource::cluster("prioritylevelconfigurations", "PriorityLevelConfiguration")
            .formerly(OLD_FLOW_CONTROL)
            .with(&[Sub::STATUS]),
    ],
};

pub(super) const INTERNAL: Group = Group {
    name: "internal.apiserver.k8s.io",
    versions: &["v1alpha1"],
    resources: &[Resource::cluster("storageversions", "StorageVersion")
        .versions(&["v1alpha1"])
        .with(&[Sub::STATUS])],
};
