//! Binding of pods to nodes.

use std::fmt;

use rhumb_api::core::v1::{Binding, Pod, PodCondition};
use rhumb_meta::Time;
use rhumb_schema::text::quoted;

use super::pods::set_condition;

/// Error of binding a pod; servers respond with a conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindError {
    /// The pod is being deleted.
    Deleted {
        /// The pod.
        pod: String,
    },
    /// The pod has a node.
    Assigned {
        /// The pod.
        pod: String,
        /// The node that it has.
        node: String,
    },
    /// The pod has scheduling gates.
    Gated {
        /// The pod.
        pod: String,
    },
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BindError::Deleted { pod } => {
                write!(f, "pod {pod} is being deleted, cannot be assigned to a host")
            }
            BindError::Assigned { pod, node } => {
                write!(f, "pod {pod} is already assigned to node {}", quoted(node))
            }
            BindError::Gated { pod } => write!(f, "pod {pod} has non-empty .spec.schedulingGates"),
        }
    }
}

impl std::error::Error for BindError {}

/// Binds a pod to the node that a binding names. Labels and annotations of the binding become the pod's.
///
/// # Errors
/// If the pod can't be bound; it is unchanged then.
pub fn bind(pod: &mut Pod, binding: &Binding, now: Time) -> Result<(), BindError> {
    let name = pod.metadata.name.clone();
    if pod.metadata.deletion_timestamp.is_some() {
        return Err(BindError::Deleted { pod: name });
    }
    if !pod.spec.node_name.is_empty() {
        return Err(BindError::Assigned { pod: name, node: pod.spec.node_name.clone() });
    }
    if !pod.spec.scheduling_gates.is_empty() {
        return Err(BindError::Gated { pod: name });
    }
    pod.spec.node_name.clone_from(&binding.target.name);
    pod.status.nominated_node_name.clear();
    pod.metadata.annotations.extend(binding.metadata.annotations.clone());
    pod.metadata.labels.extend(binding.metadata.labels.clone());
    let scheduled = PodCondition {
        type_: "PodScheduled".to_owned(),
        status: "True".to_owned(),
        ..PodCondition::default()
    };
    set_condition(&mut pod.status, scheduled, now);
    Ok(())
}
