//! Deployments with their old and new ReplicaSets.

use rhumb_api::apps::v1::{Deployment, ReplicaSet};
use rhumb_api::core::v1::PodTemplateSpec;
use rhumb_meta::labels::Selector;

use super::{creation, labels_and_annotations, name_and_namespace};
use crate::Lines;
use crate::go_text::or;
use crate::parts::{Events, brief_conditions, events, pod_template};

/// Label that distinguishes the pods of a Deployment's ReplicaSets.
const TEMPLATE_HASH: &str = "pod-template-hash";

/// Describes a Deployment, whose selector was read already, with those of its ReplicaSets that could be read.
pub fn deployment(
    out: &mut Lines,
    deployment: &Deployment,
    selector: &Selector,
    replica_sets: Vec<ReplicaSet>,
    shown_events: Events<'_>,
) {
    let Deployment { metadata, spec, status, .. } = deployment;
    name_and_namespace(out, metadata);
    creation(out, metadata);
    labels_and_annotations(out, metadata);
    out.field(0, "Selector", selector);
    let replicas = format!(
        "{} desired | {} updated | {} total | {} available | {} unavailable",
        spec.replicas.unwrap_or_default(),
        status.updated_replicas,
        status.replicas,
        status.available_replicas,
        status.unavailable_replicas
    );
    out.field(0, "Replicas", replicas);
    out.field(0, "StrategyType", &spec.strategy.type_);
    out.field(0, "MinReadySeconds", spec.min_ready_seconds);
    if let Some(update) = &spec.strategy.rolling_update {
        let text = |number: &Option<_>| number.as_ref().map_or("<nil>".to_owned(), ToString::to_string);
        let (unavailable, surge) = (text(&update.max_unavailable), text(&update.max_surge));
        let strategy = format_args!("{unavailable} max unavailable, {surge} max surge");
        out.field(0, "RollingUpdateStrategy", strategy);
    }
    pod_template(out, Some(&spec.template));
    brief_conditions(out, status.conditions.iter().map(|c| (&c.type_, &c.status, &c.reason)));
    if !replica_sets.is_empty() {
        let (old, new) = old_and_new(deployment, replica_sets);
        out.field(0, "OldReplicaSets", names(&old));
        out.field(0, "NewReplicaSet", names(&new));
    }
    events(out, shown_events);
}

fn names(sets: &[ReplicaSet]) -> String {
    let texts: Vec<String> = sets
        .iter()
        .map(|set| {
            let desired = set.spec.replicas.unwrap_or_default();
            format!("{} ({}/{desired} replicas created)", set.metadata.name, set.status.replicas)
        })
        .collect();
    or(&texts.join(", "), "<none>").to_owned()
}

/// Returns the ReplicaSets of former templates, and that of the present one: the oldest, should there be several.
fn old_and_new(deployment: &Deployment, mut sets: Vec<ReplicaSet>) -> (Vec<ReplicaSet>, Vec<ReplicaSet>) {
    sets.sort_by(|one, other| {
        let key = |set: &ReplicaSet| (set.metadata.creation_timestamp, set.metadata.name.clone());
        key(one).cmp(&key(other))
    });
    let wanted = without_hash(&deployment.spec.template);
    let new = sets.iter().find(|set| without_hash(&set.spec.template) == wanted);
    let new = new.map(|set| set.metadata.uid.clone());
    sets.into_iter().partition(|set| Some(&set.metadata.uid) != new.as_ref())
}

fn without_hash(template: &PodTemplateSpec) -> PodTemplateSpec {
    let mut template = template.clone();
    template.metadata.labels.remove(TEMPLATE_HASH);
    template
}
