//! Strategy of deployments. Their annotations are copied to replica sets, so changing one increments the generation.

use rhumb_api::apps::v1::{Deployment, DeploymentSpec, DeploymentStatus};
use rhumb_scheme::validation::FieldPath;

use super::{EXTENSIONS, GROUP, VERSIONS};
use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{fresh_counted, has_status, keep_spec, keep_status, next};
use crate::pod::{drop_disabled_template, warn_name, warn_template};
use crate::registry::StrategiesBuilder;
use crate::reset::{ResetPath, STATUS};
use crate::scale::{Scaling, scale, selector_text};
use crate::strategy::{Part, Strategy};

has_status!(Deployment: DeploymentSpec, DeploymentStatus);

const SPEC_AND_LABELS: &[ResetPath] = &[&["spec"], &["metadata", "labels"]];

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new(GROUP, "Deployment")
            .also_in(EXTENSIONS)
            .generation(Generation::Counted)
            .create(create)
            .update(update)
            .warn_create(warn_create)
            .warn_update(|new, old| {
                if new.metadata.generation != old.metadata.generation { warn(new) } else { Vec::new() }
            })
            .resets(VERSIONS, STATUS)
            .on("status", Part::new(update_status).resets(VERSIONS, SPEC_AND_LABELS))
            .scaling(Scaling {
                get: |deployment| {
                    let selector = selector_text(deployment.spec.selector.as_deref())?;
                    let (wanted, there) = (deployment.spec.replicas, deployment.status.replicas);
                    Ok(scale(&deployment.metadata, wanted, there, selector))
                },
                set: |deployment, scale| {
                    deployment.spec.replicas = Some(scale.spec.replicas);
                    deployment.metadata.resource_version.clone_from(&scale.metadata.resource_version);
                },
            }),
    )?;
    Ok(())
}

fn create(deployment: &mut Deployment, context: &Context) {
    fresh_counted(deployment, context);
    drop_disabled_template(&mut deployment.spec.template, None);
}

fn update(new: &mut Deployment, old: &Deployment, context: &Context) {
    keep_status(new, old, context);
    drop_disabled_template(&mut new.spec.template, Some(&old.spec.template));
    if new.spec != old.spec || new.metadata.annotations != old.metadata.annotations {
        next(&mut new.metadata, &old.metadata);
    }
}

fn update_status(new: &mut Deployment, old: &Deployment, context: &Context) {
    keep_spec(new, old, context);
    new.metadata.labels.clone_from(&old.metadata.labels);
}

fn warn_create(deployment: &Deployment) -> Vec<String> {
    let name = warn_name(&deployment.metadata.name, "Pod names and hostnames");
    name.into_iter().chain(warn(deployment)).collect()
}

fn warn(deployment: &Deployment) -> Vec<String> {
    warn_template(&deployment.spec.template, &FieldPath::new("spec").child("template"))
}
