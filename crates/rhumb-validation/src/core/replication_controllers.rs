//! Validation of replication controllers.

use rhumb_api::core::v1::{
    PodTemplateSpec, ReplicationController, ReplicationControllerSpec, ReplicationControllerStatus,
};
use rhumb_meta::validation::is_dns1123_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, FieldProblem, Named, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::pod::{PodOptions, pod_template_spec};
use super::replica_counts::{at_most_all, at_most_ready};
use crate::meta::{Scope, all_nonnegative, nonnegative, object_meta_update, object_meta_with};

/// What annotations start with that hold fields which have no place in an object.
const NOT_CONVERTIBLE: &str = "non-convertible.kubernetes.io/";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    let rules = Rules::create(create).update(update).on("status", status);
    builder.rules::<ReplicationController>(rules)?;
    Ok(())
}

fn create(controller: &ReplicationController, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta_with(&controller.metadata, Scope::Namespaced, name, &path, errors);
    spec(&controller.spec, &PodOptions::default(), &FieldPath::new("spec"), errors);
}

fn name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, name, is_dns1123_subdomain(name));
}

fn update(new: &ReplicationController, old: &ReplicationController, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let options = match &old.spec.template {
        Some(template) => PodOptions::of_template_update(template),
        None => PodOptions::default(),
    };
    spec(&new.spec, &options, &FieldPath::new("spec"), errors);
    not_convertible(new, old, errors);
}

/// What an older server couldn't say of an object of another kind stays as it is.
fn not_convertible(new: &ReplicationController, old: &ReplicationController, errors: &mut FieldErrors) {
    for (key, value) in &old.metadata.annotations {
        let Some(field) = key.strip_prefix(NOT_CONVERTIBLE).filter(|field| !field.contains('/')) else {
            continue;
        };
        if !field.contains("selector") {
            let detail = "unknown non-convertible field";
            errors.add(FieldProblem::NotFound, &FieldPath::new(field), value, detail);
        } else if new.spec.selector != old.spec.selector {
            let path = FieldPath::new("spec").child("selector");
            errors.invalid(&path, &new.spec.selector, "cannot update non-convertible selector");
        }
    }
}

fn status(new: &ReplicationController, old: &ReplicationController, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    counts(&new.status, &FieldPath::new("status"), errors);
}

fn spec(spec: &ReplicationControllerSpec, options: &PodOptions, path: &FieldPath, errors: &mut FieldErrors) {
    nonnegative(i64::from(spec.min_ready_seconds), &path.child("minReadySeconds"), errors);
    if spec.selector.is_empty() {
        errors.required(&path.child("selector"), "");
    }
    match spec.replicas {
        None => errors.required(&path.child("replicas"), ""),
        Some(replicas) => nonnegative(i64::from(replicas), &path.child("replicas"), errors),
    }
    let at = path.child("template");
    match &spec.template {
        None => errors.required(&at, ""),
        Some(template) => pod_template(template, spec, options, &at, errors),
    }
}

/// The template, whose pods must be the controller's own, and be restarted forever.
fn pod_template(
    template: &PodTemplateSpec,
    spec: &ReplicationControllerSpec,
    options: &PodOptions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let labels = &template.metadata.labels;
    if spec.selector.iter().any(|(key, value)| labels.get(key) != Some(value)) {
        let path = path.child("metadata").child("labels");
        errors.invalid(&path, labels, "`selector` does not match template `labels`");
    }
    pod_template_spec(template, path, options, errors);
    let policy = template.spec.restart_policy.as_str();
    if policy != "Always" {
        errors.not_supported(&path.child("spec").child("restartPolicy"), &Named(policy), &["Always"]);
    }
    if template.spec.active_deadline_seconds.is_some() {
        let detail = "activeDeadlineSeconds in ReplicationController is not Supported";
        errors.forbidden(&path.child("spec").child("activeDeadlineSeconds"), detail);
    }
}

fn counts(status: &ReplicationControllerStatus, path: &FieldPath, errors: &mut FieldErrors) {
    let (ready, available) = (status.ready_replicas, status.available_replicas);
    let parts = [
        ("fullyLabeledReplicas", status.fully_labeled_replicas),
        ("readyReplicas", ready),
        ("availableReplicas", available),
    ];
    nonnegative(i64::from(status.replicas), &path.child("replicas"), errors);
    all_nonnegative(&parts.map(|(name, count)| (name, i64::from(count))), path, errors);
    nonnegative(status.observed_generation, &path.child("observedGeneration"), errors);
    at_most_all(&parts, status.replicas, path, errors);
    at_most_ready(available, ready, path, errors);
}
