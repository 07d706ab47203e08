//! Kinds whose objects are emptied before they go: namespaces, and definitions of custom resources.

use rhumb_api::apiextensions::v1beta1::CustomResourceDefinition;
use rhumb_api::core::v1::Namespace;
use rhumb_meta::{Object, Time};

use super::custom::mark_deleted;

/// Whether an object stays though nothing in its metadata keeps it.
pub(super) fn keeps(object: &dyn Object) -> bool {
    // A definition is marked first, whatever finalizers it has.
    object.downcast_ref::<Namespace>().is_some_and(|namespace| !namespace.spec.finalizers.is_empty())
        || object
            .downcast_ref::<CustomResourceDefinition>()
            .is_some_and(|definition| definition.metadata.deletion_timestamp.is_none())
}

/// Shows in an object that it is going.
pub(super) fn mark(object: &mut dyn Object, now: Time) {
    if let Some(namespace) = object.downcast_mut::<Namespace>() {
        namespace.status.phase = "Terminating".to_owned();
        namespace.metadata.deletion_grace_period_seconds = None;
    }
    if let Some(definition) = object.downcast_mut::<CustomResourceDefinition>() {
        mark_deleted(definition, now);
    }
}
