//! Defaults of the group. They are those of the first days: rollouts one pod at a time, history without end.

use rhumb_meta::IntOrString;
use rhumb_scheme::SchemeBuilder;

use super::v1beta1::{DaemonSet, Deployment, ReplicaSet};
use crate::apps::defaults::take_labels;

/// Registers the functions.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder.defaults(daemon_set).defaults(deployment).defaults(replica_set);
}

fn daemon_set(set: &mut DaemonSet) {
    let spec = &mut set.spec;
    take_labels(&spec.template.metadata.labels, &mut spec.selector, &mut set.metadata.labels);
    let strategy = &mut spec.update_strategy;
    if strategy.type_.is_empty() {
        "OnDelete".clone_into(&mut strategy.type_);
    }
    if strategy.type_ == "RollingUpdate" {
        let update = strategy.rolling_update.get_or_insert_default();
        update.max_unavailable.get_or_insert(IntOrString::Int(1));
        update.max_surge.get_or_insert(IntOrString::Int(0));
    }
    spec.revision_history_limit.get_or_insert(10);
}

fn deployment(deployment: &mut Deployment) {
    let spec = &mut deployment.spec;
    take_labels(&spec.template.metadata.labels, &mut spec.selector, &mut deployment.metadata.labels);
    spec.replicas.get_or_insert(1);
    let strategy = &mut spec.strategy;
    if strategy.type_.is_empty() {
        "RollingUpdate".clone_into(&mut strategy.type_);
    }
    // Details of a rolling update are filled in even under another strategy, if there are any.
    if strategy.type_ == "RollingUpdate" || strategy.rolling_update.is_some() {
        let update = strategy.rolling_update.get_or_insert_default();
        update.max_unavailable.get_or_insert(IntOrString::Int(1));
        update.max_surge.get_or_insert(IntOrString::Int(1));
    }
    // The greatest number means the same as none.
    spec.progress_deadline_seconds.get_or_insert(i32::MAX);
    spec.revision_history_limit.get_or_insert(i32::MAX);
}

fn replica_set(set: &mut ReplicaSet) {
    let spec = &mut set.spec;
    take_labels(&spec.template.metadata.labels, &mut spec.selector, &mut set.metadata.labels);
    spec.replicas.get_or_insert(1);
}
