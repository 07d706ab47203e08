//! The rules that CronTabs keep. They see the hub, so that one set of them holds for all versions.

use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};
use rhumb_validation::meta::{Scope, object_meta, object_meta_update};

use crate::v1::{CronTab, CronTabSpec};

/// How many fields a crontab's line has before its command.
const FIELDS: usize = 5;

/// Registers them; the group's `install` calls this.
pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    // Who writes the status did not write the spec, which older rules may have let in.
    builder.rules::<CronTab>(Rules::create(create).update(update).on("status", |_, _, _, _| {}))?;
    Ok(())
}

fn create(cron: &CronTab, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&cron.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
    spec(&cron.spec, &FieldPath::new("spec"), errors);
}

fn update(new: &CronTab, old: &CronTab, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    spec(&new.spec, &FieldPath::new("spec"), errors);
}

fn spec(spec: &CronTabSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("schedule");
    if spec.schedule.is_empty() {
        errors.required(&at, "");
    } else if spec.schedule.split_whitespace().count() != FIELDS {
        errors.invalid(&at, &spec.schedule, "must have five fields, as in \"*/5 * * * *\"");
    }
    if spec.image.is_empty() {
        errors.required(&path.child("image"), "");
    }
    if let Some(replicas) = spec.replicas.filter(|replicas| *replicas < 0) {
        errors.invalid(&path.child("replicas"), &replicas, "must be greater than or equal to 0");
    }
}
