//! Strategies of `scheduling.k8s.io`. Most pod group features are off by default.

use rhumb_api::scheduling::v1::PriorityClass;
use rhumb_api::scheduling::v1alpha2::{PodGroup, PodGroupSpec, PodGroupStatus, PodGroupTemplate, Workload};

use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::{fresh, has_status, keep_spec_and_metadata, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC_AND_METADATA, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(PodGroup: PodGroupSpec, PodGroupStatus);

const GROUP: &str = "scheduling.k8s.io";
const VERSIONS: &[&str] = &["scheduling.k8s.io/v1alpha2"];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder
        .add(
            Strategy::new(GROUP, "PriorityClass")
                .generation(Generation::Fixed)
                .create(|class: &mut PriorityClass, _: &Context| class.metadata.generation = 1),
        )?
        .add(
            Strategy::new(GROUP, "PodGroup")
                .create(create_group)
                .update(update_group)
                .resets(VERSIONS, STATUS)
                .on("status", Part::new(update_group_status).resets(VERSIONS, SPEC_AND_METADATA)),
        )?
        .add(
            Strategy::new(GROUP, "Workload")
                .create(|workload: &mut Workload, _: &Context| drop_from_templates(workload, None))
                .update(|new, old, _| drop_from_templates(new, Some(old))),
        )?;
    Ok(())
}

/// Drops what is off from a group or a template for one: they have the same fields, but no type in common.
macro_rules! drop_disabled {
    ($new:expr, $old:expr) => {{
        let (new, old) = ($new, $old);
        if old.is_none_or(|old| old.scheduling_constraints.is_none()) {
            new.scheduling_constraints = None;
        }
        if old.is_none_or(|old| old.resource_claims.is_empty()) {
            new.resource_claims.clear();
        }
        if old.is_none_or(|old| old.disruption_mode.is_none()) {
            new.disruption_mode = None;
        }
        if old.is_none_or(|old| old.priority_class_name.is_empty()) {
            new.priority_class_name.clear();
        }
        if old.is_none_or(|old| old.priority.is_none()) {
            new.priority = None;
        }
    }};
}

fn create_group(group: &mut PodGroup, context: &Context) {
    fresh(group, context);
    drop_disabled!(&mut group.spec, None::<&PodGroupSpec>);
}

fn update_group(new: &mut PodGroup, old: &PodGroup, context: &Context) {
    keep_status(new, old, context);
    drop_disabled!(&mut new.spec, Some(&old.spec));
}

fn update_group_status(new: &mut PodGroup, old: &PodGroup, context: &Context) {
    keep_spec_and_metadata(new, old, context);
    if old.spec.resource_claims.is_empty() {
        new.status.resource_claim_statuses.clear();
    }
}

fn drop_from_templates(new: &mut Workload, old: Option<&Workload>) {
    let mut before = old.into_iter().flat_map(|old| &old.spec.pod_group_templates);
    for template in &mut new.spec.pod_group_templates {
        let old: Option<&PodGroupTemplate> = before.next();
        drop_disabled!(template, old);
    }
}
