//! Validation of ReplicaSets.

use rhumb_api::apps::v1::{ReplicaSet, ReplicaSetSpec, ReplicaSetStatus};
use rhumb_api::core::v1::PodTemplateSpec;
use rhumb_meta::v1::LabelSelector;
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::pod_template::{matching_labels, runs_forever, selector, template};
use crate::core::replica_counts::{at_most_all, at_most_ready};
use crate::meta::{Scope, all_nonnegative, immutable_field, object_meta, object_meta_update};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(set: &ReplicaSet, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&set.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    spec(&set.spec, None, &FieldPath::new("spec"), errors);
}

fn update(new: &ReplicaSet, old: &ReplicaSet, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec");
    spec(&new.spec, Some(&old.spec.template), &path, errors);
    immutable_field(&new.spec.selector, &old.spec.selector, &path.child("selector"), errors);
}

fn spec(
    spec: &ReplicaSetSpec,
    old_template: Option<&PodTemplateSpec>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let numbers =
        [("replicas", spec.replicas.unwrap_or(0).into()), ("minReadySeconds", spec.min_ready_seconds.into())];
    all_nonnegative(&numbers, path, errors);
    selected_template(spec.selector.as_deref(), &spec.template, old_template, path, errors);
}

/// A selector and the template that it must match, of a ReplicaSet or of a Deployment, which makes ReplicaSets.
pub(super) fn selected_template(
    given: Option<&LabelSelector>,
    pods: &PodTemplateSpec,
    old_pods: Option<&PodTemplateSpec>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let at = path.child("selector");
    // Both kinds are called by one name here.
    if !selector(given, "deployment", &at, errors) {
        if let Some(given) = given {
            errors.invalid(&at, given, "invalid label selector");
        }
        return;
    }
    let path = path.child("template");
    matching_labels(given, pods, &path, errors);
    template(pods, old_pods, &path, errors);
    runs_forever(pods, "ReplicaSet", &path, errors);
}

fn status(new: &ReplicaSet, old: &ReplicaSet, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("status");
    let ReplicaSetStatus {
        replicas,
        fully_labeled_replicas,
        ready_replicas,
        available_replicas,
        terminating_replicas,
        observed_generation,
        ..
    } = new.status;
    let numbers = [
        ("replicas", replicas.into()),
        ("fullyLabeledReplicas", fully_labeled_replicas.into()),
        ("readyReplicas", ready_replicas.into()),
        ("availableReplicas", available_replicas.into()),
        ("observedGeneration", observed_generation),
        ("terminatingReplicas", terminating_replicas.unwrap_or(0).into()),
    ];
    all_nonnegative(&numbers, &path, errors);
    let parts = [
        ("fullyLabeledReplicas", fully_labeled_replicas),
        ("readyReplicas", ready_replicas),
        ("availableReplicas", available_replicas),
    ];
    at_most_all(&parts, replicas, &path, errors);
    at_most_ready(available_replicas, ready_replicas, &path, errors);
}
