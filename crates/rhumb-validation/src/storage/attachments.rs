//! Validation of volumes that are attached to nodes.

use rhumb_api::storage::v1::{VolumeAttachment, VolumeAttachmentSource, VolumeAttachmentStatus, VolumeError};
use rhumb_meta::validation::{NamePart, inclusive_range_error, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use super::inline_volume::inline_volume;
use crate::core::volume_backend::csi_driver_name;
use crate::internal_form::internal;
use crate::meta::{Scope, object_meta};

/// The most bytes that a driver's notes on an attachment may have.
const MAX_METADATA: usize = 256 * 1024;
/// The most bytes that the text of an error may have. The message about it names another limit.
const MAX_MESSAGE: usize = 1024;
const ONE_SOURCE: &str = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<VolumeAttachment>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(attachment: &VolumeAttachment, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&attachment.metadata, Scope::Cluster, name_is_dns_subdomain, &path, errors);
    let (spec, path) = (&attachment.spec, FieldPath::new("spec"));
    csi_driver_name(&spec.attacher, &path.child("attacher"), errors);
    source(&spec.source, &path.child("source"), errors);
    let problems = name_is_dns_subdomain(&spec.node_name, NamePart::Whole);
    errors.invalid_each(&path.child("nodeName"), &spec.node_name, problems);
    status(&attachment.status, &FieldPath::new("status"), errors);
    if let Some(name) = &spec.source.persistent_volume_name {
        let path = path.child("source").child("persistentVolumeName");
        errors.invalid_each(&path, name, name_is_dns_subdomain(name, NamePart::Whole));
    }
}

fn update(new: &VolumeAttachment, old: &VolumeAttachment, context: &Context, errors: &mut FieldErrors) {
    create(new, context, errors);
    if new.spec != old.spec {
        errors.invalid(&FieldPath::new("spec"), &internal(&new.spec), "field is immutable");
    }
}

fn source(source: &VolumeAttachmentSource, path: &FieldPath, errors: &mut FieldErrors) {
    match (&source.inline_volume_spec, &source.persistent_volume_name) {
        (None, None) => errors.required(path, ONE_SOURCE),
        (Some(_), Some(_)) => errors.forbidden(path, ONE_SOURCE),
        (None, Some(name)) if name.is_empty() => {
            errors
                .required(&path.child("persistentVolumeName"), "must specify non empty persistentVolumeName");
        }
        (None, Some(_)) => {}
        (Some(spec), None) => inline_volume(spec, &path.child("inlineVolumeSpec"), errors),
    }
}

fn status(status: &VolumeAttachmentStatus, path: &FieldPath, errors: &mut FieldErrors) {
    let size: usize = status.attachment_metadata.iter().map(|(key, value)| key.len() + value.len()).sum();
    if size > MAX_METADATA {
        errors.too_long(&path.child("attachmentMetadata"), MAX_METADATA);
    }
    volume_error(status.attach_error.as_deref(), &path.child("attachError"), errors);
    volume_error(status.detach_error.as_deref(), &path.child("detachError"), errors);
}

fn volume_error(error: Option<&VolumeError>, path: &FieldPath, errors: &mut FieldErrors) {
    let Some(error) = error else { return };
    if error.message.len() > MAX_MESSAGE {
        errors.too_long(&path.child("message"), MAX_METADATA);
    }
    if let Some(code) = error.error_code.filter(|code| *code < 0) {
        let detail = inclusive_range_error(0, i64::from(i32::MAX));
        errors.invalid(&path.child("errorCode"), &code, &detail);
    }
}
