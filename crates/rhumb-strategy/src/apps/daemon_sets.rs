//! Strategy of daemon sets. An annotation of the hub counts changes of the template.

use rhumb_api::apps::v1::{DaemonSet, DaemonSetSpec, DaemonSetStatus};
use rhumb_meta::ObjectMeta;
use rhumb_scheme::validation::FieldPath;

use super::{EXTENSIONS, GROUP, VERSIONS};
use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{fresh_counted, has_status, keep_spec, keep_status, next};
use crate::pod::{drop_disabled_template, warn_template};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(DaemonSet: DaemonSetSpec, DaemonSetStatus);

const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new(GROUP, "DaemonSet")
            .also_in(EXTENSIONS)
            .generation(Generation::Counted)
            .create(create)
            .update(update)
            .warn_create(warn)
            .warn_update(|new, old| {
                if template_generation(&new.metadata) != template_generation(&old.metadata) {
                    warn(new)
                } else {
                    Vec::new()
                }
            })
            .resets(VERSIONS, STATUS)
            .on("status", Part::new(update_status).resets(VERSIONS, SPEC)),
    )?;
    Ok(())
}

fn template_generation(metadata: &ObjectMeta) -> i64 {
    metadata.annotations.get(TEMPLATE_GENERATION).and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn set_template_generation(metadata: &mut ObjectMeta, generation: i64) {
    metadata.annotations.insert(TEMPLATE_GENERATION.to_owned(), generation.to_string());
}

fn create(set: &mut DaemonSet, context: &Context) {
    fresh_counted(set, context);
    if template_generation(&set.metadata) < 1 {
        set_template_generation(&mut set.metadata, 1);
    }
    drop_disabled_template(&mut set.spec.template, None);
}

fn update(new: &mut DaemonSet, old: &DaemonSet, context: &Context) {
    drop_disabled_template(&mut new.spec.template, Some(&old.spec.template));
    keep_status(new, old, context);
    let changed = new.spec.template != old.spec.template;
    let generation = template_generation(&old.metadata).saturating_add(changed.into());
    set_template_generation(&mut new.metadata, generation);
    if new.spec != old.spec {
        next(&mut new.metadata, &old.metadata);
    }
}

/// Keeps the template's generation on status updates: it belongs to the spec, though an annotation has it.
fn update_status(new: &mut DaemonSet, old: &DaemonSet, context: &Context) {
    keep_spec(new, old, context);
    set_template_generation(&mut new.metadata, template_generation(&old.metadata));
}

fn warn(set: &DaemonSet) -> Vec<String> {
    warn_template(&set.spec.template, &FieldPath::new("spec").child("template"))
}
