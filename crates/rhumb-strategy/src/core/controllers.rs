//! Strategies of replication controllers and pod templates.

use rhumb_api::core::v1::{
    PodTemplate, ReplicationController, ReplicationControllerSpec, ReplicationControllerStatus,
};
use rhumb_meta::GroupVersion;
use rhumb_meta::labels::Selector;
use rhumb_scheme::validation::FieldPath;

use super::V1;
use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{count, fresh_counted, has_status, keep_spec, keep_status, next};
use crate::pod::{drop_disabled_template, warn_name, warn_template};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::scale::{Scaling, scale};
use crate::strategy::{Part, Strategy};

has_status!(ReplicationController: ReplicationControllerSpec, ReplicationControllerStatus);

/// Versions whose clients expect that deletion orphans the pods.
const ORPHANS: &[GroupVersion] = &[GroupVersion::new_static("", "v1")];

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder
        .add(
            Strategy::new("", "ReplicationController")
                .generation(Generation::Counted)
                .orphans_in(ORPHANS)
                .create(create)
                .update(update)
                .warn_create(warn_create)
                .warn_update(warn_update)
                .resets(V1, STATUS)
                .on("status", Part::new(keep_spec).resets(V1, SPEC))
                .scaling(Scaling {
                    get: |controller: &ReplicationController| {
                        let selector = Selector::from_set(&controller.spec.selector).to_string();
                        let (wanted, there) = (controller.spec.replicas, controller.status.replicas);
                        Ok(scale(&controller.metadata, wanted, there, selector))
                    },
                    set: |controller, scale| {
                        controller.spec.replicas = Some(scale.spec.replicas);
                        controller.metadata.resource_version.clone_from(&scale.metadata.resource_version);
                    },
                }),
        )?
        .add(
            Strategy::new("", "PodTemplate")
                .generation(Generation::Counted)
                .create(create_template)
                .update(update_template)
                .warn_create(|template: &PodTemplate| {
                    warn_template(&template.template, &FieldPath::new("template"))
                })
                .warn_update(|new, old| {
                    let changed = new.metadata.generation != old.metadata.generation;
                    if changed {
                        warn_template(&new.template, &FieldPath::new("template"))
                    } else {
                        Vec::new()
                    }
                }),
        )?;
    Ok(())
}

fn create(controller: &mut ReplicationController, context: &Context) {
    fresh_counted(controller, context);
    if let Some(template) = &mut controller.spec.template {
        drop_disabled_template(template, None);
    }
}

fn update(new: &mut ReplicationController, old: &ReplicationController, context: &Context) {
    keep_status(new, old, context);
    if let Some(template) = &mut new.spec.template {
        drop_disabled_template(template, old.spec.template.as_deref());
    }
    count(new, old, context);
}

fn warn_create(controller: &ReplicationController) -> Vec<String> {
    let name = warn_name(&controller.metadata.name, "Pod names and hostnames");
    name.into_iter().chain(warn(controller)).collect()
}

fn warn(controller: &ReplicationController) -> Vec<String> {
    let path = FieldPath::new("spec").child("template");
    controller.spec.template.as_ref().map(|template| warn_template(template, &path)).unwrap_or_default()
}

/// Warns about updates. As in Kubernetes, old and new are swapped, so the warnings are about the replaced object.
fn warn_update(new: &ReplicationController, old: &ReplicationController) -> Vec<String> {
    if new.metadata.generation != old.metadata.generation { warn(old) } else { Vec::new() }
}

fn create_template(template: &mut PodTemplate, _: &Context) {
    template.metadata.generation = 1;
    drop_disabled_template(&mut template.template, None);
}

fn update_template(new: &mut PodTemplate, old: &PodTemplate, _: &Context) {
    drop_disabled_template(&mut new.template, Some(&old.template));
    if new.template != old.template {
        next(&mut new.metadata, &old.metadata);
    }
}
