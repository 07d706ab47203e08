//! Types of what a request brings: the request itself and its namespace.

use std::sync::Arc;

use rhumb_cel::types::Type;

use crate::limits;
use crate::schema::{Declared, Kind, Object};

/// The name of the type of `variables`.
pub(super) const VARIABLES: &str = "kubernetes.variables";

fn text() -> Declared {
    Declared::plain(Type::String, limits::SHORTEST_STRING)
}

fn plain(type_: Type) -> Declared {
    Declared::plain(type_, 1)
}

fn list(element: Declared) -> Declared {
    Declared::list(element, limits::REQUEST_BYTES)
}

fn map(value: Declared) -> Declared {
    Declared::map(value, limits::REQUEST_BYTES)
}

fn object(name: &str, texts: &[&str], others: Vec<(&str, Declared)>) -> Declared {
    let texts = texts.iter().map(|field| (*field, text()));
    let fields = texts.chain(others).map(|(field, type_)| (Arc::from(field), type_)).collect();
    Declared { kind: Kind::Object(Object { name: name.into(), fields }), most: 0, shortest: 2 }
}

/// The type of `request`.
pub(super) fn request() -> Declared {
    let kind = || object("kubernetes.GroupVersionKind", &["group", "version", "kind"], Vec::new());
    let resource =
        || object("kubernetes.GroupVersionResource", &["group", "version", "resource"], Vec::new());
    let user = object(
        "kubernetes.UserInfo",
        &["username", "uid"],
        vec![("groups", list(text())), ("extra", map(list(text())))],
    );
    object(
        "kubernetes.AdmissionRequest",
        &["subResource", "requestSubResource", "name", "namespace", "operation"],
        vec![
            ("kind", kind()),
            ("resource", resource()),
            ("requestKind", kind()),
            ("requestResource", resource()),
            ("userInfo", user),
            ("dryRun", plain(Type::Bool)),
            ("options", plain(Type::Dyn)),
        ],
    )
}

/// The type of `namespaceObject`.
pub(super) fn namespace() -> Declared {
    let metadata = object(
        "kubernetes.NamespaceMetadata",
        &["name", "generateName", "namespace", "UID", "resourceVersion"],
        vec![
            ("labels", map(text())),
            ("annotations", map(text())),
            ("creationTimestamp", plain(Type::Timestamp)),
            ("deletionGracePeriodSeconds", plain(Type::Int)),
            ("deletionTimestamp", plain(Type::Timestamp)),
            ("generation", plain(Type::Int)),
            ("finalizers", list(text())),
        ],
    );
    let condition = object(
        "kubernetes.NamespaceCondition",
        &["status", "type", "message", "reason"],
        vec![("lastTransitionTime", plain(Type::Timestamp))],
    );
    let spec = object("kubernetes.NamespaceSpec", &[], vec![("finalizers", list(text()))]);
    let status = object("kubernetes.NamespaceStatus", &["phase"], vec![("conditions", list(condition))]);
    let parts = vec![("metadata", metadata), ("spec", spec), ("status", status)];
    object("kubernetes.Namespace", &[], parts)
}
