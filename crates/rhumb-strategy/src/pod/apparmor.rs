//! AppArmor annotations, from which new pods get the field.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{AppArmorProfile, Pod, PodSpec};
use rhumb_scheme::validation::FieldPath;

use super::containers::{AnyContainer, containers, containers_mut};

const PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";
const LONGEST_PROFILE: usize = 4095;

/// Returns the annotation for a container.
pub(super) fn annotation_key(container: &str) -> String {
    format!("{PREFIX}{container}")
}

/// Returns the field that an annotation stands for.
pub(super) fn profile_of(annotation: &str) -> Option<AppArmorProfile> {
    let profile =
        |type_: &str, localhost_profile| AppArmorProfile { type_: type_.to_owned(), localhost_profile };
    match annotation {
        "unconfined" => Some(profile("Unconfined", None)),
        "runtime/default" => Some(profile("RuntimeDefault", None)),
        other => {
            let name = other.strip_prefix("localhost/").filter(|name| !name.is_empty())?;
            Some(profile("Localhost", Some(name.to_owned())))
        }
    }
}

/// Returns the profile of the pod as a whole.
pub(super) fn of_pod(spec: &PodSpec) -> Option<&AppArmorProfile> {
    spec.security_context.as_ref()?.app_armor_profile.as_deref()
}

/// Result for a container's annotation.
enum Outcome {
    /// No annotation, or the field is set as well.
    Nothing,
    /// The pod as a whole says the same.
    Said,
    /// Invalid annotation.
    Lost,
    /// The container gets the field.
    Moves(AppArmorProfile),
}

fn outcome(
    container: &dyn AnyContainer,
    annotations: &BTreeMap<String, String>,
    whole: Option<&AppArmorProfile>,
) -> Outcome {
    let has_field = container.security().is_some_and(|security| security.app_armor_profile.is_some());
    let annotation = annotations.get(&annotation_key(container.name()));
    let (false, Some(annotation)) = (has_field, annotation) else { return Outcome::Nothing };
    match profile_of(annotation).filter(is_valid) {
        None => Outcome::Lost,
        Some(profile) if whole == Some(&profile) => Outcome::Said,
        Some(profile) => Outcome::Moves(profile),
    }
}

fn is_valid(profile: &AppArmorProfile) -> bool {
    profile.localhost_profile.as_ref().is_none_or(|name| {
        let trimmed = name.trim();
        trimmed == name && !trimmed.is_empty() && name.len() <= LONGEST_PROFILE
    })
}

fn is_windows(spec: &PodSpec) -> bool {
    spec.os.as_ref().is_some_and(|os| os.name == "windows")
}

/// Fills in the fields of a new pod.
pub(crate) fn annotations_to_fields(pod: &mut Pod) {
    if is_windows(&pod.spec) {
        return;
    }
    let whole = of_pod(&pod.spec).cloned();
    for container in containers_mut(&mut pod.spec) {
        if let Outcome::Moves(profile) = outcome(container, &pod.metadata.annotations, whole.as_ref()) {
            container.security_mut().get_or_insert_default().app_armor_profile = Some(Box::new(profile));
        }
    }
}

/// Warns of the annotations that [`annotations_to_fields`] will move or can't.
pub(crate) fn warn(pod: &Pod) -> Vec<String> {
    if is_windows(&pod.spec) {
        return Vec::new();
    }
    let whole = of_pod(&pod.spec);
    let path = FieldPath::new("metadata").child("annotations");
    containers(&pod.spec)
        .filter(|container| {
            let outcome = outcome(*container, &pod.metadata.annotations, whole);
            matches!(outcome, Outcome::Lost | Outcome::Moves(_))
        })
        .map(|container| deprecated(&path.key(&annotation_key(container.name()))))
        .collect()
}

/// Returns the warning about an annotation.
pub(super) fn deprecated(path: &FieldPath) -> String {
    format!("{path}: deprecated since v1.30; use the \"appArmorProfile\" field instead")
}
