//! Validation of ControllerRevisions.

use rhumb_api::apps::v1::ControllerRevision;
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, immutable_field, nonnegative, object_meta, object_meta_update};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules(Rules::create(create).update(update))?;
    Ok(())
}

fn create(revision: &ControllerRevision, _: &Context, errors: &mut FieldErrors) {
    always(revision, errors);
    let path = FieldPath::new("data");
    match revision.data.as_bytes().trim_ascii_start() {
        [] | [b'n', ..] => errors.required(&path, "data is mandatory"),
        [b'{', ..] => {}
        _ => errors.required(&path, "data must be a valid JSON object"),
    }
}

fn update(new: &ControllerRevision, old: &ControllerRevision, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    always(new, errors);
    immutable_field(&new.data, &old.data, &FieldPath::new("data"), errors);
}

fn always(revision: &ControllerRevision, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&revision.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    nonnegative(revision.revision, &FieldPath::new("revision"), errors);
}
