//! Strategy of stateful sets.

use rhumb_api::apps::v1::{
    RollingUpdateStatefulSetStrategy, StatefulSet, StatefulSetSpec, StatefulSetStatus,
};
use rhumb_scheme::validation::FieldPath;

use super::{GROUP, VERSIONS};
use crate::context::Context;
use crate::core::claims::warn_spec;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{count, fresh_counted, has_status, keep_spec, keep_status};
use crate::pod::{drop_disabled_template, warn_template};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::scale::{Scaling, scale, selector_text};
use crate::strategy::{Part, Strategy};

has_status!(StatefulSet: StatefulSetSpec, StatefulSetStatus);

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new(GROUP, "StatefulSet")
            .generation(Generation::Counted)
            .create(create)
            .update(update)
            .warn_create(|set| {
                let mut warnings = warn(set);
                warn_rest(set, |path| path, &mut warnings);
                warnings
            })
            .warn_update(|new, old| {
                let changed = new.metadata.generation != old.metadata.generation;
                let mut warnings = if changed { warn(new) } else { Vec::new() };
                // Kubernetes names the field so, with a capital letter, and only here.
                warn_rest(new, |path| path.child("Spec"), &mut warnings);
                warnings
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

fn create(set: &mut StatefulSet, context: &Context) {
    fresh_counted(set, context);
    drop_disabled(set, None);
}

fn update(new: &mut StatefulSet, old: &StatefulSet, context: &Context) {
    keep_status(new, old, context);
    drop_disabled(new, Some(old));
    count(new, old, context);
}

fn drop_disabled(new: &mut StatefulSet, old: Option<&StatefulSet>) {
    let bounded = |update: &RollingUpdateStatefulSetStrategy| update.max_unavailable.is_some();
    let used = |old: &StatefulSet| old.spec.update_strategy.rolling_update.as_deref().is_some_and(bounded);
    if let Some(rolling) = &mut new.spec.update_strategy.rolling_update
        && !old.is_some_and(used)
    {
        rolling.max_unavailable = None;
    }
    drop_disabled_template(&mut new.spec.template, old.map(|old| &old.spec.template));
}

fn warn(set: &StatefulSet) -> Vec<String> {
    warn_template(&set.spec.template, &FieldPath::new("spec").child("template"))
}

fn warn_rest(set: &StatefulSet, claim: fn(FieldPath) -> FieldPath, warnings: &mut Vec<String>) {
    let path = FieldPath::new("spec").child("volumeClaimTemplates");
    for (index, template) in set.spec.volume_claim_templates.iter().enumerate() {
        warn_spec(&template.spec, &claim(path.index(index)), warnings);
    }
    if set.spec.revision_history_limit.is_some_and(|limit| limit < 0) {
        let advice = "a negative value retains all historical revisions; a value >= 0 is recommended";
        warnings.push(format!("spec.revisionHistoryLimit: {advice}"));
    }
}
