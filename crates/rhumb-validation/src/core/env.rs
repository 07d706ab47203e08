//! The environment of containers, and references to fields of pods.

use rhumb_api::core::v1::{
    EnvFromSource, EnvVar, EnvVarSource, FileKeySelector, ObjectFieldSelector, ResourceFieldSelector,
};
use rhumb_meta::Quantity;
use rhumb_meta::validation::{
    NamePart, is_config_map_key, is_qualified_name, is_relaxed_env_var_name, name_is_dns_subdomain,
};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};

use super::file_path::without_backsteps;
use crate::meta::dns_label;

const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const SIZES: [&str; 13] = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/// Where a reference to a resource stands, and so whether it has to name the container.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ResourceOf {
    /// In a container, which is meant.
    ThisContainer,
    /// In a volume.
    AnyContainer,
}

/// The variables of a container.
pub(super) fn env(variables: &[EnvVar], path: &FieldPath, errors: &mut FieldErrors) {
    for (index, variable) in variables.iter().enumerate().wanted() {
        let at = path.index(index);
        if variable.name.is_empty() {
            errors.required(&at.child("name"), "");
        } else {
            let found = is_relaxed_env_var_name(&variable.name);
            errors.invalid_each(&at.child("name"), &variable.name, found);
        }
        if let Some(source) = &variable.value_from {
            value_from(source, &variable.value, &at.child("valueFrom"), errors);
        }
    }
}

fn value_from(source: &EnvVarSource, value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let mut sources = 0;
    if let Some(field) = &source.field_ref {
        sources += 1;
        field_ref(field, &FIELDS, &path.child("fieldRef"), errors);
    }
    if let Some(resource) = &source.resource_field_ref {
        sources += 1;
        resource_ref(resource, ResourceOf::ThisContainer, &path.child("resourceFieldRef"), errors);
    }
    if let Some(selector) = &source.config_map_key_ref {
        sources += 1;
        let name = &selector.local_object_reference.name;
        key_ref(name, &selector.key, &path.child("configMapKeyRef"), errors);
    }
    if let Some(selector) = &source.secret_key_ref {
        sources += 1;
        let name = &selector.local_object_reference.name;
        key_ref(name, &selector.key, &path.child("secretKeyRef"), errors);
    }
    if let Some(selector) = &source.file_key_ref {
        sources += 1;
        file_key_ref(selector, &path.child("fileKeyRef"), errors);
    }
    let detail = match sources {
        0 => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        }
        _ if !value.is_empty() => "may not be specified when `value` is not empty",
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    errors.invalid(path, "", detail);
}

/// A reference to a field of the pod.
pub(super) fn field_ref(
    selector: &ObjectFieldSelector,
    supported: &[&str],
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if selector.api_version.is_empty() {
        return errors.required(&path.child("apiVersion"), "");
    }
    if selector.field_path.is_empty() {
        return errors.required(&path.child("fieldPath"), "");
    }
    let at = path.child("fieldPath");
    let label = match known_field(&selector.api_version, &selector.field_path) {
        Ok(label) => label,
        Err(error) => {
            let detail = format!("error converting fieldPath: {error}");
            return errors.invalid(&at, &selector.field_path, &detail);
        }
    };
    match subscript(label) {
        Some(("metadata.annotations", key)) => {
            let key = key.to_lowercase();
            errors.invalid_each(path, &key, is_qualified_name(&key));
        }
        Some((_, key)) => errors.invalid_each(path, key, is_qualified_name(key)),
        None if !supported.contains(&label) => errors.not_supported(&at, label, supported),
        None => {}
    }
}

/// Returns the field that a path means, if pods have it in this version.
fn known_field<'a>(version: &str, path: &'a str) -> Result<&'a str, String> {
    if version != "v1" {
        return Err(format!("unsupported pod version: {version}"));
    }
    match (subscript(path), path) {
        (Some(("metadata.annotations" | "metadata.labels", _)), _) => Ok(path),
        (Some(_), _) => Err(format!("field label does not support subscript: {path}")),
        (
            None,
            "metadata.annotations"
            | "metadata.labels"
            | "metadata.name"
            | "metadata.namespace"
            | "metadata.uid"
            | "spec.nodeName"
            | "spec.restartPolicy"
            | "spec.serviceAccountName"
            | "spec.schedulerName"
            | "status.phase"
            | "status.hostIP"
            | "status.hostIPs"
            | "status.podIP"
            | "status.podIPs",
        ) => Ok(path),
        (None, "spec.host") => Ok("spec.nodeName"),
        (None, _) => Err(format!("field label not supported: {path}")),
    }
}

/// Returns the map and the key of `metadata.labels['key']`.
fn subscript(path: &str) -> Option<(&str, &str)> {
    path.strip_suffix("']")?.split_once("['").filter(|(map, _)| !map.is_empty())
}

/// A reference to what a container requests or is limited to.
pub(super) fn resource_ref(
    selector: &ResourceFieldSelector,
    of: ResourceOf,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let resource = &selector.resource;
    let is_huge_pages =
        resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
    if of == ResourceOf::AnyContainer && selector.container_name.is_empty() {
        errors.required(&path.child("containerName"), "");
    } else if resource.is_empty() {
        errors.required(&path.child("resource"), "");
    } else if !RESOURCES.contains(&resource.as_str()) && !is_huge_pages {
        errors.not_supported(&path.child("resource"), resource, &RESOURCES);
    }
    divisor(resource, is_huge_pages, &selector.divisor, path, errors);
}

fn divisor(
    resource: &str,
    is_huge_pages: bool,
    divisor: &Quantity,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    if divisor.is_zero() {
        return;
    }
    let shown = divisor.to_string();
    let (is_supported, what) = match resource {
        "limits.cpu" | "requests.cpu" => (matches!(shown.as_str(), "1m" | "1"), "cpu"),
        "limits.memory" | "requests.memory" => (SIZES.contains(&shown.as_str()), "memory"),
        "limits.ephemeral-storage" | "requests.ephemeral-storage" => {
            (SIZES.contains(&shown.as_str()), "local ephemeral storage")
        }
        _ if is_huge_pages => (SIZES.contains(&shown.as_str()), "hugepages"),
        _ => return,
    };
    if !is_supported {
        let sizes = if what == "cpu" { "1m and 1".to_owned() } else { SIZES.join(", ") };
        let detail = format!("only divisor's values {sizes} are supported with the {what} resource");
        errors.invalid(&path.child("divisor"), resource, &detail);
    }
}

fn key_ref(name: &str, key: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(&path.child("name"), name, name_is_dns_subdomain(name, NamePart::Whole));
    if key.is_empty() {
        errors.required(&path.child("key"), "");
    } else {
        errors.invalid_each(&path.child("key"), key, is_config_map_key(key));
    }
}

fn file_key_ref(selector: &FileKeySelector, path: &FieldPath, errors: &mut FieldErrors) {
    if selector.key.is_empty() {
        errors.required(&path.child("key"), "");
    } else {
        errors.invalid_each(&path.child("key"), &selector.key, is_relaxed_env_var_name(&selector.key));
    }
    if selector.volume_name.is_empty() {
        errors.required(&path.child("volumeName"), "");
    } else {
        dns_label(&selector.volume_name, &path.child("volumeName"), errors);
    }
    if selector.path.is_empty() {
        errors.required(&path.child("path"), "");
    } else {
        without_backsteps(&selector.path, &path.child("path"), errors);
    }
}

/// The sets of variables that a container takes from elsewhere.
pub(super) fn env_from(sources: &[EnvFromSource], path: &FieldPath, errors: &mut FieldErrors) {
    for (index, source) in sources.iter().enumerate().wanted() {
        let at = path.index(index);
        if !source.prefix.is_empty() {
            let found = is_relaxed_env_var_name(&source.prefix);
            errors.invalid_each(&at.child("prefix"), &source.prefix, found);
        }
        let map = source.config_map_ref.as_deref().map(|map| &map.local_object_reference.name);
        let secret = source.secret_ref.as_deref().map(|secret| &secret.local_object_reference.name);
        for (name, field) in [(map, "configMapRef"), (secret, "secretRef")] {
            let at = at.child(field).child("name");
            match name {
                Some(name) if name.is_empty() => errors.required(&at, ""),
                Some(name) => errors.invalid_each(&at, name, name_is_dns_subdomain(name, NamePart::Prefix)),
                None => {}
            }
        }
        match (map, secret) {
            (None, None) => errors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"),
            (Some(_), Some(_)) => {
                errors.invalid(path, "", "may not have more than one field specified at a time");
            }
            _ => {}
        }
    }
}
