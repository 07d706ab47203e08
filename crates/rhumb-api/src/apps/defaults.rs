//! Defaults of the group that depend on more than one field, or on the version.

use std::collections::BTreeMap;

use rhumb_meta::IntOrString;
use rhumb_meta::v1::LabelSelector;
use rhumb_scheme::SchemeBuilder;

use super::v1::{
    DaemonSet, Deployment, DeploymentStrategy, ReplicaSet, StatefulSet,
    StatefulSetPersistentVolumeClaimRetentionPolicy,
};
use super::v1beta1;

/// Registers the functions. The types of v1beta2 are those of v1, and so are its defaults.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder
        .defaults(deployment)
        .defaults(daemon_set)
        .defaults(replica_set)
        .defaults(stateful_set)
        .defaults(deployment_v1beta1)
        .defaults(stateful_set_v1beta1);
}

fn deployment(deployment: &mut Deployment) {
    let spec = &mut deployment.spec;
    spec.replicas.get_or_insert(1);
    deployment_strategy(&mut spec.strategy);
    spec.revision_history_limit.get_or_insert(10);
    spec.progress_deadline_seconds.get_or_insert(600);
}

/// Rolling, and slowly enough to notice when it goes wrong.
fn deployment_strategy(strategy: &mut DeploymentStrategy) {
    fill(&mut strategy.type_, "RollingUpdate");
    if strategy.type_ == "RollingUpdate" {
        let quarter = || IntOrString::String("25%".to_owned());
        let update = strategy.rolling_update.get_or_insert_default();
        update.max_unavailable.get_or_insert_with(quarter);
        update.max_surge.get_or_insert_with(quarter);
    }
}

fn daemon_set(set: &mut DaemonSet) {
    let strategy = &mut set.spec.update_strategy;
    fill(&mut strategy.type_, "RollingUpdate");
    if strategy.type_ == "RollingUpdate" {
        let update = strategy.rolling_update.get_or_insert_default();
        update.max_unavailable.get_or_insert(IntOrString::Int(1));
        update.max_surge.get_or_insert(IntOrString::Int(0));
    }
    set.spec.revision_history_limit.get_or_insert(10);
}

fn replica_set(set: &mut ReplicaSet) {
    set.spec.replicas.get_or_insert(1);
}

fn stateful_set(set: &mut StatefulSet) {
    let spec = &mut set.spec;
    fill(&mut spec.pod_management_policy, "OrderedReady");
    let strategy = &mut spec.update_strategy;
    if strategy.type_.is_empty() {
        "RollingUpdate".clone_into(&mut strategy.type_);
        strategy.rolling_update.get_or_insert_default();
    }
    // Someone who chose the type but gave no details gets none.
    if let ("RollingUpdate", Some(update)) = (strategy.type_.as_str(), &mut strategy.rolling_update) {
        update.partition.get_or_insert(0);
    }
    retention_policy(spec.persistent_volume_claim_retention_policy.get_or_insert_default());
    spec.replicas.get_or_insert(1);
    spec.revision_history_limit.get_or_insert(10);
}

/// Data is kept unless someone says otherwise.
fn retention_policy(policy: &mut StatefulSetPersistentVolumeClaimRetentionPolicy) {
    fill(&mut policy.when_deleted, "Retain");
    fill(&mut policy.when_scaled, "Retain");
}

fn deployment_v1beta1(deployment: &mut v1beta1::Deployment) {
    let spec = &mut deployment.spec;
    take_labels(&spec.template.metadata.labels, &mut spec.selector, &mut deployment.metadata.labels);
    spec.replicas.get_or_insert(1);
    deployment_strategy(&mut spec.strategy);
    spec.revision_history_limit.get_or_insert(2);
    spec.progress_deadline_seconds.get_or_insert(600);
}

fn stateful_set_v1beta1(set: &mut v1beta1::StatefulSet) {
    let spec = &mut set.spec;
    fill(&mut spec.pod_management_policy, "OrderedReady");
    // Rolling updates were new then, and no one was to get them unasked.
    fill(&mut spec.update_strategy.type_, "OnDelete");
    take_labels(&spec.template.metadata.labels, &mut spec.selector, &mut set.metadata.labels);
    retention_policy(spec.persistent_volume_claim_retention_policy.get_or_insert_default());
    spec.replicas.get_or_insert(1);
    spec.revision_history_limit.get_or_insert(10);
    let strategy = &mut spec.update_strategy;
    if let ("RollingUpdate", Some(update)) = (strategy.type_.as_str(), &mut strategy.rolling_update) {
        update.partition.get_or_insert(0);
    }
}

/// Before v1beta2 an object without selector or labels of its own took those of its pods.
pub(crate) fn take_labels(
    template: &BTreeMap<String, String>,
    selector: &mut Option<Box<LabelSelector>>,
    labels: &mut BTreeMap<String, String>,
) {
    if template.is_empty() {
        return;
    }
    selector.get_or_insert_with(|| {
        Box::new(LabelSelector { match_labels: template.clone(), match_expressions: Vec::new() })
    });
    if labels.is_empty() {
        labels.clone_from(template);
    }
}

fn fill(field: &mut String, default: &str) {
    if field.is_empty() {
        default.clone_into(field);
    }
}
