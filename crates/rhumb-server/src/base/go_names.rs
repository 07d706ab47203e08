//! What Kubernetes calls things in its source, where messages name that.

use rhumb_meta::GroupVersionKind;
use rhumb_schema::text::quoted;
use rhumb_scheme::NotRegistered;

use crate::base::failure::Failure;

/// The registry of kinds: the place where it is made.
pub(crate) const SCHEME: &str = "pkg/runtime/scheme.go:111";

/// The groups whose kinds have a registry of their own, in which no others are.
const ALONE: [&str; 2] = ["apiextensions.k8s.io", "apiregistration.k8s.io"];

/// The answer to an object that can't be taken for one of the expected kind.
pub(crate) fn no_conversion(told: &GroupVersionKind, expected: &GroupVersionKind) -> Failure {
    let why = if told.group != expected.group && ALONE.contains(&expected.group.as_ref()) {
        NotRegistered::Kind(told.clone(), SCHEME.to_owned()).to_string()
    } else {
        let package = package(&expected.group);
        format!(
            "converting ({}.{}) to ({package}.{}): unknown conversion",
            told.version, told.kind, expected.kind
        )
    };
    let version = quoted(told.version.as_bytes());
    Failure::bad_request(format!(
        "{} in version {version} cannot be handled as a {}: {why}",
        told.kind, expected.kind
    ))
}

/// The package that the hub types of a group are in.
pub(crate) fn package(group: &str) -> &str {
    match group {
        // Events have one hub type, whichever group they are asked for in.
        "" | "events.k8s.io" => "core",
        "internal.apiserver.k8s.io" => "apiserverinternal",
        group => group.split('.').next().unwrap_or(group),
    }
}
