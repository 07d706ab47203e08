//! Validation of Deployments, and of the requests to roll them back.

use rhumb_api::apps::v1::{
    Deployment, DeploymentSpec, DeploymentStatus, DeploymentStrategy, RollingUpdateDeployment,
};
use rhumb_api::apps::v1beta1::DeploymentRollback;
use rhumb_api::core::v1::PodTemplateSpec;
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_meta::{IntOrString, ObjectMeta};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Shown};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::replica_set::selected_template;
use super::{collision_count, shown_bounds, shown_strategy};
use crate::core::replica_counts::{at_most_all, at_most_ready};
use crate::meta::{
    Scope, all_nonnegative, annotations, at_most_100_percent, immutable_field, int_or_percent_value,
    nonnegative, nonnegative_int_or_percent, object_meta, object_meta_update,
};

/// Where a Deployment of the hub keeps the revision to roll back to.
const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules(Rules::create(create).update(update).on("status", status))?;
    builder.rules(Rules::create(rollback))?;
    Ok(())
}

fn create(deployment: &Deployment, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&deployment.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    spec(deployment, None, errors);
}

fn update(new: &Deployment, old: &Deployment, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    spec(new, Some(&old.spec.template), errors);
    let path = FieldPath::new("spec").child("selector");
    immutable_field(&new.spec.selector, &old.spec.selector, &path, errors);
}

fn spec(deployment: &Deployment, old_template: Option<&PodTemplateSpec>, errors: &mut FieldErrors) {
    let path = FieldPath::new("spec");
    let spec: &DeploymentSpec = &deployment.spec;
    nonnegative(spec.replicas.unwrap_or(0).into(), &path.child("replicas"), errors);
    selected_template(spec.selector.as_deref(), &spec.template, old_template, &path, errors);
    strategy(&spec.strategy, &path.child("strategy"), errors);
    let numbers = [
        ("minReadySeconds", spec.min_ready_seconds.into()),
        ("revisionHistoryLimit", spec.revision_history_limit.unwrap_or(0).into()),
    ];
    all_nonnegative(&numbers, &path, errors);
    if let Some(revision) = rollback_revision(&deployment.metadata) {
        nonnegative(revision, &path.child("rollback").child("version"), errors);
    }
    if let Some(seconds) = spec.progress_deadline_seconds {
        let path = path.child("progressDeadlineSeconds");
        nonnegative(seconds.into(), &path, errors);
        if seconds <= spec.min_ready_seconds {
            errors.invalid(&path, &seconds, "must be greater than minReadySeconds");
        }
    }
}

fn rollback_revision(metadata: &ObjectMeta) -> Option<i64> {
    metadata.annotations.get(ROLLBACK_TO)?.parse().ok()
}

fn strategy(strategy: &DeploymentStrategy, path: &FieldPath, errors: &mut FieldErrors) {
    let details = path.child("rollingUpdate");
    match (strategy.type_.as_str(), &strategy.rolling_update) {
        ("Recreate", Some(_)) => {
            errors.forbidden(&details, "may not be specified when strategy `type` is 'Recreate'");
        }
        ("Recreate", None) => {}
        ("RollingUpdate", None) => errors.required(&details, "this should be defaulted and never be nil"),
        ("RollingUpdate", Some(update)) => rolling_update(update, &details, errors),
        (other, update) => {
            let bounds = update
                .as_ref()
                .map(|update| shown_bounds(update.max_unavailable.as_ref(), update.max_surge.as_ref()));
            let shown = Shown(shown_strategy(other, bounds));
            errors.not_supported(path, &shown, &["Recreate", "RollingUpdate"]);
        }
    }
}

fn rolling_update(update: &RollingUpdateDeployment, path: &FieldPath, errors: &mut FieldErrors) {
    let none = IntOrString::Int(0);
    let max_unavailable = update.max_unavailable.as_ref().unwrap_or(&none);
    let max_surge = update.max_surge.as_ref().unwrap_or(&none);
    let at = path.child("maxUnavailable");
    nonnegative_int_or_percent(max_unavailable, &at, errors);
    nonnegative_int_or_percent(max_surge, &path.child("maxSurge"), errors);
    if int_or_percent_value(max_unavailable) == 0 && int_or_percent_value(max_surge) == 0 {
        errors.invalid(&at, max_unavailable, "may not be 0 when `maxSurge` is 0");
    }
    at_most_100_percent(max_unavailable, &at, errors);
}

fn status(new: &Deployment, old: &Deployment, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("status");
    let DeploymentStatus {
        observed_generation,
        replicas,
        updated_replicas,
        ready_replicas,
        available_replicas,
        unavailable_replicas,
        terminating_replicas,
        collision_count: collisions,
        ..
    } = new.status;
    let numbers = [
        ("observedGeneration", observed_generation),
        ("replicas", replicas.into()),
        ("updatedReplicas", updated_replicas.into()),
        ("readyReplicas", ready_replicas.into()),
        ("availableReplicas", available_replicas.into()),
        ("unavailableReplicas", unavailable_replicas.into()),
        ("terminatingReplicas", terminating_replicas.unwrap_or(0).into()),
        ("collisionCount", collisions.unwrap_or(0).into()),
    ];
    all_nonnegative(&numbers, &path, errors);
    let parts = [
        ("updatedReplicas", updated_replicas),
        ("readyReplicas", ready_replicas),
        ("availableReplicas", available_replicas),
    ];
    at_most_all(&parts, replicas, &path, errors);
    at_most_ready(available_replicas, ready_replicas, &path, errors);
    collision_count(collisions, old.status.collision_count, errors);
}

fn rollback(rollback: &DeploymentRollback, _: &Context, errors: &mut FieldErrors) {
    annotations(&rollback.updated_annotations, &FieldPath::new("updatedAnnotations"), errors);
    if rollback.name.is_empty() {
        errors.required(&FieldPath::new("name"), "");
    }
    let path = FieldPath::new("rollback").child("version");
    nonnegative(rollback.rollback_to.revision, &path, errors);
}
