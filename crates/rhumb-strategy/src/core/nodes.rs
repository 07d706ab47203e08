//! Strategy of nodes, which keep their status on creation, since they register with it.

use rhumb_api::core::v1::{Node, NodeSpec, NodeStatus};
use rhumb_scheme::validation::FieldPath;

use super::V1;
use crate::addresses::warn_cidr;
use crate::context::Context;
use crate::error::RegisterError;
use crate::parts::{has_status, keep_spec, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(Node: NodeSpec, NodeStatus);

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("", "Node")
            .create(create)
            .update(update)
            .warn_create(warn)
            .warn_update(|new, _: &Node| warn(new))
            .resets(V1, STATUS)
            .on("status", Part::new(update_status).resets(V1, SPEC)),
    )?;
    Ok(())
}

fn create(node: &mut Node, _: &Context) {
    node.spec.config_source = None;
    node.status.config = None;
}

fn update(new: &mut Node, old: &Node, context: &Context) {
    keep_status(new, old, context);
    if old.spec.config_source.is_none() {
        new.spec.config_source = None;
    }
}

fn update_status(new: &mut Node, old: &Node, context: &Context) {
    keep_spec(new, old, context);
    if old.status.config.is_none() {
        new.status.config = None;
    }
}

fn warn(node: &Node) -> Vec<String> {
    let mut warnings = Vec::new();
    if node.spec.config_source.is_some() {
        warnings.push("spec.configSource: the feature is removed".to_owned());
    }
    if !node.spec.external_id.is_empty() {
        let warning = "spec.externalID: this field is deprecated, and is unused by Kubernetes";
        warnings.push(warning.to_owned());
    }
    let path = FieldPath::new("spec").child("podCIDRs");
    for (index, block) in node.spec.pod_cidrs.iter().enumerate() {
        warnings.extend(warn_cidr(&path.index(index), block));
    }
    warnings
}
