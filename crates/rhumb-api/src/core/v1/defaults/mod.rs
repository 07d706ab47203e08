//! Defaults of `v1` that depend on more than their own field. Plain ones stand in the field tables.

mod aggregate;
mod image_name;
mod pod;
mod service;
mod volume;

use std::collections::BTreeMap;

use rhumb_meta::Quantity;
use rhumb_scheme::SchemeBuilder;

use super::{Namespace, NamespaceStatus};

/// Registers the functions.
pub(crate) fn register(builder: &mut SchemeBuilder) {
    pod::register(builder);
    service::register(builder);
    volume::register(builder);
    builder.defaults(namespace).defaults(namespace_status);
}

/// A namespace can be selected by its name, so the name is a label too. One whose name is yet to be made has none.
fn namespace(namespace: &mut Namespace) {
    let name = &namespace.metadata.name;
    if !name.is_empty() {
        namespace.metadata.labels.insert("kubernetes.io/metadata.name".to_owned(), name.clone());
    }
}

fn namespace_status(status: &mut NamespaceStatus) {
    fill(&mut status.phase, "Active");
}

/// Resources are counted in thousandths at most; what is finer is rounded up.
fn round_up(resources: &mut BTreeMap<String, Quantity>) {
    resources.values_mut().for_each(Quantity::round_up_to_milli);
}

fn fill(field: &mut String, default: &str) {
    if field.is_empty() {
        default.clone_into(field);
    }
}
