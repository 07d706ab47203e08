//! Strategy of replica sets.

use rhumb_api::apps::v1::{ReplicaSet, ReplicaSetSpec, ReplicaSetStatus};
use rhumb_scheme::validation::FieldPath;

use super::{EXTENSIONS, GROUP, VERSIONS};
use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{count, fresh_counted, has_status, keep_spec, keep_status};
use crate::pod::{drop_disabled_template, warn_name, warn_template};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::scale::{Scaling, scale, selector_text};
use crate::strategy::{Part, Strategy};

has_status!(ReplicaSet: ReplicaSetSpec, ReplicaSetStatus);

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new(GROUP, "ReplicaSet")
            .also_in(EXTENSIONS)
            .generation(Generation::Counted)
            .create(create)
            .update(update)
            .warn_create(warn_create)
            .warn_update(|new, old| {
                if new.metadata.generation != old.metadata.generation { warn(new) } else { Vec::new() }
            })
            .resets(VERSIONS, STATUS)
            .on("status", Part::new(keep_spec).resets(VERSIONS, SPEC))
            .scaling(Scaling {
                get: |set| {
                    let selector = selector_text(set.spec.selector.as_deref())?;
                    Ok(scale(&set.metadata, set.spec.replicas, set.status.replicas, selector))
                },
                set: |set, scale| {
                    set.spec.replicas = Some(scale.spec.replicas);
                    set.metadata.resource_version.clone_from(&scale.metadata.resource_version);
                },
            }),
    )?;
    Ok(())
}

fn create(set: &mut ReplicaSet, context: &Context) {
    fresh_counted(set, context);
    drop_disabled_template(&mut set.spec.template, None);
}

fn update(new: &mut ReplicaSet, old: &ReplicaSet, context: &Context) {
    keep_status(new, old, context);
    drop_disabled_template(&mut new.spec.template, Some(&old.spec.template));
    count(new, old, context);
}

fn warn_create(set: &ReplicaSet) -> Vec<String> {
    warn_name(&set.metadata.name, "Pod names and hostnames").into_iter().chain(warn(set)).collect()
}

fn warn(set: &ReplicaSet) -> Vec<String> {
    warn_template(&set.spec.template, &FieldPath::new("spec").child("template"))
}
