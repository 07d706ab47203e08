//! Validation of HorizontalPodAutoscalers.

use rhumb_api::autoscaling::v2::{
    CrossVersionObjectReference, HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, MetricSpec,
};
use rhumb_meta::GroupVersion;
use rhumb_meta::validation::{is_path_segment_name, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::{behavior, metrics};
use crate::meta::{Scope, all_nonnegative, object_meta, object_meta_update};

/// How the version in a reference is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Versions {
    /// It must be well-formed and have a group.
    WithGroup,
    /// It must be well-formed.
    Any,
    /// Not at all, because it is as it was, or was wrong before.
    Unchecked,
}

/// What is checked in which way.
struct Strictness {
    least: i32,
    target: Versions,
    objects: Versions,
}

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules(Rules::create(create).update(update).on("status", status))?;
    Ok(())
}

fn create(autoscaler: &HorizontalPodAutoscaler, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&autoscaler.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    let target = target_versions(&autoscaler.spec.scale_target_ref);
    spec(&autoscaler.spec, &Strictness { least: 1, target, objects: Versions::Any }, errors);
}

fn update(
    new: &HorizontalPodAutoscaler,
    old: &HorizontalPodAutoscaler,
    _: &Context,
    errors: &mut FieldErrors,
) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    // What was wrong before may stay so, and what could scale to nothing still can.
    let (target, before) = (&new.spec.scale_target_ref, &old.spec.scale_target_ref);
    let same_target = target.api_version == before.api_version && target.kind == before.kind;
    let wrong_object = |metric: &MetricSpec| {
        let object = metric.object.as_ref().filter(|_| metric.type_ == "Object");
        object.is_some_and(|object| version_fault(&object.described_object, Versions::Any).is_some())
    };
    let unless = |unchecked: bool, versions| if unchecked { Versions::Unchecked } else { versions };
    let strictness = Strictness {
        least: if old.spec.min_replicas == Some(0) { 0 } else { 1 },
        target: unless(same_target, target_versions(target)),
        objects: unless(old.spec.metrics.iter().any(wrong_object), Versions::Any),
    };
    spec(&new.spec, &strictness, errors);
}

/// Returns what the version of a scaled object must have: a group, unless the object is of the one kind in the core
/// group that can be scaled.
fn target_versions(target: &CrossVersionObjectReference) -> Versions {
    if target.kind == "ReplicationController" { Versions::Any } else { Versions::WithGroup }
}

fn spec(spec: &HorizontalPodAutoscalerSpec, strictness: &Strictness, errors: &mut FieldErrors) {
    let path = FieldPath::new("spec");
    if let Some(min) = spec.min_replicas.filter(|min| *min < strictness.least) {
        let detail = format!("must be greater than or equal to {}", strictness.least);
        errors.invalid(&path.child("minReplicas"), &min, &detail);
    }
    let (at, max) = (path.child("maxReplicas"), spec.max_replicas);
    match max {
        0 => errors.required(&at, "must be set and greater than 0"),
        1.. => {}
        _ => errors.invalid(&at, &max, "must be greater than or equal to 1"),
    }
    if spec.min_replicas.is_some_and(|min| max < min) {
        errors.invalid(&at, &max, "must be greater than or equal to `minReplicas`");
    }
    reference(&spec.scale_target_ref, strictness.target, &path.child("scaleTargetRef"), errors);
    metrics::metrics(spec, strictness.objects, &path.child("metrics"), errors);
    if let Some(given) = &spec.behavior {
        behavior::behavior(given, &path.child("behavior"), errors);
    }
}

/// Names an object by kind and name, and by a version that may be none.
pub(super) fn reference(
    reference: &CrossVersionObjectReference,
    versions: Versions,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    for (name, value) in [("kind", &reference.kind), ("name", &reference.name)] {
        let path = path.child(name);
        if value.is_empty() {
            errors.required(&path, "");
        } else {
            errors.invalid_each(&path, value, is_path_segment_name(value));
        }
    }
    if let Some(fault) = version_fault(reference, versions) {
        errors.invalid(&path.child("apiVersion"), &reference.api_version, &fault);
    }
}

fn version_fault(reference: &CrossVersionObjectReference, versions: Versions) -> Option<String> {
    if versions == Versions::Unchecked {
        return None;
    }
    match GroupVersion::parse(&reference.api_version) {
        Err(error) => Some(error.to_string()),
        Ok(gv) if gv.group.is_empty() && versions == Versions::WithGroup => {
            Some("apiVersion must specify API group".to_owned())
        }
        Ok(_) => None,
    }
}

fn status(
    new: &HorizontalPodAutoscaler,
    old: &HorizontalPodAutoscaler,
    _: &Context,
    errors: &mut FieldErrors,
) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let numbers = [
        ("currentReplicas", new.status.current_replicas.into()),
        ("desiredReplicas", new.status.desired_replicas.into()),
    ];
    all_nonnegative(&numbers, &FieldPath::new("status"), errors);
}
