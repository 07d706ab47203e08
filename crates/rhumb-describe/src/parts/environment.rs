//! Environment variables and their sources.

use std::fmt::Display;

use rhumb_api::core::v1::{Container, EnvFromSource, EnvVar, EnvVarSource, Pod, ResourceFieldSelector};
use rhumb_meta::{Format, GroupVersion, Quantity};

use super::quantity_in;
use crate::Lines;

/// Resolves a field of the container's pod by version and path.
pub(crate) type Resolve<'a> = &'a dyn Fn(&str, &str) -> String;

/// Writes `envFrom` sources.
pub(super) fn sources(out: &mut Lines, sources: &[EnvFromSource]) {
    if sources.is_empty() {
        return;
    }
    out.line(2, "Environment Variables from:");
    for source in sources {
        let (name, from, optional) = match (&source.config_map_ref, &source.secret_ref) {
            (Some(reference), _) => {
                (reference.local_object_reference.name.as_str(), "ConfigMap", reference.optional)
            }
            (None, Some(reference)) => {
                (reference.local_object_reference.name.as_str(), "Secret", reference.optional)
            }
            (None, None) => ("", "", None),
        };
        let prefix = match source.prefix.as_str() {
            "" => String::new(),
            prefix => format!(" with prefix '{prefix}'"),
        };
        out.row(3, &[&name, &format_args!("{from}{prefix}"), &optional_text(optional)]);
    }
}

/// Writes the variables of a container.
pub(super) fn variables(out: &mut Lines, container: &Container, resolve: Option<Resolve<'_>>) {
    let none = if container.env.is_empty() { "\t<none>" } else { "" };
    out.line(2, format_args!("Environment:{none}"));
    for variable in &container.env {
        match variable.value_from.as_deref() {
            Some(source) => value_from(out, container, variable, source, resolve),
            None => literal(out, variable),
        }
    }
}

fn literal(out: &mut Lines, variable: &EnvVar) {
    for (index, line) in variable.value.split('\n').enumerate() {
        if index == 0 {
            out.field(3, &variable.name, line);
        } else {
            out.line(3, format_args!("\t{line}"));
        }
    }
}

fn value_from(
    out: &mut Lines,
    container: &Container,
    variable: &EnvVar,
    source: &EnvVarSource,
    resolve: Option<Resolve<'_>>,
) {
    let name = &variable.name;
    if let Some(field) = &source.field_ref {
        let value = resolve.map(|resolve| resolve(&field.api_version, &field.field_path)).unwrap_or_default();
        out.field(3, name, format_args!("{value} ({}:{})", field.api_version, field.field_path));
    } else if let Some(field) = &source.resource_field_ref {
        let value = resource_value(field, container).unwrap_or_default();
        let is_unlimited = value == "0" && ["limits.cpu", "limits.memory"].contains(&field.resource.as_str());
        let value = if is_unlimited { "node allocatable" } else { &value };
        out.field(3, name, format_args!("{value} ({})", field.resource));
    } else if let Some(key) = &source.secret_key_ref {
        let secret = &key.local_object_reference.name;
        let place: &dyn Display = &format_args!("<set to the key '{}' in secret '{secret}'>", key.key);
        out.row(3, &[&format_args!("{name}:"), place, &optional_text(key.optional)]);
    } else if let Some(key) = &source.config_map_key_ref {
        let map = &key.local_object_reference.name;
        let place: &dyn Display = &format_args!("<set to the key '{}' of config map '{map}'>", key.key);
        out.row(3, &[&format_args!("{name}:"), place, &optional_text(key.optional)]);
    }
}

fn optional_text(optional: Option<bool>) -> String {
    format!("Optional: {}", optional == Some(true))
}

/// Returns an amount that a container has, in units of the divisor, rounded up. None for resources that have no such
/// field.
fn resource_value(field: &ResourceFieldSelector, container: &Container) -> Option<String> {
    let (list, name) = match field.resource.split_once('.')? {
        ("limits", name) => (&container.resources.limits, name),
        ("requests", name) => (&container.resources.requests, name),
        _ => return None,
    };
    let amount = quantity_in(list, name);
    let in_units: fn(&Quantity) -> i64 = match name {
        "cpu" => Quantity::milli_value,
        "memory" | "ephemeral-storage" => Quantity::value,
        name if name.starts_with("hugepages-") => Quantity::value,
        _ => return None,
    };
    let one = Quantity::from_i64(1, Format::DecimalSI);
    let divisor = if field.divisor.is_zero() { &one } else { &field.divisor };
    let units = in_units(&amount) as f64 / in_units(divisor) as f64;
    Some(crate::go_text::whole(units.ceil()).to_string())
}

/// Returns a resolver of a pod's fields. Clients resolve only two of them, because others depend on the versions of
/// pods.
pub(crate) fn resolve_for(pod: &Pod) -> impl Fn(&str, &str) -> String {
    move |api_version, path| {
        let is_known_version = GroupVersion::parse(api_version).is_ok();
        match path {
            "metadata.name" if is_known_version => pod.metadata.name.clone(),
            "metadata.namespace" if is_known_version => pod.metadata.namespace.clone(),
            _ => String::new(),
        }
    }
}
