//! Validation of StatefulSets.

use std::collections::HashSet;

use rhumb_api::apps::v1::{
    RollingUpdateStatefulSetStrategy, StatefulSet, StatefulSetPersistentVolumeClaimRetentionPolicy,
    StatefulSetSpec, StatefulSetStatus, StatefulSetUpdateStrategy,
};
use rhumb_api::core::v1::{PersistentVolumeClaimVolumeSource, PodTemplateSpec, Volume};
use rhumb_meta::validation::name_is_dns_label;
use rhumb_scheme::validation::{BadValue, Context, FieldErrors, FieldPath, Named, Rules, Shown, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::pod_template::{matching_labels, runs_forever, selector, template};
use super::{collision_count, internal_struct, shown_strategy};
use crate::core::claim_template::{ClaimOptions, claim_spec};
use crate::core::replica_counts::at_most_all;
use crate::meta::{
    Scope, all_nonnegative, annotations, at_most_100_percent, dns_label, int_or_percent_value, labels,
    nonnegative, nonnegative_int_or_percent, object_meta, object_meta_update,
};

const IMMUTABLE: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', \
    'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are \
    forbidden";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

/// How strictly a spec is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// As that of a new object.
    New,
    /// What can't change is not checked again.
    Changed,
    /// Neither is the template, because the one before was wrong already.
    WrongBefore,
}

fn create(set: &StatefulSet, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&set.metadata, Scope::Namespaced, name_is_dns_label, &path, errors);
    spec(&set.spec, None, Strictness::New, errors);
}

fn update(new: &StatefulSet, old: &StatefulSet, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let mut before = FieldErrors::default();
    spec(&old.spec, Some(&old.spec.template), Strictness::Changed, &mut before);
    let strictness = if before.is_empty() { Strictness::Changed } else { Strictness::WrongBefore };
    spec(&new.spec, Some(&old.spec.template), strictness, errors);
    let same = new.spec.selector == old.spec.selector
        && new.spec.volume_claim_templates == old.spec.volume_claim_templates
        && new.spec.service_name == old.spec.service_name
        && new.spec.pod_management_policy == old.spec.pod_management_policy;
    if !same {
        errors.forbidden(&FieldPath::new("spec"), IMMUTABLE);
    }
}

fn spec(
    spec: &StatefulSetSpec,
    old_template: Option<&PodTemplateSpec>,
    strictness: Strictness,
    errors: &mut FieldErrors,
) {
    let path = FieldPath::new("spec");
    let policy = spec.pod_management_policy.as_str();
    match policy {
        "OrderedReady" | "Parallel" => {}
        "" => errors.required(&path.child("podManagementPolicy"), ""),
        _ => {
            let detail = "must be 'OrderedReady' or 'Parallel'";
            errors.invalid(&path.child("podManagementPolicy"), &Named(policy), detail);
        }
    }
    update_strategy(&spec.update_strategy, &path.child("updateStrategy"), errors);
    if let Some(policy) = &spec.persistent_volume_claim_retention_policy {
        retention_policy(policy, &path.child("persistentVolumeClaimRetentionPolicy"), errors);
    }
    if strictness == Strictness::New {
        let path = path.child("volumeClaimTemplates");
        for (index, claim) in spec.volume_claim_templates.iter().enumerate().wanted() {
            let path = path.index(index).child("spec");
            claim_spec(&claim.spec, ClaimOptions::default(), &path, errors);
        }
    }
    let numbers = [
        ("replicas", spec.replicas.unwrap_or(0).into()),
        ("minReadySeconds", spec.min_ready_seconds.into()),
        ("ordinals.start", spec.ordinals.as_ref().map_or(0, |ordinals| ordinals.start.into())),
    ];
    all_nonnegative(&numbers, &path, errors);
    if strictness == Strictness::New && !spec.service_name.is_empty() {
        dns_label(&spec.service_name, &path.child("serviceName"), errors);
    }
    selected_template(spec, old_template, strictness, &path, errors);
    runs_forever(&spec.template, "StatefulSet", &path.child("template"), errors);
}

fn selected_template(
    spec: &StatefulSetSpec,
    old_template: Option<&PodTemplateSpec>,
    strictness: Strictness,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let given = spec.selector.as_deref();
    let at = path.child("selector");
    if !selector(given, "statefulset", &at, errors) {
        if let Some(given) = given {
            errors.invalid(&at, given, "");
        }
        return;
    }
    let path = path.child("template");
    matching_labels(given, &spec.template, &path, errors);
    if strictness != Strictness::WrongBefore {
        template(&as_of_pods(spec), old_template, &path, errors);
    }
    let metadata = &spec.template.metadata;
    labels(&metadata.labels, &path.child("labels"), errors);
    annotations(&metadata.annotations, &path.child("annotations"), errors);
}

/// Returns the template with what the controller puts into pods: names of its own choice, and a volume for each claim.
fn as_of_pods(spec: &StatefulSetSpec) -> PodTemplateSpec {
    let mut template = spec.template.clone();
    template.spec.subdomain.clear();
    template.spec.hostname.clear();
    let claims = spec.volume_claim_templates.iter();
    let claimed: HashSet<&str> = claims.map(|claim| claim.metadata.name.as_str()).collect();
    template.spec.volumes.retain(|volume| !claimed.contains(volume.name.as_str()));
    let volumes = spec.volume_claim_templates.iter().map(|claim| {
        let mut volume = Volume { name: claim.metadata.name.clone(), ..Volume::default() };
        let source = PersistentVolumeClaimVolumeSource {
            claim_name: claim.metadata.name.clone(),
            ..PersistentVolumeClaimVolumeSource::default()
        };
        volume.volume_source.persistent_volume_claim = Some(Box::new(source));
        volume
    });
    template.spec.volumes.splice(0..0, volumes);
    template
}

fn update_strategy(strategy: &StatefulSetUpdateStrategy, path: &FieldPath, errors: &mut FieldErrors) {
    let details = path.child("rollingUpdate");
    match (strategy.type_.as_str(), &strategy.rolling_update) {
        ("", _) => errors.required(path, ""),
        ("OnDelete", Some(update)) => {
            let shown = Shown(shown_rolling_update(update));
            errors.invalid(&details, &shown, "only allowed for updateStrategy 'RollingUpdate'");
        }
        ("RollingUpdate", Some(update)) => rolling_update(update, &details, errors),
        ("OnDelete" | "RollingUpdate", None) => {}
        (other, update) => {
            let update = update.as_ref().map(|update| shown_rolling_update(update));
            let shown = Shown(shown_strategy(other, update));
            errors.invalid(path, &shown, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }
}

fn shown_rolling_update(update: &RollingUpdateStatefulSetStrategy) -> String {
    internal_struct(&[
        ("Partition", update.partition.unwrap_or(0).shown()),
        ("MaxUnavailable", update.max_unavailable.shown()),
    ])
}

fn rolling_update(update: &RollingUpdateStatefulSetStrategy, path: &FieldPath, errors: &mut FieldErrors) {
    nonnegative(update.partition.unwrap_or(0).into(), &path.child("partition"), errors);
    if let Some(max_unavailable) = &update.max_unavailable {
        let path = path.child("maxUnavailable");
        nonnegative_int_or_percent(max_unavailable, &path, errors);
        if int_or_percent_value(max_unavailable) == 0 {
            errors.invalid(&path, max_unavailable, "cannot be 0");
        }
        at_most_100_percent(max_unavailable, &path, errors);
    }
}

fn retention_policy(
    policy: &StatefulSetPersistentVolumeClaimRetentionPolicy,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (name, value) in [("whenDeleted", &policy.when_deleted), ("whenScaled", &policy.when_scaled)] {
        if !["Retain", "Delete"].contains(&value.as_str()) {
            errors.not_supported(&path.child(name), &Named(value), &["Retain", "Delete"]);
        }
    }
}

fn status(new: &StatefulSet, old: &StatefulSet, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("status");
    let StatefulSetStatus {
        observed_generation,
        replicas,
        ready_replicas,
        current_replicas,
        updated_replicas,
        available_replicas,
        collision_count: collisions,
        ..
    } = new.status;
    let numbers = [
        ("replicas", replicas.into()),
        ("readyReplicas", ready_replicas.into()),
        ("currentReplicas", current_replicas.into()),
        ("updatedReplicas", updated_replicas.into()),
        ("availableReplicas", available_replicas.into()),
        ("observedGeneration", observed_generation),
        ("collisionCount", collisions.unwrap_or(0).into()),
    ];
    all_nonnegative(&numbers, &path, errors);
    let parts = [
        ("readyReplicas", ready_replicas),
        ("currentReplicas", current_replicas),
        ("updatedReplicas", updated_replicas),
        ("availableReplicas", available_replicas),
    ];
    at_most_all(&parts, replicas, &path, errors);
    if available_replicas > ready_replicas {
        let path = path.child("availableReplicas");
        errors.invalid(&path, &available_replicas, "cannot be greater than status.readyReplicas");
    }
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    collision_count(collisions, old.status.collision_count, errors);
}
