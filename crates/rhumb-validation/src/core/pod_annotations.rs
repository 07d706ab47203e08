//! Validation of pod annotations that stand for fields.

use std::collections::{BTreeMap, HashSet};

use rhumb_api::core::v1::{AppArmorProfile, PodSpec, SeccompProfile};
use rhumb_meta::ObjectMeta;
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::container::all_containers;
use super::file_path::local_descending;
use super::pod_options::PodOptions;
use super::toleration::{from_annotation, tolerations};

/// Marks the image of a pod that a node runs on its own.
pub(super) const MIRROR: &str = "kubernetes.io/config.mirror";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const LOCALHOST: &str = "localhost/";

type Annotations = BTreeMap<String, String>;

/// Reports whether the cost of deletion is a number, if there is one.
pub(super) fn deletion_cost_is_valid(annotations: &Annotations) -> bool {
    annotations.get(DELETION_COST).is_none_or(|cost| {
        let is_canonical = cost == "0" || cost.starts_with(|c: char| matches!(c, '-' | '1'..='9'));
        is_canonical && cost.parse::<i32>().is_ok()
    })
}

/// The annotations of a pod or a template that mean something.
pub(super) fn pod_annotations(
    annotations: &Annotations,
    spec: &PodSpec,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    if let Some(value) = annotations.get(MIRROR)
        && spec.node_name.is_empty()
    {
        let detail = "must set spec.nodeName if mirror pod annotation is set";
        errors.invalid(&path.key(MIRROR), value, detail);
    }
    if let Some(text) = annotations.get(TOLERATIONS).filter(|text| !text.is_empty()) {
        match from_annotation(text) {
            Ok(found) => tolerations(&found, &path.child(TOLERATIONS), options, errors),
            Err(error) => errors.invalid(path, TOLERATIONS, &error),
        }
    }
    if !options.invalid_deletion_cost && !deletion_cost_is_valid(annotations) {
        let cost = annotations.get(DELETION_COST).map(String::as_str).unwrap_or_default();
        errors.invalid(&path.key(DELETION_COST), cost, "must be a 32bit integer");
    }
    if let Some(profile) = annotations.get(SECCOMP_POD) {
        seccomp(profile, &path.child(SECCOMP_POD), errors);
    }
    for (key, profile) in annotations.iter().filter(|(key, _)| key.starts_with(SECCOMP_CONTAINER)) {
        seccomp(profile, &path.child(key), errors);
    }
    let mut names: Option<HashSet<String>> = None;
    for (key, profile) in annotations {
        let Some(container) = key.strip_prefix(APP_ARMOR) else { continue };
        let names = names.get_or_insert_with(|| {
            all_containers(spec, path).map(|(container, _)| container.name.clone()).collect()
        });
        if !names.contains(container) {
            errors.invalid(&path.key(key), container, "container not found");
        }
        if !is_app_armor_profile(profile) {
            let detail = format!("invalid AppArmor profile name: {}", quoted(profile));
            errors.invalid(&path.key(key), profile, &detail);
        }
    }
}

/// Reports whether an annotation can ask for the profile of AppArmor.
pub(crate) fn is_app_armor_profile(profile: &str) -> bool {
    matches!(profile, "" | "runtime/default" | "unconfined") || profile.starts_with(LOCALHOST)
}

/// A profile of seccomp as annotations name it.
pub(crate) fn seccomp(profile: &str, path: &FieldPath, errors: &mut FieldErrors) {
    match (profile, profile.strip_prefix(LOCALHOST)) {
        ("runtime/default" | "docker/default" | "unconfined", _) => {}
        (_, Some(file)) => local_descending(file, path, errors),
        _ => errors.invalid(path, profile, "must be a valid seccomp profile"),
    }
}

/// What may become of a pod's annotations.
pub(super) fn pod_annotations_update(
    new: &Annotations,
    old: &Annotations,
    spec: &PodSpec,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    for (key, _) in old.iter().filter(|(key, value)| new.get(*key) != Some(*value)) {
        if key.starts_with(APP_ARMOR) {
            errors.forbidden(&path.key(key), "may not remove or update AppArmor annotations");
        }
        if key == MIRROR {
            errors.forbidden(&path.key(key), "may not remove or update mirror pod annotation");
        }
    }
    for key in new.keys().filter(|key| !old.contains_key(*key)) {
        if key.starts_with(APP_ARMOR) {
            errors.forbidden(&path.key(key), "may not add AppArmor annotations");
        }
        if key == MIRROR {
            errors.forbidden(&path.key(key), "may not add mirror pod annotation");
        }
    }
    pod_annotations(new, spec, path, options, errors);
}

/// Where a profile is said by an annotation and by a field, both say the same.
pub(super) fn annotations_match_fields(
    metadata: &ObjectMeta,
    spec: &PodSpec,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let annotation = |prefix: &str, name: &str| metadata.annotations.get(&format!("{prefix}{name}"));
    let context = spec.security_context.as_deref();
    if let Some(profile) = context.and_then(|context| context.seccomp_profile.as_deref())
        && let Some(value) = annotation(SECCOMP_POD, "")
    {
        seccomp_matches(value, profile, &path.child("securityContext").child("seccompProfile"), errors);
    }
    for (container, at) in all_containers(spec, path) {
        let own = container.security_context.as_deref();
        if let Some(profile) = own.and_then(|own| own.seccomp_profile.as_deref())
            && let Some(value) = annotation(SECCOMP_CONTAINER, &container.name)
        {
            seccomp_matches(value, profile, &at.child("securityContext").child("seccompProfile"), errors);
        }
    }
    if spec.os.as_deref().is_some_and(|os| os.name == "windows") {
        return;
    }
    let of_pod = context.and_then(|context| context.app_armor_profile.as_deref());
    for (container, at) in all_containers(spec, path) {
        let own = container.security_context.as_deref().and_then(|own| own.app_armor_profile.as_deref());
        if let Some(profile) = own.or(of_pod)
            && let Some(value) = annotation(APP_ARMOR, &container.name)
        {
            app_armor_matches(value, profile, &at.child("securityContext").child("appArmorProfile"), errors);
        }
    }
}

fn seccomp_matches(annotation: &str, profile: &SeccompProfile, path: &FieldPath, errors: &mut FieldErrors) {
    let is_default = matches!(annotation, "runtime/default" | "docker/default");
    let file = profile.localhost_profile.as_deref();
    profile_matches("seccomp", annotation, is_default, &profile.type_, file, path, errors);
}

fn app_armor_matches(
    annotation: &str,
    profile: &AppArmorProfile,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let is_default = annotation == "runtime/default";
    let file = profile.localhost_profile.as_deref();
    profile_matches("apparmor", annotation, is_default, &profile.type_, file, path, errors);
}

fn profile_matches(
    what: &str,
    annotation: &str,
    is_default: bool,
    kind: &str,
    file: Option<&str>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let local = annotation.strip_prefix(LOCALHOST);
    let same_type = match kind {
        "Unconfined" => annotation == "unconfined",
        "RuntimeDefault" => is_default,
        "Localhost" => local.is_some(),
        _ => return,
    };
    if !same_type {
        let detail = format!("{what} type in annotation and field must match");
        errors.forbidden(&path.child("type"), &detail);
    } else if kind == "Localhost" && local != file {
        let detail = format!("{what} profile in annotation and field must match");
        errors.forbidden(&path.child("localhostProfile"), &detail);
    }
}
