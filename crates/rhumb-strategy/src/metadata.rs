//! Server-managed metadata.

use rhumb_meta::{Object, ObjectMeta, Time};

/// Takes out of a new object what only a server fills in.
pub fn wipe_system_metadata(object: &mut dyn Object) {
    object.edit_metadata(&mut |metadata| {
        metadata.creation_timestamp = Time::default();
        metadata.uid.clear();
        metadata.deletion_timestamp = None;
        metadata.deletion_grace_period_seconds = None;
        metadata.self_link.clear();
    });
}

/// Takes over from the old object what a client can't change or needn't send: the identity, and the deletion.
pub fn keep_system_metadata(new: &mut dyn Object, old: &dyn Object) {
    let Some(old) = old.metadata() else { return };
    new.edit_metadata(&mut |metadata| {
        if metadata.uid.is_empty() {
            metadata.uid.clone_from(&old.uid);
        }
        if !old.creation_timestamp.is_zero() {
            metadata.creation_timestamp = old.creation_timestamp;
        }
        if old.deletion_timestamp.is_some() {
            metadata.deletion_timestamp = old.deletion_timestamp;
        }
        if metadata.deletion_grace_period_seconds.is_none() {
            metadata.deletion_grace_period_seconds = old.deletion_grace_period_seconds;
        }
    });
}

/// Keeps the old generation on updates; strategies increment it.
pub(crate) fn keep_generation(new: &mut dyn Object, old: &dyn Object) {
    if let Some(old) = old.metadata() {
        new.edit_metadata(&mut |metadata| metadata.generation = old.generation);
    }
}

/// Undoes what an update of the status changed in the metadata. Managed fields stay: they say who set the
/// status.
pub fn reset_metadata_for_status(new: &mut ObjectMeta, old: &ObjectMeta) {
    new.deletion_timestamp = old.deletion_timestamp;
    new.generation = old.generation;
    new.self_link.clone_from(&old.self_link);
    new.labels.clone_from(&old.labels);
    new.annotations.clone_from(&old.annotations);
    new.finalizers.clone_from(&old.finalizers);
    new.owner_references.clone_from(&old.owner_references);
}
