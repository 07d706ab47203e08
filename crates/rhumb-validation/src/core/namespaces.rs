//! Validation of namespaces.

use rhumb_api::core::v1::Namespace;
use rhumb_meta::validation::name_is_dns_label;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, object_meta, object_meta_update, standard_finalizer_name};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    let rules = Rules::create(create).update(update).on("status", status).on("finalize", finalize);
    builder.rules::<Namespace>(rules)?;
    Ok(())
}

fn create(namespace: &Namespace, _: &Context, errors: &mut FieldErrors) {
    object_meta(&namespace.metadata, Scope::Cluster, name_is_dns_label, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec").child("finalizers");
    for finalizer in &namespace.spec.finalizers {
        standard_finalizer_name(finalizer, &path, errors);
    }
}

fn update(new: &Namespace, old: &Namespace, context: &Context, errors: &mut FieldErrors) {
    create(new, context, errors);
    metadata_update(new, old, errors);
}

fn metadata_update(new: &Namespace, old: &Namespace, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
}

fn status(new: &Namespace, old: &Namespace, _: &Context, errors: &mut FieldErrors) {
    metadata_update(new, old, errors);
    let (expected, detail) = if new.metadata.deletion_timestamp.is_none() {
        ("Active", "may only be 'Active' if `deletionTimestamp` is empty")
    } else {
        ("Terminating", "may only be 'Terminating' if `deletionTimestamp` is not empty")
    };
    if new.status.phase != expected {
        errors.invalid(&FieldPath::new("status").child("Phase"), &Named(&new.status.phase), detail);
    }
}

fn finalize(new: &Namespace, old: &Namespace, _: &Context, errors: &mut FieldErrors) {
    metadata_update(new, old, errors);
    let path = FieldPath::new("spec").child("finalizers");
    for (index, finalizer) in new.spec.finalizers.iter().enumerate().wanted() {
        standard_finalizer_name(finalizer, &path.index(index), errors);
    }
}
