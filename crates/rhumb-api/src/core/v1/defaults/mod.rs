//! Defaults of `v1` that depend on more than their own field. Plain ones stand in the field tables.

mod aggregate;
mod image_name;
mod pod;
mod quantities;
mod service;
mod volume;

use std::collections::BTreeMap;

use rhumb_meta::Quantity;
use rhumb_scheme::SchemeBuilder;

use super::{EndpointPort, Namespace, NamespaceStatus, PersistentVolume, ReplicationController, Secret};

/// Registers the functions.
pub(crate) fn register(builder: &mut SchemeBuilder) {
    pod::register(builder);
    service::register(builder);
    volume::register(builder);
    quantities::register(builder);
    builder
        .defaults(namespace)
        .defaults(namespace_status)
        .defaults(endpoint_port)
        .defaults(persistent_volume)
        .defaults(replication_controller)
        .defaults(secret);
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

fn endpoint_port(port: &mut EndpointPort) {
    fill(&mut port.protocol, "TCP");
}

/// Volumes made by hand hold what nobody may delete by himself.
fn persistent_volume(volume: &mut PersistentVolume) {
    fill(&mut volume.status.phase, "Pending");
    fill(&mut volume.spec.persistent_volume_reclaim_policy, "Retain");
    volume.spec.volume_mode.get_or_insert_with(|| "Filesystem".to_owned());
}

/// A controller that doesn't say which pods are its own has those that it makes, and is found by the same labels.
fn replication_controller(controller: &mut ReplicationController) {
    let Some(template) = &controller.spec.template else { return };
    let labels = &template.metadata.labels;
    if controller.spec.selector.is_empty() {
        controller.spec.selector.clone_from(labels);
    }
    if controller.metadata.labels.is_empty() {
        controller.metadata.labels.clone_from(labels);
    }
}

fn secret(secret: &mut Secret) {
    fill(&mut secret.type_, "Opaque");
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
